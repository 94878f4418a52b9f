internal import Files

/// Finding and making entries.
extension CacheFolder {
    /// The entry, if it is there, whole and up to date; one that is damaged is removed.
    package func entry(for key: CacheKey, _ kind: CacheKind) -> CacheEntry? {
        let files = files(of: key, kind)
        if let entry = validEntry(files, key, kind) { return entry }
        // Who makes an entry holds its lock until it is whole; under the lock what is there is damaged.
        if FileStatus(files.path) != nil, let lock = try? FileLock(files.lock, .alone) {
            withExtendedLifetime(lock) {
                if validEntry(files, key, kind) == nil { files.remove() }
                Folder.remove(files.lock)
            }
        }
        return nil
    }

    /// The entry, made if it is not there.
    ///
    /// Of all processes that want it one makes it and the others wait for that one, without blocking a thread.
    /// When the one that makes it dies, another takes over.
    ///
    /// - Parameter make: writes the entry to the path that it is given.
    /// - Throws: what `make` throws, `CacheError` where the folder cannot be written, or `CancellationError`.
    package func entry(
        for key: CacheKey, _ kind: CacheKind, make: @Sendable (String) async throws -> Void
    ) async throws -> CacheEntry {
        let files = files(of: key, kind)
        try reporting { () throws(FileError) in try Folder.make(path) }
        while true {
            if let entry = validEntry(files, key, kind) { return entry }
            try Task.checkCancellation()
            guard let lock = try reporting({ () throws(FileError) in try FileLock(files.lock, .alone) })
            else {
                // flock(2) can wait too, but only by blocking a thread that cannot be cancelled.
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            defer { withExtendedLifetime(lock) { _ = Folder.remove(files.lock) } }
            if let entry = validEntry(files, key, kind) { return entry }
            files.remove()
            do {
                try await make(files.part)
                try finish(files, key, kind)
            } catch {
                files.remove()
                throw error
            }
            guard let entry = validEntry(files, key, kind) else { throw CacheError.broken(file: key.source) }
            removeEarlier(than: key, kind)
            trim()
            return entry
        }
    }

    /// Keeps bytes as an entry, unless another process is about to.
    ///
    /// - Throws: `CacheError` where the folder cannot be written.
    package func store(_ bytes: [UInt8], for key: CacheKey, _ kind: CacheKind) throws {
        let files = files(of: key, kind)
        try reporting { () throws(FileError) in try Folder.make(path) }
        guard let lock = try reporting({ () throws(FileError) in try FileLock(files.lock, .alone) }) else {
            return
        }
        defer { withExtendedLifetime(lock) { _ = Folder.remove(files.lock) } }
        files.remove()
        try reporting { () throws(FileError) in try OutputFile.write(bytes, to: files.part) }
        try finish(files, key, kind)
        removeEarlier(than: key, kind)
        trim()
    }

    /// Makes what was written an entry: on disk first, then under its name, then with its stamp.
    private func finish(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) throws {
        try reporting { () throws(FileError) in
            try Folder.synchronize(files.part)
            try Folder.move(files.part, to: files.path)
            guard let stamp = stamp(files, key, kind) else { throw .unwritable("it vanished") }
            try OutputFile.write(Array(stamp.utf8), to: files.stamp)
        }
    }

    private func validEntry(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) -> CacheEntry? {
        guard let pin = try? FileLock(files.path, .shared), let expected = stamp(files, key, kind),
            (try? InputFile.contents(files.stamp)) == Array(expected.utf8)
        else { return nil }
        Folder.touch(files.stamp)
        return CacheEntry(files, pin: pin)
    }

    /// What the stamp of an entry with these bytes must say.
    private func stamp(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) -> String? {
        guard let status = FileStatus(files.path), let sum = Checksum.sampling(files.path) else { return nil }
        return """
            viewport cache 1, \(kind.name) \(kind.version)
            \(status.size) \(status.modified) \(Checksum.hexadecimal(sum))
            \(key.text)
            """
    }

    func reporting<R>(_ body: () throws(FileError) -> R) throws(CacheError) -> R {
        do {
            return try body()
        } catch {
            let reason: String =
                switch error {
                case .unwritable(let reason), .unreadable(let reason): reason
                case .noFolder(let folder): "there is no folder \(folder)"
                case .missing, .empty, .folder, .exists, .kept, .changed: "something else is in its place"
                }
            throw CacheError.unwritable(path: path, reason: reason)
        }
    }
}
