#if CommandLine
import ArgumentParser
import Basics
import Files
import Films
import Platform
internal import RenderCaching
import Thumbnails
import ViewportRendering

#if Server
import TileServing
#endif

/// Exit codes of the process, most from sysexits.h, with one sentence on standard error.
enum Exit: Int32, CaseIterable {
    case someFailed = 3
    case usage = 64
    case badInput = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotWrite = 73
    case tryAgain = 75

    /// The kind of error as one word, for errors without one of their own.
    var word: String {
        switch self {
        case .someFailed: "some-failed"
        case .usage: "usage"
        case .badInput: "bad-input"
        case .noInput: "no-input"
        case .unavailable: "unavailable"
        case .software: "software"
        case .cannotWrite: "cannot-write"
        case .tryAgain: "try-again"
        }
    }

    /// What the code means, for `viewport help exit-codes`.
    var meaning: String {
        switch self {
        case .someFailed: "some items of a batch failed; each is reported, the others are done"
        case .usage: "wrong options or arguments"
        case .badInput: "an input is damaged or of an unknown format"
        case .noInput: "an input does not exist or cannot be read"
        case .unavailable: "not built in: the program was built without this command"
        case .software: "internal error, or libvips is missing"
        case .cannotWrite: "an output cannot be written"
        case .tryAgain: "a file changed, a server does not answer, or another process uses a file; try again"
        }
    }

    /// Codes of a process that was stopped by a signal.
    static let signals = [
        (129, "stopped by SIGHUP"), (130, "stopped by SIGINT (Ctrl-C)"),
        (141, "the reader of standard output has ended (SIGPIPE)"), (143, "stopped by SIGTERM"),
    ]

    /// Reports an error and ends the process.
    ///
    /// Help and version are not errors: they end it with code 0 if they could be written.
    static func now(reporting error: any Error) -> Never {
        switch error {
        case let error as OutputError where error.file == StandardOutput.name:
            end(error.exit.rawValue, saying: sentence(for: error))
        case let error as any ExitCoded:
            stop(sentence(for: error), error.exit, errorJSON(error))
        case let code as ExitCode where code != .success:
            // The command has already reported its errors.
            end(code.rawValue)
        case let stopped as Interruption.Stopped:
            end(128 + stopped.signal)
        default:
            let error: any Error = RefusedValue(error)?.error ?? UnknownOption(error)?.error ?? error
            guard ViewportCommand.exitCode(for: error) != .success else {
                let text = ViewportCommand.fullMessage(for: error)
                if !text.isEmpty { print(text) }
                end(0)
            }
            let isUsage = ViewportCommand.exitCode(for: error) == .validationFailure
            stop(firstSentence(of: ViewportCommand.message(for: error)), isUsage ? .usage : .software)
        }
    }

    /// Joins a message of several lines into one sentence.
    private static func firstSentence(of message: String) -> String {
        let lines = message.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }
        guard let first = lines.first, lines.count > 1 else { return message }
        return "\(first) " + lines.dropFirst().joined(separator: ", ")
    }

    private static func stop(_ sentence: String, _ code: Exit, _ json: JSONValue? = nil) -> Never {
        // Programs that asked for JSON read the error where they read results.
        if CommandLine.arguments.dropFirst().prefix(while: { $0 != "--" }).contains("--json") {
            print(json: [
                "error": json ?? errorJSON(code: code.word, sentence), "exit": .int(Int(code.rawValue)),
            ])
        }
        end(code.rawValue, saying: sentence)
    }

    /// Ends the process with a code; if results could not be written, with an error that says so.
    private static func end(_ code: Int32, saying sentence: String? = nil) -> Never {
        var (code, sentence) = (code, sentence)
        do throws(OutputError) {
            try StandardOutput.finish()
        } catch {
            // Nobody wants more results: other programs end without a word, too.
            if error.reason.isClosedPipe { Interruption.endByClosedPipe() }
            (code, sentence) = (Exit.cannotWrite.rawValue, viewport.sentence(for: error))
        }
        if let sentence { StandardError.write("viewport: \(PipedInput.named(sentence))\n") }
        exit(code)
    }
}

/// An error with an exit code.
protocol ExitCoded: Error {
    var exit: Exit { get }
}

/// The exit codes of the libraries' errors.
extension RenderingError: ExitCoded {
    var exit: Exit {
        switch self {
        case .missing, .folder, .unreadable: .noInput
        case .empty, .unknownFormat, .unsupported, .film, .damaged, .truncated, .tooManyPixels,
            .blocksTooLarge,
            .notLossless,
            .notIndexable, .gainMap, .panorama:
            .badInput
        case .noSuchPage, .outside, .pictureTooLarge, .invalidViewport, .invalidPixelBuffer, .cannotEncode:
            .usage
        case .changed, .unavailable: .tryAgain
        case .library: .software
        }
    }
}

extension ThumbnailError: ExitCoded {
    var exit: Exit {
        switch self {
        case .rendering(let error): error.exit
        case .badSize: .usage
        case .noFFmpeg, .video: .badInput
        }
    }
}

extension CacheError: ExitCoded {
    var exit: Exit {
        switch self {
        case .unwritable, .noRoom: .cannotWrite
        case .changed, .broken: .tryAgain
        case .unsuitable: .usage
        }
    }
}

extension BatchError: ExitCoded {
    var exit: Exit {
        switch self {
        case .badTemplate: .usage
        case .listUnreadable: .noInput
        case .resultsUnwritable: .cannotWrite
        case .resultsInUse: .tryAgain
        }
    }
}

extension OutputError: ExitCoded {
    var exit: Exit { .cannotWrite }
}

extension FilmError: ExitCoded {
    var exit: Exit { .cannotWrite }
}

#if Server
extension ServerError: ExitCoded {
    var exit: Exit {
        switch self {
        case .missingRoot, .unreadableRoot: .noInput
        case .duplicateNames, .notPublic, .invalidBaseURL, .invalidPort, .emptyToken, .editsNeedToken,
            .invalidLimit:
            .usage
        case .cannotListen, .tooFewDescriptors: .tryAgain
        }
    }
}
#endif

/// An input that cannot be used, in a sentence that names it.
struct InputError: ExitCoded, CustomStringConvertible {
    let exit: Exit
    let description: String

    init(_ exit: Exit, _ description: String) { (self.exit, self.description) = (exit, description) }
}
#endif
