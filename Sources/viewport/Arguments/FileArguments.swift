#if CommandLine
import ArgumentParser
import Batches
import Containers
import Files
import ImageMetadata
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
    ///   - inFolder: that in a folder; nil for the same.
    /// - Throws: `ValidationError` if the extension and the option disagree, or if neither gives a format.
    init(
        _ output: String?, asked: (format: PictureFormat, by: String)?, default name: String,
        inFolder: String? = nil, usual: PictureFormat = .png
    ) throws {
        guard let output, output != "-" else {
            format = asked?.format ?? usual
            path = output ?? "\(name).\(format.rawValue)"
            return
        }
        if Self.isFolder(output) {
            format = asked?.format ?? usual
            let separator = output.hasSuffix("/") ? "" : "/"
            path = "\(output)\(separator)\(OutputFile.name(of: inFolder ?? name)).\(format.rawValue)"
            return
        }
        format = try Self.format(of: output, asked: asked, from: ".png, .jpg, .webp, .avif, .tif") {
            PictureFormat(fileExtension: $0)
        }
        path = output
    }

    /// Returns the format of an option, else of the extension of a path, which is one of `extensions`.
    ///
    /// - Throws: `ValidationError` if they disagree, or if neither gives a format.
    static func format<Format: ExpressibleByArgument & Equatable>(
        of output: String, asked: (format: Format, by: String)?, from extensions: String,
        named: (String) -> Format?
    ) throws -> Format {
        let named = ending(of: output).flatMap(named)
        if let asked, let named, asked.format != named {
            throw ValidationError(
                "\(output): the extension means \(named.defaultValueDescription) and \(asked.by) "
                    + "\(asked.format.defaultValueDescription); change one of them")
        }
        guard let format = asked?.format ?? named else {
            let folder = ending(of: output) == nil ? "; for a folder write \(output)/" : ""
            throw ValidationError(
                "\(output): the extension is not that of a format: use \(extensions) or --format\(folder)")
        }
        return format
    }

    /// Whether an output is for any format: a folder, or a path with {format} as its extension.
    static func isForAnyFormat(_ output: String) -> Bool {
        isFolder(output) || ending(of: output) == "{format}"
    }

    /// Whether a path ends in "/" or is an existing folder.
    static func isFolder(_ path: String) -> Bool {
        path.hasSuffix("/") || Folder.isFolder(path, followingLinks: true)
    }

    /// Returns what follows the last dot of a file's name.
    static func ending(of path: String) -> String? {
        let name = FilePath(path).names.last?.text ?? ""
        return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .dropFirst().last.map { String(Substring($0)) }
    }

    /// Returns the format that is written under the extension of a name; nil for others.
    static func pictureFormat(of path: String) -> PictureFormat? {
        ending(of: path).flatMap(PictureFormat.init(fileExtension:))
    }

    /// Returns a file's name without its extension; "stdin" for standard input.
    static func stem(of path: String) -> String {
        guard !PipedInput.isPiped(path) else { return "stdin" }
        return FilePath(fileName(of: path)).withoutExtension.text
    }

    /// Returns a file's name; of a URL that of its path.
    static func fileName(of path: String) -> String {
        let remote = try? RemoteAddress.isRemote(path) ? RemoteAddress(path).fileName : nil
        return remote ?? FilePath(path).names.last?.text ?? path
    }

    /// Creates the folder of a path that ends in "/" if it is missing.
    static func makeFolder(_ output: String?) throws(OutputError) {
        guard let output, output.hasSuffix("/"), output != "/" else { return }
        let folder = String(output.dropLast())
        try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
    }
}

extension OutputTemplate {
    /// Whether the paths of several files can differ.
    var isForMany: Bool { Place.allCases.contains(where: uses) }

    /// Whether the value of `-o` has places.
    static func isForMany(_ output: String?) -> Bool {
        output.flatMap { try? OutputTemplate($0) }?.isForMany ?? false
    }
}

/// Whether files that viewport did not write may be replaced.
struct OverwriteArgument: ParsableArguments {
    @Flag(help: "Replace a file of the same kind that viewport did not write. Its own are always replaced.")
    var overwrite = false
}

/// Input that can be read once, from its start: standard input, "-", or a pipe such as the one of `<(…)`.
enum PipedInput {
    static let name = "-"

    /// Copies by the path of their pipe.
    private static let copies = Mutex<[FilePath: String]>([:])

    /// Whether an argument is standard input or the path of a pipe.
    static func isPiped(_ argument: String) -> Bool { argument == name || InputFile.isPipe(argument) }

    /// Returns the path of an image; a pipe is copied to a file on the first call.
    ///
    /// Reading ends after 64 KiB that no image begins with.
    ///
    /// - Throws: `InputError` if it cannot be copied, or a `RenderingError` for the pipe.
    static func path(_ argument: String) throws -> String {
        if let copy = copies.withLock({ $0[FilePath(argument)] }) { return copy }
        guard isPiped(argument) else { return argument }
        let limit = try CacheSettings.folder().capacity
        do throws(FileError) {
            let copy = try StandardInputFile.path(of: pipe(argument), limit: limit, isKnown: isImage)
            copies.withLock { $0[FilePath(argument)] = copy }
            return copy
        } catch {
            if case .unreadable(let reason) = error {
                throw InputError(.noInput, "\(shown(argument)): cannot be read: \(reason)")
            }
            throw RenderingError(error, file: shown(argument))
        }
    }

    /// Returns the bytes of a text, from a file or a pipe.
    static func text(_ argument: String, limit: Int) throws(FileError) -> [UInt8] {
        guard isPiped(argument) else { return try InputFile.contents(argument) }
        let copy = try StandardInputFile.path(of: pipe(argument), limit: limit) { head in
            (try? InputFile.contents(head))?.contains(0) != true
        }
        return try InputFile.contents(copy)
    }

    /// Returns the sentence with the names of pipes instead of the paths of their copies.
    static func named(_ sentence: String) -> String {
        copies.withLock { $0 }.reduce(sentence) { $0.replacing($1.value, with: shown($1.key.text)) }
    }

    /// The name of a pipe in messages.
    static func shown(_ argument: String) -> String { argument == name ? "standard input" : argument }

    private static func pipe(_ argument: String) -> String? { argument == name ? nil : argument }

    /// Whether a file begins like a picture or a video.
    private static func isImage(_ path: String) -> Bool {
        // ImageMagick takes the zeros of /dev/zero for a TGA picture.
        if (try? InputFile.contents(path))?.allSatisfy({ $0 == 0 }) == true { return false }
        // Photos and videos are recognized without libvips, which would be started with all of its plug-ins.
        if let file = try? OpenFile(path), FileFormat(FileBytes(file), name: "") != nil { return true }
        do throws(RenderingError) {
            _ = try ImageFile.open(path)
            return true
        } catch {
            guard case .unknownFormat = error else { return true }
            return false
        }
    }
}
#endif
