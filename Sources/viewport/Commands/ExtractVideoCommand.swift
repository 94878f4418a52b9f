#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
import Films
import ImageMetadata

/// `viewport extract-video`: writes the films inside of motion photos to files of their own.
struct ExtractVideoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract-video",
        abstract: "Write the films inside of motion photos to files.",
        discussion: """
            Motion photos of phones hold a film behind the picture, even where nothing in
            the file says so. It is copied as it is, and the photo is never changed.
            `viewport info` and `viewport library show` name the film. Photos without a
            film are errors.
            """,
        examples: [
            "viewport extract-video PXL_20210101.MP.jpg": "Write PXL_20210101.MP.mp4 to this folder",
            "viewport extract-video photos/*.jpg -o films/ --json": "The films of several photos",
        ])

    @Argument(help: "Motion photos: JPEG, HEIC or AVIF files.", completion: .file())
    var images: [String]

    @Option(
        name: .shortAndLong,
        help:
            "File or folder to write, with .mp4 or .mov; - is standard output (default: this folder).",
        completion: .file())
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

    func run() throws {
        try OutputName.makeFolder(output)
        var failures = 0
        for image in images {
            do {
                let (path, film) = try extract(image)
                if json {
                    print(json: [
                        "path": .string(image), "output": .string(path),
                        "outputs": .outputs(path),
                        "bytes": .int(film.range.count), "kind": .string(film.kind.rawValue),
                        "format": .string(film.format.rawValue),
                    ])
                } else if path != "-" {
                    say("\(path): \(film.range.count) bytes")
                }
            } catch let error as InputError where images.count > 1 {
                failures += 1
                StandardError.write("viewport: \(error)\n")
                if json {
                    print(JSONValue.failure(image, error))
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
            throw InputError(.noInput, "\(image): \(error)")
        }
        let film: EmbeddedFilm
        do {
            guard let found = try EmbeddedFilm.find(in: FileBytes(file)) else {
                throw InputError(.badInput, "\(image): is no motion photo, it states no film")
            }
            film = found
        } catch let error as EmbeddedFilmError {
            let isUnreadable = if case .unreadable = error { true } else { false }
            throw InputError(isUnreadable ? .noInput : .badInput, "\(image): \(error)")
        }
        let copying = FilmExtraction(film, of: file)
        if output == "-" {
            try StandardOutput.refuseTerminal()
            try copying.copy(StandardOutput.write)
            return ("-", film)
        }
        let name = "\(OutputName.stem(of: image)).\(film.format.rawValue)"
        let path =
            output.map { OutputName.isFolder($0) ? "\($0)\($0.hasSuffix("/") ? "" : "/")\(name)" : $0 }
            ?? name
        let output = Output(
            path, .movie, inputs: images, overwrites: overwriting.overwrite, isOwn: copying.isSame(as:))
        try OutputError.naming(path) { try copying.write(to: output) }
        return (path, film)
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
            return (.object(["defect": .string(error.description)]), error.description)
        }
    }
}
#endif
