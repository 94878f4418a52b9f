import Files
internal import RenderCaching
import Synchronization
import ViewportRendering

/// Standard input where a command takes the name of an image: "-".
enum PipedInput {
    static let name = "-"

    /// Standard input that could not be kept for decoders.
    struct Unreadable: ExitCoded, CustomStringConvertible {
        let reason: String

        var exit: Exit { .noInput }
        var description: String { "standard input: cannot be read: \(reason)" }
    }

    private static let spooled = Mutex<String?>(nil)

    /// The path of an image that was named; standard input is copied to a file the first time that it is.
    ///
    /// - Throws: `Unreadable`, or a `RenderingError` that names standard input.
    static func path(_ argument: String) throws -> String {
        guard argument == name else { return argument }
        let limit = try CacheSettings.folder().capacity
        return try spooled.withLock { spooled in
            if let spooled { return spooled }
            do throws(FileError) {
                let path = try StandardInputFile.path(limit: limit)
                spooled = path
                return path
            } catch {
                if case .unreadable(let reason) = error { throw Unreadable(reason: reason) }
                throw RenderingError(error, file: "standard input")
            }
        }
    }

    /// A sentence in which standard input has its name, and not that of its copy.
    static func named(_ sentence: String) -> String {
        spooled.withLock { $0 }.map { sentence.replacing($0, with: "standard input") } ?? sentence
    }
}
