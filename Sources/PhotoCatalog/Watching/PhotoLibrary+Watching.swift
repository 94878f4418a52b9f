internal import Files

extension PhotoLibrary {
    /// Keeps the catalog up to date with the files until the task is cancelled.
    ///
    /// Everything is indexed first, then what changes, as it changes; `notices` tell what that means for assets and
    /// groups.
    ///
    /// - Parameter indexed: gets what every run of indexing has found, the first one's first.
    /// - Throws: `LibraryError`; being cancelled is none.
    public func watch(
        indexed: @escaping @Sendable (IndexReport) -> Void = { _ in }
    ) async throws(LibraryError) {
        let flag = CancellationFlag()
        let result: Result<Void, LibraryError> = await withTaskCancellationHandler {
            do throws(LibraryError) {
                return .success(try await follow(flag, indexed))
            } catch {
                return error == .cancelled ? .success(()) : .failure(error)
            }
        } onCancel: {
            flag.raise()
        }
        try result.get()
    }

    private func follow(
        _ flag: CancellationFlag, _ indexed: @Sendable (IndexReport) -> Void
    ) async throws(LibraryError) {
        let root = root
        do {
            // Watched first and indexed then, so that nothing comes in between unseen.
            let follower = try await BackgroundQueue.result { () throws(FileError) in
                try FolderFollower(root: root)
            }.get()
            indexed(try await indexWhenFree([""]))
            while !flag.isRaised {
                let paths = try await BackgroundQueue.result { () throws(FileError) in
                    try follower.next(flag)
                }.get()
                if !paths.isEmpty { indexed(try await indexWhenFree(paths)) }
            }
        } catch let error as FileError {
            throw .noRoot(root, reason: error.description)
        } catch {
            throw error as? LibraryError ?? .cancelled
        }
    }
}
