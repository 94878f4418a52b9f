import ArgumentParser
import Files
import RemoteFiles
import RenderCaching
import Synchronization
import ViewportRendering

/// The path of a picture to write, and its format from the extension or an option.
struct OutputName {
    let path: String
    let format: PictureFormat

    /// - Parameters:
    ///   - output: the value of `-o`: a file, "-", or a folder that gets the picture under its default name.
    ///   - asked: the format of an option, and the option's name: "--format".
    ///   - name: the default name without an extension.
    /// - Throws: `ValidationError` if the extension and the option disagree, or if neither gives a format.
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
                "\(output): the extension means \(named.rawValue) and \(asked.by) \(asked.format.rawValue); "
                    + "change one of them")
        }
        guard let format = asked?.format ?? named else {
            throw ValidationError(
                "\(output): the extension is not that of a format: use .png, .jpg, .webp, .avif, .tif or --format"
            )
        }
        self.format = format
        path = output
    }

    /// Whether a path ends in "/" or is an existing folder.
    static func isFolder(_ path: String) -> Bool {
        path.hasSuffix("/") || Folder.isFolder(path, followingLinks: true)
    }

    /// Returns what follows the last dot of a file's name.
    static func ending(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        return name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last.map(String.init)
    }

    /// Returns a file's name without its extension; "stdin" for standard input.
    static func stem(of path: String) -> String {
        guard path != PipedInput.name else { return "stdin" }
        let name = fileName(of: path)
        return name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) } ?? name
    }

    /// Returns a file's name; of a URL that of its path.
    static func fileName(of path: String) -> String {
        let remote = try? RemoteAddress.isRemote(path) ? RemoteAddress(path).fileName : nil
        return remote ?? path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Creates the folder of a path that ends in "/" if it is missing.
    static func makeFolder(_ output: String?) throws(OutputError) {
        guard let output, output.hasSuffix("/"), output != "/" else { return }
        let folder = String(output.dropLast())
        try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
    }
}

/// Whether files that viewport did not write may be replaced.
struct OverwriteArgument: ParsableArguments {
    @Flag(help: "Replace a file of the same kind that viewport did not write. Its own are always replaced.")
    var overwrite = false
}

/// Standard input as an image: "-".
enum PipedInput {
    static let name = "-"

    /// Standard input could not be copied to a file for decoders.
    struct Unreadable: ExitCoded, CustomStringConvertible {
        let reason: String

        var exit: Exit { .noInput }
        var description: String { "standard input: cannot be read: \(reason)" }
    }

    private static let spooled = Mutex<String?>(nil)

    /// Returns the path of an image; standard input is copied to a file on the first call.
    ///
    /// - Throws: `Unreadable`, or a `RenderingError` for standard input.
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

    /// Returns the sentence with "standard input" instead of the path of its copy.
    static func named(_ sentence: String) -> String {
        spooled.withLock { $0 }.map { sentence.replacing($0, with: "standard input") } ?? sentence
    }
}
