import ArgumentParser
import Basics
import Files
import PageComposition
import Thumbnails
import ViewportGeometry
import ViewportRendering

#if Library
import PhotoCatalog
#endif

/// `viewport compose`: lays out and renders pages of pictures and text.
struct ComposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose",
        abstract: "Lay out pages of pictures and text.",
        discussion: """
            LAYOUT is JSON with views, visual formats and constraints; its block portrait or
            landscape applies by the size. With --manifest, each line makes a page: its path
            and other members fill {path} and {NAME} in LAYOUT. Without LAYOUT, the path of
            each line is a layout.
            """,
        examples: [
            ("viewport compose card.json --size 320x480 -o card.png", "A page of 320 x 480 pixels"),
            (
                "viewport compose card.json --size 320x480 --scale 2 -o card.jpg",
                "The same page with 2 pixels per point"
            ),
            ("viewport compose card.json --size 595x842 -o card.pdf", "An A4 page as PDF"),
            (
                "viewport compose card.json --size 480x320 --json",
                "The frames of the views, without rendering"
            ),
            (
                "viewport compose card.json --size 600x400 --manifest photos.jsonl -o 'cards/{stem}.jpg'",
                "A page for every photo of a list"
            ),
        ])

    @Argument(help: "Layout, a JSON file.")
    var layout: String?

    @Option(name: .shortAndLong, help: "Size of the page in points: WxH, or W for a square.")
    var size: SizeArgument

    @Option(help: "Pixels per point (default 1, for PDF 4).")
    var scale: ScaleArgument?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "File or folder to write; - is standard output (default NAME.viewport.png). With --manifest, a path with {id} {name} {stem} {ext} {dir} {size} {width} {height} (default pages/{dir}/{stem}.png).",
            valueName: "output"))
    var output: String?

    @Option(help: "Format: pdf or that of a picture (default: from the output name, else png).")
    var format: PageFormat?

    @Option(help: "Color of the paper: a CSS color or transparent.")
    var background: Color = .white

    @Option(
        name: [.customShort("Q"), .long], help: "Quality of jpg, webp, avif and of JPEGs in a PDF, 1 to 100.")
    var quality: Int?

    @Flag(help: "Store pictures in a PDF without loss.")
    var lossless = false

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(
        help:
            "Print the layout as one line of JSON; without -o, render nothing. With --manifest, print the results."
    )
    var json = false

    @Option(help: "Refuse pictures with more pixels, before decoding them.")
    var maxPixels: Int?

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    @OptionGroup(title: "Many pages") var batch: ManifestArguments
    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        try require("--quality", quality, in: 1...100, example: 85)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        if size.both == nil {
            throw ValidationError(
                refusing: size.text, of: "--size", because: "one side is missing", give: "both sides",
                example: "320x480")
        }
        if layout == nil, batch.manifest == nil {
            throw ValidationError("give a layout, or a list of layouts with --manifest")
        }
        let isPDF = try resolvedFormat() == .pdf
        if lossless, !isPDF { throw ValidationError("--lossless needs a .pdf output") }
        if batch.manifest == nil, batch.results != nil || batch.shard != nil {
            throw ValidationError("--results and --shard need --manifest")
        }
        if batch.retryFailed, !batch.resume { throw ValidationError("--retry-failed needs --resume") }
        if batch.manifest != nil {
            guard output != "-" else {
                throw ValidationError("standard output takes one page: give -o a path with {stem} or {id}")
            }
            _ = try template
        }
    }

    func run() throws {
        if allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        guard batch.manifest == nil, let layout else { return try composeMany() }
        let page = try composer(isRendered: rendersPage).page(PageLayout(layout))
        for sentence in page.missing { StandardError.write("viewport: \(sentence)\n") }
        for sentence in page.conflicts { StandardError.write("viewport: \(layout): \(sentence)\n") }
        guard rendersPage else { return print(report(page, to: nil)) }
        let path = try path(for: layout)
        try OutputName.makeFolder(self.output)
        let output = PictureOutput(
            path, kind: try encoding.format.kind, inputs: [layout] + page.imagePaths,
            overwrites: overwriting.overwrite)
        try output.check()
        do {
            try output.write(encoding.file(of: page))
        } catch let error as RenderingError {
            throw PageError(painting: error, of: layout)
        }
        if json {
            output.report(report(page, to: path))
        } else if self.output != path, !output.isStandardOutput {
            try StandardOutput.write(path: path)
        }
    }

    /// Whether a page is written, not only laid out.
    private var rendersPage: Bool { output != nil || format != nil || !json }

    private func report(_ page: Page, to output: String?) -> JSONValue {
        let missing = page.missing.isEmpty ? nil : JSONValue.array(page.missing.map(JSONValue.string))
        return .object(page.json + [("missing", missing), ("output", output.map(JSONValue.string))])
    }

    private func composer(isRendered: Bool = true) throws -> PageComposer {
        // A screen's resolution would be coarse on paper.
        let usual = try isRendered && resolvedFormat() == .pdf ? 4.0 : 1
        guard let points = size.both else { throw ValidationError("give --size both sides") }
        var composer = PageComposer(size: points, scale: scale?.value ?? usual)
        composer.opening.maximumPixels = maxPixels
        #if Library
        composer.placeName = { InstalledPlaces.names?.name(latitude: $0, longitude: $1) }
        #endif
        return composer
    }

    private var encoding: PageEncoding {
        get throws {
            var encoding = PageEncoding(try resolvedFormat())
            encoding.background = background
            encoding.quality = quality
            encoding.isLossless = lossless
            return encoding
        }
    }

    // MARK: Names

    /// Returns the format of `--format`, else of the output name, else PNG.
    private func resolvedFormat() throws -> PageFormat {
        guard let output, output != "-", !OutputName.isFolder(output) else { return format ?? .picture(.png) }
        let named = OutputName.ending(of: output).flatMap(PageFormat.init(argument:))
        if let format, let named, format != named {
            throw ValidationError(
                "\(output): the extension means \(named.fileExtension) and --format \(format.fileExtension); "
                    + "change one of them")
        }
        guard let format = format ?? named else {
            throw ValidationError(
                "\(output): the extension is not that of a format: use .png, .jpg, .webp, .pdf or --format")
        }
        return format
    }

    private func path(for layout: String) throws -> String {
        let name = "\(OutputName.stem(of: layout)).viewport.\(try resolvedFormat().fileExtension)"
        guard let output else { return name }
        guard output != "-", OutputName.isFolder(output) else { return output }
        return output.hasSuffix("/") ? output + name : "\(output)/\(name)"
    }

    private var template: OutputTemplate {
        get throws {
            let name = "{dir}/{stem}.\(try resolvedFormat().fileExtension)"
            let text =
                switch output {
                case nil: "pages/\(name)"
                case let folder? where OutputName.isFolder(folder):
                    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                case let template?: template
                }
            do throws(OutputTemplate.SyntaxError) {
                return try OutputTemplate(text)
            } catch {
                throw ValidationError("--output \(text): \(error)")
            }
        }
    }

    // MARK: Many pages

    private func composeMany() throws {
        ThumbnailMaker.prepareForBatch()
        let inputs = [layout, batch.manifest].compactMap(\.self)
        let work = PageWork(
            try layout.map { path throws(PageError) in try PageLayout(path) }, try composer(), try encoding,
            to: try template, root: batch.pathRoot, inputs: inputs, overwrites: overwriting.overwrite)
        let list = try BatchList(manifest: batch.manifest ?? "-", root: batch.pathRoot)
        let printsResults = batch.results == nil
        let log = try batch.log(
            inputs: inputs, prints: printsResults, overwrites: overwriting.overwrite
        ) { [batch] in $0.stands(work, batch.pathRoot, retriesFailed: batch.retryFailed) }
        let plan = BatchPlan(list, for: work, shard: try batch.resolvedShard()) {
            log?.has($0, work.fingerprint(of: $0)) ?? false
        }
        var run = Batch(work, jobs: batch.jobs ?? ThumbnailMaker.processors)
        run.allowedFailures = batch.allowedFailures
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let progress = BatchProgressLine()
        let reporter = ResultReporter(
            log: log, progress: progress, saysFailures: !printsResults, saysPaths: false)
        let summary = try run.run(plan, isStopped: { flag.isRaised }) { result, sums throws(BatchError) in
            try reporter.report(result)
            progress.show(sums)
        }
        progress.clear()
        StandardError.note(summary.sentence(kept: log?.kept ?? 0))
        try flag.check()
        if summary.unwritten > 0 { throw ExitCode(Exit.cannotWrite.rawValue) }
        if summary.failed > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }
}

#if Library
/// The towns that `viewport library places` installed.
private enum InstalledPlaces {
    /// Read when a page first names a place; a list that cannot be read counts as none.
    static let names = (try? PlaceNames.installed()) ?? nil
}
#endif

extension PageFormat: ExpressibleByArgument, Explained {
    package init?(argument: String) {
        if argument.lowercased() == "pdf" {
            self = .pdf
        } else if let format = PictureFormat(fileExtension: argument) {
            self = .picture(format)
        } else {
            return nil
        }
    }

    package var defaultValueDescription: String { fileExtension }

    static var understood: String { "pdf or " + PictureFormat.understood }
    static var example: String { "pdf" }
}

extension PageError: ExitCoded, Remedied {
    var exit: Exit {
        switch kind {
        case .unreadable: .noInput
        case .invalid: .badInput
        case .noText: .unavailable
        case .picture(let error), .page(let error): Exit(error)
        }
    }

    var remedy: String? {
        switch kind {
        case .picture(let error): error.remedy
        case .page(.pictureTooLarge): "choose a smaller --size or --scale"
        case .page(let error): error.remedy
        case .unreadable, .invalid, .noText: nil
        }
    }
}
