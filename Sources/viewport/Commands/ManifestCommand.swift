#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
import Presentation
import ViewportRendering

/// `viewport manifest`: writes a IIIF manifest of the images of a folder.
struct ManifestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Write a IIIF manifest of the images of a folder, for viewers such as Mirador.",
        discussion: """
            The manifest follows the IIIF Presentation API 3.0. It refers to the images at a
            server of the IIIF Image API: `viewport serve FOLDER` at the URL of --base-url,
            which serves manifests of each folder by itself, too.

            Images are in natural order: page 2 before page 10. Each page of a TIFF is a
            canvas. With --recursive, each folder below becomes a range. Exit code 3: some images are left out, each with a line
            that says why.
            """,
        examples: [
            "viewport manifest scans --base-url https://images.example.org":
                "manifest.json of the images that are served at the URL",
            "viewport manifest book --base-url https://example.org --behavior paged":
                "Pages of a book",
        ])

    @Argument(help: "Folder of the images.", completion: .directory)
    var folder: String

    @Flag(name: .shortAndLong, help: "Include all images below folders, except hidden ones.")
    var recursive = false

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp("URL of the server of the folder, without /iiif.", valueName: "url"))
    var baseURL: String

    @Option(
        help: ArgumentHelp(
            "URL of the manifest (default: that of the server).", valueName: "url"))
    var id: String?

    @OptionGroup(title: "Manifest") var manifest: ManifestContents

    @Option(
        name: .shortAndLong, help: "File to write; - is standard output.", completion: .file())
    var output = "manifest.json"

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(help: "Report the result as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        for (name, url) in [("--base-url", baseURL), ("--id", id)] {
            guard let url, !ManifestOptions.isAddress(url) else { continue }
            throw ValidationError(
                refusing: url, of: name, give: "an http or https URL", example: "https://images.example.org")
        }
    }

    /// The number of images whose canvases are in memory at a time.
    private static let chunk = 1000

    func run() throws {
        let path = folder.hasSuffix("/") && folder != "/" ? String(folder.dropLast()) : folder
        let images = try RenderingError.naming(folder) { () throws(FileError) in
            try FolderImages(of: path, isRecursive: recursive)
        }
        let all = images.all
        guard !all.isEmpty else {
            throw ValidationError("\(PathText.shown(folder)): has no images; give a folder with images in it")
        }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        let id = id ?? "\(base)/presentation/manifest.json"
        let name = FilePath(ProcessEnvironment.absolutePath(path)).name.text
        let head = manifest.options.manifest(id: id, name: PathText.shown(name))
        let output = try ManifestOutput(self.output, start: head.start, overwrites: overwriting.overwrite)
        defer { output.discard() }
        let line = ProgressLine("reading \(all.count) images")
        defer { line.clear() }
        try output.append(head.opening)
        var failures: [(path: String, error: RenderingError)] = []
        var pages: [FilePath: [String]] = [:]
        var count = 0
        for start in stride(from: 0, to: all.count, by: Self.chunk) {
            try interruption.flag.check()
            let names = all[start..<min(start + Self.chunk, all.count)]
            let options = manifest.options
            let canvases = Processors.map(below: names.count) {
                index -> Result<[(mark: String, text: String)], RenderingError> in
                let name = names[names.startIndex + index]
                return Result { () throws(RenderingError) in
                    try ImageFacts(of: "\(path)/\(name)").ofPages.map { page in
                        let canvas = options.canvas(
                            page, identifier: name, base: base,
                            id: Self.canvas(name + page.pageMark, of: id))
                        return (page.pageMark, canvas.text)
                    }
                }
            }
            for (name, canvas) in zip(names, canvases) {
                switch canvas {
                case .success(let canvases):
                    let text = canvases.map(\.text).joined(separator: ",")
                    try output.append(count > 0 ? "," + text : text)
                    pages[FilePath(name)] = canvases.map { Self.canvas(name + $0.mark, of: id) }
                    count += 1
                case .failure(let error):
                    failures.append(("\(path)/\(name)", error))
                }
            }
            line.show(Double(min(start + Self.chunk, all.count)) / Double(all.count))
        }
        line.clear()
        for failure in failures { StandardError.write("viewport: \(sentence(for: failure.error))\n") }
        if count == 0 { throw ExitCode(Exit.someFailed.rawValue) }
        var tail = head
        tail.ranges = images.ranges {
            "\(id)/range/\(PercentCoding.encode($0))"
        } canvases: {
            pages[FilePath($0)] ?? []
        }
        try output.append(tail.closing)
        try output.publish()
        if json {
            let report = JSONValue.object([
                "path": .string(PathText.shown(folder)), "outputs": .outputs(self.output),
                "images": .int(count),
                "failures": .array(failures.map { .failure(PathText.shown($0.path), $0.error) }),
            ])
            if self.output == "-" { StandardError.write("\(report)\n") } else { print(report) }
        }
        if !failures.isEmpty { throw ExitCode(Exit.someFailed.rawValue) }
    }

    private static func canvas(_ identifier: String, of id: String) -> String {
        "\(id)/canvas/\(PercentCoding.encode(identifier))"
    }
}

/// What manifests say, as `viewport manifest` and `viewport serve` take it.
struct ManifestContents: ParsableArguments {
    @Option(help: "Title (default: the name of the folder).")
    var title: String?

    @Option(help: "Text that viewers must show; HTML if it begins with < and ends with >.")
    var attribution: String?

    @Option(
        help: ArgumentHelp(
            "URL of a license of Creative Commons, or of a statement of RightsStatements.org.",
            valueName: "url"))
    var rights: String?

    @Option(
        help:
            "Metadata of files: none, some (titles, keywords, dates, cameras, rights), or all (also positions)."
    )
    var metadata = ManifestOptions.Metadata.some

    @Option(help: "How viewers arrange the images: individuals, paged or continuous.")
    var behavior: ManifestOptions.Behavior?

    @Option(
        help: "Order of reading: left-to-right, right-to-left, top-to-bottom or bottom-to-top.")
    var direction: PresentationManifest.Direction?

    @Option(help: "Language of the texts in files, such as en or de-AT.")
    var language: String?

    func validate() throws {
        if let rights, !ManifestOptions.isAddress(rights) {
            throw ValidationError(
                refusing: rights, of: "--rights", give: "an http or https URL",
                example: "http://creativecommons.org/licenses/by/4.0/")
        }
        let isTag = language?.split(separator: "-", omittingEmptySubsequences: false).allSatisfy {
            (1...8).contains($0.utf8.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
        if let language, isTag == false {
            throw ValidationError(
                refusing: language, of: "--language", give: "a language tag", example: "en")
        }
    }

    var options: ManifestOptions {
        var options = ManifestOptions()
        options.title = title
        options.attribution = attribution
        options.rights = rights
        options.metadata = metadata
        options.behavior = behavior
        options.direction = direction
        if let language { options.language = language }
        return options
    }
}

extension ManifestOptions.Metadata: ExpressibleByArgument {}
extension ManifestOptions.Behavior: ExpressibleByArgument {}
extension PresentationManifest.Direction: ExpressibleByArgument {}

/// A manifest that is written in parts: to standard output, or to a hidden file that gets its name at the end.
private final class ManifestOutput {
    private let path: String
    private let output: Output?
    private var hidden: String?
    private var file: RowFile?

    /// - Parameter start: the text that tells a manifest of the same URL, which is replaced.
    init(_ path: String, start: String, overwrites: Bool) throws {
        self.path = path
        guard path != "-" else {
            output = nil
            try StandardOutput.refuseTerminal()
            return
        }
        let start = Array(start.utf8)
        let output = Output(path, .lines, inputs: [], overwrites: overwrites) {
            (try? InputFile.contents($0))?.starts(with: start) == true
        }
        self.output = output
        try OutputError.naming(path) { () throws(FileError) in
            try output.check()
            let hidden = output.isSpecial ? path : try output.hiddenPath()
            if !output.isSpecial { self.hidden = hidden }
            file = try RowFile(hidden, isOutput: true)
        }
    }

    func append(_ text: String) throws {
        try OutputError.naming(path == "-" ? StandardOutput.name : path) { () throws(FileError) in
            guard let file else { return try StandardOutput.write(Array(text.utf8)) }
            try file.append(Array(text.utf8))
        }
    }

    func publish() throws {
        try OutputError.naming(path) { () throws(FileError) in
            try file?.flush()
            file = nil
            if let hidden { try output?.publish(hidden) }
            hidden = nil
        }
    }

    func discard() {
        file = nil
        if let hidden { OutputFile.remove(hidden) }
    }
}
#endif
