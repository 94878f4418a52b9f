import ArgumentParser
import Basics
import Files
import ImageMetadata

/// `viewport extract-video`: writes the films inside of motion photos to files of their own.
struct ExtractVideoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract-video",
        abstract: "Write the films inside of motion photos to files.",
        discussion: """
            Motion photos of Android and Samsung hold a film behind the picture. It is
            copied as it is, and the photo is never changed. `viewport info` and `viewport
            library show` name the film. Photos without a film are errors.
            """,
        examples: [
            ("viewport extract-video PXL_20210101.MP.jpg", "Write PXL_20210101.MP.mp4 to this folder"),
            ("viewport extract-video photos/*.jpg -o films/ --json", "The films of several photos"),
        ])

    @Argument(help: "Motion photos: JPEG, HEIC or AVIF files.")
    var images: [String]

    @Option(
        name: .shortAndLong,
        help:
            "File or folder to write, with .mp4 or .mov; - is standard output (default: this folder)."
    )
    var output: String?

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(help: "Print one line of JSON per photo.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if json, output == "-" { throw ValidationError("--json and -o - both need standard output") }
        if images.count > 1, let output, !OutputName.isFolder(output) {
            throw ValidationError("\(output): several photos need a folder; end its name with /")
        }
    }

    /// A photo that has no film to write.
    struct NoFilm: ExitCoded, CustomStringConvertible {
        var description: String
        var exit: Exit
    }

    func run() throws {
        try OutputName.makeFolder(output)
        var failures = 0
        for image in images {
            do {
                let (path, film) = try extract(image)
                if json {
                    print(
                        JSONValue.object([
                            ("path", .string(image)), ("output", .string(path)),
                            ("bytes", .int(film.range.count)), ("kind", .string(film.kind.rawValue)),
                            ("format", .string(film.format.rawValue)),
                        ]))
                } else if path != "-" {
                    say("\(path): \(film.range.count) bytes")
                }
            } catch let error as NoFilm where images.count > 1 {
                failures += 1
                StandardError.write("viewport: \(error)\n")
                if json {
                    print(JSONValue.object([("path", .string(image)), ("error", .string("\(error)"))]))
                }
            }
        }
        if failures > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    private func extract(_ image: String) throws -> (path: String, film: EmbeddedFilm) {
        let file: OpenFile
        do {
            file = try OpenFile(image)
        } catch {
            throw NoFilm(description: "\(image): \(error)", exit: .noInput)
        }
        let film: EmbeddedFilm
        do {
            guard let found = try EmbeddedFilm.find(in: FileBytes(file)) else {
                throw NoFilm(description: "\(image): is no motion photo, it states no film", exit: .badInput)
            }
            film = found
        } catch let error as EmbeddedFilmError {
            throw NoFilm(description: "\(image): \(error)", exit: .badInput)
        }
        if output == "-" {
            try StandardOutput.refuseTerminal()
            try Self.each(film.range, of: file, StandardOutput.write)
            return ("-", film)
        }
        let name = "\(OutputName.stem(of: image)).\(film.format.rawValue)"
        let path =
            output.map { OutputName.isFolder($0) ? "\($0)\($0.hasSuffix("/") ? "" : "/")\(name)" : $0 }
            ?? name
        let output = Output(path, .movie, inputs: images, overwrites: overwriting.overwrite) { there in
            Self.isSame(there, film.range, of: file)
        }
        try OutputError.naming(path) { try Self.write(film.range, of: file, to: output) }
        return (path, film)
    }

    /// The bytes that are copied at once.
    private static let piece = 1 << 20

    private static func write(_ range: Range<Int>, of file: OpenFile, to output: Output) throws {
        try output.check()
        let hidden = try output.isSpecial ? output.path : output.hiddenPath()
        do {
            let rows = try RowFile(hidden, isOutput: true)
            try each(range, of: file, rows.append)
            try rows.flush()
            try file.check()
            if !output.isSpecial { try output.publish(hidden) }
        } catch {
            if !output.isSpecial { OutputFile.remove(hidden) }
            throw error
        }
    }

    private static func each(
        _ range: Range<Int>, of file: OpenFile, _ body: ([UInt8]) throws(FileError) -> Void
    ) throws(FileError) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
            try body(file.bytes(start..<min(start + piece, range.upperBound)))
        }
    }

    /// Whether a file has the bytes of the film already.
    private static func isSame(_ path: String, _ range: Range<Int>, of file: OpenFile) -> Bool {
        guard let other = try? OpenFile(path), other.count == range.count else { return false }
        return stride(from: 0, to: range.count, by: piece).allSatisfy { start in
            let end = min(start + piece, range.count)
            let own = try? file.bytes((range.lowerBound + start)..<(range.lowerBound + end))
            return own != nil && own == (try? other.bytes(start..<end))
        }
    }
}

extension EmbeddedFilm {
    /// The film of a file in a report; a film that is stated and missing has a defect.
    static func report(
        _ find: () throws(EmbeddedFilmError) -> EmbeddedFilm?
    ) -> (members: JSONValue?, text: String?) {
        do {
            guard let film = try find() else { return (nil, nil) }
            let members: [(String, JSONValue?)] = [
                ("kind", .string(film.kind.rawValue)), ("format", .string(film.format.rawValue)),
                ("start", .int(film.range.lowerBound)), ("bytes", .int(film.range.count)),
            ]
            let text = "\(film.kind.rawValue), \(film.range.count) bytes at \(film.range.lowerBound)"
            return (.object(members), text)
        } catch {
            return (.object([("defect", .string(error.description))]), error.description)
        }
    }
}
