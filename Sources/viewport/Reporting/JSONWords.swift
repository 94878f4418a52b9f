#if CommandLine
import Basics
import Batches
import ViewportRendering

// The words that all reports share; the article JSON lists them, and a test runs all commands.

extension JSONValue {
    /// The member `outputs`: the file that was written, with its size in pixels and bytes where they are known.
    static func outputs(_ path: String?, width: Int? = nil, height: Int? = nil, bytes: Int? = nil)
        -> JSONValue
    {
        guard let path else { return .array([]) }
        let numbers = [("width", width), ("height", height), ("bytes", bytes)]
        return .array([
            .object(
                [("path", .string(path))]
                    + numbers.compactMap { name, value in value.map { (name, .int($0)) } })
        ])
    }

    /// A member of `failures`: a file, and why nothing was made of it.
    static func failure(_ path: String, _ error: any Error) -> JSONValue {
        .object(["path": .string(path), "error": errorJSON(error)])
    }
}

/// Returns an error as an object for programs: `{"code": "missing", "message": "a.jpg: …"}`.
func errorJSON(_ error: any Error) -> JSONValue {
    let code =
        switch error {
        case let error as RenderingError: error.code
        case let error as BatchFailure: error.code
        case let error as any ExitCoded: error.exit.word
        default: Exit.software.word
        }
    return errorJSON(code: code, sentence(for: error))
}

func errorJSON(code: String, _ message: String) -> JSONValue {
    .object(["code": .string(code), "message": .string(PipedInput.named(message))])
}
#endif
