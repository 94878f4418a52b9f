#if CommandLine
import ArgumentParser
import Basics
import PageComposition
import Thumbnails
import ViewportRendering

/// `viewport compose`: lays out and renders pages of pictures and text.
struct ComposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose",
        abstract: "Lay out pages of pictures and text.",
        discussion: """
            A layout is JSON with views, visual formats and constraints. Its block
            portrait or landscape applies by the size. With --manifest, each line makes a
            page: its path and other members fill {path} and {NAME} in the layout.
            Without a layout, the path of each line is one.
            """,
        examples: [
            "viewport compose card.json --size 320x480 -o card.png": "A page of 320 x 480 pixels",
            "viewport compose card.json --size 320x480 --scale 2 -o card.jpg":
                "The same page with 2 pixels per point",
            "viewport compose card.json --size 595x842 -o card.pdf": "An A4 page as PDF",
            "viewport compose card.json --size 480x320 --json": "The frames of the views, without rendering",
            "viewport compose card.json -s 600x400 --manifest list.jsonl -o '{stem}.jpg'":
                "A page for every photo of a list",
        ])

    @Argument(help: "Layout, a JSON file.", completion: .file())
    var layout: String?

    @OptionGroup(title: "Page") var page: PageArguments
    @OptionGroup(title: "Many pages") var batch: ManifestArguments
    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if layout == nil, batch.manifest == nil {
            throw ValidationError("give a layout, or a list of layouts with --manifest")
        }
        try batch.requireManifest()
        if batch.manifest != nil {
            guard page.output != "-" else {
                throw ValidationError("standard output takes one page: give -o a path with {stem} or {id}")
            }
            _ = try page.template
        }
    }

    func run() throws {
        if page.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        guard batch.manifest == nil, let layout else { return try composeMany() }
        let composer = try page.composer(isRendered: page.isRendered)
        do throws(RenderingError) {
            if page.isRendered { try composer.checkPixels() }
        } catch {
            throw PageError(painting: error, of: layout)
        }
        let laid = try composer.page(PageLayout(layout))
        for sentence in laid.missing { StandardError.write("viewport: \(sentence)\n") }
        for sentence in laid.conflicts { StandardError.write("viewport: \(layout): \(sentence)\n") }
        guard page.isRendered else { return print(report(laid, to: nil)) }
        let path = try page.path(for: layout)
        try OutputName.makeFolder(page.output)
        let output = PictureOutput(
            path, kind: try page.resolvedFormat().kind, inputs: [layout] + laid.imagePaths,
            overwrites: page.overwriting.overwrite)
        try output.check()
        do {
            try output.write(page.encoding.file(of: laid))
        } catch let error as RenderingError {
            throw PageError(painting: error, of: layout)
        }
        if page.json {
            output.report(report(laid, to: path))
        } else if page.output != path, !output.isStandardOutput {
            try StandardOutput.write(path: path)
        }
    }

    private func report(_ laid: Page, to output: String?) -> JSONValue {
        let missing = laid.missing.isEmpty ? nil : JSONValue.array(laid.missing.map(JSONValue.string))
        return .object(
            laid.json + [
                ("missing", missing), ("output", output.map(JSONValue.string)),
                ("outputs", output.map { .outputs($0) }),
            ])
    }

    // MARK: Many pages

    private func composeMany() throws {
        ThumbnailMaker.prepareForBatch()
        let inputs = [layout, batch.manifest].compactMap(\.self)
        let work = PageWork(
            try layout.map { path throws(PageError) in try PageLayout(path) }, try page.composer(),
            try page.encoding,
            to: try page.template, root: batch.pathRoot, inputs: inputs,
            overwrites: page.overwriting.overwrite)
        var run = BatchRun(work, batch, overwrites: page.overwriting.overwrite)
        run.inputs = inputs
        try run.run()
    }
}

extension PageError: ExitCoded, Remedied {
    var exit: Exit {
        switch kind {
        case .unreadable: .noInput
        case .invalid: .badInput
        case .noText: .unavailable
        case .picture(let error), .page(let error): error.exit
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
#endif
