#if CommandLine
public import ArgumentParser
import Files
package import Films
import Pictures
public import ScrollModel
import ViewportGeometry

extension FrameRate: ExpressibleByArgument, Explained {
    package init?(argument: String) { self.init(parsing: argument) }

    package var defaultValueDescription: String { text }

    static var understood: String { "frames per second from 0.001 to 1000, also as a fraction" }
    static var example: String { "30000/1001" }

    static func fault(in text: String) -> String? {
        guard let value = Double(text) else { return nil }
        return (0.001...1000).contains(value) ? "has more than six digits" : "out of range"
    }
}

extension FlightPath.Easing: ExpressibleByArgument, Explained {
    /// CSS's names, or the four numbers of a cubic Bézier curve.
    public init?(argument: String) { self.init(css: argument) }

    public var defaultValueDescription: String { Self.names.first { $0.1 == self }?.0 ?? "a curve" }

    public static var defaultCompletionKind: CompletionKind { .list(names.map(\.0)) }

    static var understood: String { forms }
    static var example: String { "ease-out" }
}

extension Film.Form {
    /// Selects the format by the file extension of an output.
    init(output: String) throws {
        do throws(FilmError) {
            try self.init(output)
        } catch {
            throw ValidationError("\(error); for a folder with this name write \(output)/")
        }
    }
}

/// The poses of a flight in a JSON file.
struct KeyframesFile {
    private let file: String
    private let keyframes: Keyframes

    /// - Parameters:
    ///   - path: a file, a pipe, or "-" for standard input.
    ///   - size: the size of the film, from which zooms are computed.
    /// - Throws: `RenderingError` if the file cannot be read, or `InputError` with the line of the pose.
    init(_ path: String, size: Size<ViewSpace>) throws {
        file = PipedInput.shown(path)
        let bytes = try RenderingError.naming(file) { () throws(FileError) in
            try PipedInput.text(path, limit: 1 << 24)
        }
        do throws(Keyframes.Invalid) {
            keyframes = try Keyframes(bytes, size: size)
        } catch {
            throw Self.error(error, in: file)
        }
    }

    var poses: Keyframes.Poses { keyframes.poses }

    /// Returns the error of a path through these poses.
    func error(_ error: FlightPathError) -> InputError { Self.error(keyframes.error(error), in: file) }

    private static func error(_ cause: Keyframes.Invalid, in file: String) -> InputError {
        InputError(.badInput, "\(file): line \(cause.line): \(cause.reason)")
    }
}
#endif
