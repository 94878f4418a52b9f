private import Dispatch
private import Subprocess
private import Synchronization
private import Vips

/// The installed programs that can show videos.
enum FFmpeg {
    struct Answer: Sendable {
        var output: String
        /// The last line that it complained with.
        var errors: String
    }

    /// Runs one of the programs to its end, on the calling thread, which it blocks.
    ///
    /// - Throws: `ThumbnailError.noFFmpeg` where it is not installed, `.video` where it does not end.
    static func run(_ name: String, _ arguments: [String], for file: String) throws -> Answer {
        let answer = Mutex<Result<Answer, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        // The caller may be one of Swift's few threads: what it waits for must not need another of them.
        let task = Task.detached(executorPreference: executor) {
            let result: Result<Answer, any Error>
            do {
                result = .success(try await finish(name, arguments))
            } catch {
                result = .failure(error)
            }
            answer.withLock { $0 = result }
            isDone.signal()
        }
        let isLate = isDone.wait(timeout: .now() + .seconds(patience)) == .timedOut
        if isLate {
            task.cancel()
            isDone.wait()
        }
        switch answer.withLock(\.self) {
        case .success(let answer)?: return answer
        case .failure(let error as SubprocessError)? where error.code == .executableNotFound:
            throw ThumbnailError.noFFmpeg(file: file)
        default:
            throw ThumbnailError.video(file: file, detail: isLate ? "it takes too long" : "\(name) stopped")
        }
    }

    private static let executor = BlockingExecutor(width: 2)

    /// The seconds that a frame may take.
    private static let patience = 60

    private static func finish(_ name: String, _ arguments: [String]) async throws -> Answer {
        let result = try await Subprocess.run(
            .name(name), arguments: Arguments(arguments), output: .string(limit: 1 << 16),
            error: .string(limit: 1 << 20))
        let lines = result.standardError.split(whereSeparator: \.isNewline)
        return Answer(output: result.standardOutput, errors: lines.last.map(String.init) ?? "no frame")
    }
}
