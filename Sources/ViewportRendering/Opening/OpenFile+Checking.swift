package import Files

extension OpenFile {
    /// What was read of the file, if nobody wrote it meanwhile; what went wrong is the writer's fault then.
    ///
    /// - Throws: `RenderingError.changed`, or what `body` throws of a file that is as it was.
    func checked<R>(_ body: () throws(RenderingError) -> R) throws(RenderingError) -> R {
        let result: Result<R, RenderingError>
        do throws(RenderingError) {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        do throws(FileError) {
            try check()
        } catch {
            throw RenderingError(error, file: path)
        }
        return try result.get()
    }

    /// The same for work that fails in other ways too.
    package func checkedRows(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error where !(error is CancellationError) {
            try checkRows()
            throw error
        }
        try checkRows()
    }

    private func checkRows() throws(RenderingError) {
        do throws(FileError) {
            try check()
        } catch {
            throw RenderingError(error, file: path)
        }
    }
}
