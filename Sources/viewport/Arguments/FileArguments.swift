import ArgumentParser
import Files
import RenderCaching
import Synchronization
import ViewportRendering

/// The name of a picture to write, and the format that its ending or an option says.
struct OutputName {
    let path: String
    let format: PictureFormat

    /// - Parameters:
    ///   - output: what `-o` says: a file, "-", or a folder, which the picture is put into under its default name.
    ///   - asked: the format that something else says, and what that is: "--format png".
    ///   - name: the default name without its ending.
    /// - Throws: `ValidationError` where the ending says another format than is asked for, or none is said at all.
    init(
        _ output: String?, asked: (format: PictureFormat, by: String)?, default name: String,
        usual: PictureFormat = .png
    ) throws {
        guard let output, output != "-" else {
            format = asked?.format ?? usual
            path = output ?? "\(name).\(format.rawValue)"
            return
        }
        if Self.isFolder(output) {
            format = asked?.format ?? usual
            let separator = output.hasSuffix("/") ? "" : "/"
            path = "\(output)\(separator)\(OutputFile.name(of: name)).\(format.rawValue)"
            return
        }
        let ending = Self.ending(of: output)
        let named = ending.flatMap(PictureFormat.init(fileExtension:))
        if let asked, let named, asked.format != named {
            throw ValidationError(
                "\(output): its ending says \(named.rawValue) and \(asked.by) says \(asked.format.rawValue); "
                    + "change one of them")
        }
        guard let format = asked?.format ?? named else {
            throw ValidationError(
                "\(output): its ending names no format: use .png, .jpg, .webp, .avif, .tif or --format")
        }
        self.format = format
        path = output
    }

    /// Whether a path says or is a folder.
    static func isFolder(_ path: String) -> Bool {
        path.hasSuffix("/") || Folder.isFolder(path, followingLinks: true)
    }

    /// What follows the last dot of a file's name.
    static func ending(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        return name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last.map(String.init)
    }

    /// A file's name without its ending; "stdin" for standard input.
    static func stem(of path: String) -> String {
        guard path != PipedInput.name else { return "stdin" }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) } ?? name
    }

    /// Makes the folder of a path that ends in "/", where it is missing.
    static func makeFolder(_ output: String?) throws(OutputError) {
        guard let output, output.hasSuffix("/"), output != "/" else { return }
        let folder = String(output.dropLast())
        try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
    }
}

/// Whether files that this program did not make may be replaced.
struct OverwriteArgument: ParsableArguments {
    @Flag(help: "Replace a file of the same kind that viewport did not make; its own are replaced without.")
    var overwrite = false
}

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
