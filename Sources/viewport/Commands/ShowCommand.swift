#if CommandLine
import ArgumentParser
import Files
import RemoteFiles
import TerminalGraphics
import ViewportGeometry
import ViewportRendering

/// `viewport show`: shows images in the terminal.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show images in the terminal.",
        discussion: """
            Pictures are drawn by kitty's graphics, iTerm2's inline images or sixels, as
            the terminal answers, else as half blocks in color. The line below has name,
            format, size and place; names of places are GeoNames' (CC BY 4.0).

            arrows            move; with Shift, and Page Up and Down, by a page
            + -               zoom in and out about the middle
            0 1               the whole image; one of its pixels for one of the screen
            n p               the next and the previous image
            q, Esc, Ctrl-C    end

            Where standard input is no terminal, pictures are printed without keys.
            """,
        examples: [
            "viewport show big.jpg": "Show an image, and move and zoom with the keyboard",
            "viewport show photos/*.jpg": "Several images: n shows the next one",
            "viewport show --once photo.jpg": "Print the picture and end",
            "viewport show photo.jpg --protocol sixel > photo.six": "The bytes that show it",
        ])

    @Argument(
        help: ArgumentHelp("Images to show; - is standard input.", valueName: "images"), completion: .file())
    var given: [String]

    @Flag(help: "Print the pictures and end, without keys.")
    var once = false

    @Option(
        name: .customLong("protocol"),
        help: "How pictures are drawn (default: as the terminal can).")
    var graphics: GraphicsProtocol?

    @Option(help: "Background around and behind the image: \(Color.forms) (default: the terminal's).")
    var background: Color?

    @OptionGroup(title: "Input") var opening: OpenArguments

    @OptionGroup var quietness: QuietArguments

    func run() async throws {
        if given.count == 1, !opening.allowUntrusted {
            ViewportRuntime.leaveOutPlugins(unlessNeededFor: try PipedInput.path(given[0]))
        }
        let environment = TerminalEnvironment(ProcessEnvironment.variable)
        let isShown = StandardOutput.isTerminal && !environment.isDumb
        guard isShown || graphics != nil else { throw NoTerminal(images: given) }
        guard isShown else { return try await printPictures(TerminalScreen(environment, graphics!)) }
        // An image from standard input leaves the keys to the terminal that controls the process.
        let hasKeys = TerminalDevice.isStandardInput || given.contains(where: PipedInput.isPiped)
        let (device, events) = (TerminalDevice(), TerminalEvents())
        let screen = try TerminalScreen.asking(device, environment, graphics)
        guard !once, hasKeys, let device else { return try await printPictures(screen, events) }
        let viewer = TerminalViewer(given, background, screen, device, events) { image in
            try open(image) { $0.optimizesForRandomAccess = true }
        }
        try await viewer.run()
    }

    /// Prints the pictures one below the other, each with a line below it at a terminal.
    private func printPictures(_ screen: TerminalScreen, _ events: TerminalEvents? = nil) async throws {
        var failures = 0
        for image in given {
            do {
                try events?.check()
                let shown = try open(image)
                // The line below the picture, and that of the shell.
                let bounds = screen.bounds(rows: max(1, screen.rows - 2))
                guard
                    let request = ViewportRequest(.fitted(bounds)).resolve(
                        in: shown.file.uprightSize.imageSize)
                else { throw RenderingError.outside(file: shown.file.path, size: shown.file.uprightSize) }
                let renderer = ViewportRenderer(options: screen.options(background))
                let (picture, _) = try await renderer.render(request.viewport, of: shown.file)
                try screen.write(screen.painter.line(picture))
                if StandardOutput.isTerminal { try screen.write(Array("\(shown.summary)\n".utf8)) }
            } catch let error as any ExitCoded where given.count > 1 && !(error is OutputError) {
                failures += 1
                StandardError.write("viewport: \(PipedInput.named(sentence(for: error)))\n")
            }
        }
        if failures > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    private func open(_ image: String, _ change: (inout OpenOptions) -> Void = { _ in }) throws -> ShownImage
    {
        ShownImage(image, try opening.open(image, through: CacheSettings.caches(of: image), change))
    }

    /// Whether a word instead of a command's name is an image to show.
    ///
    /// - Throws: `ValidationError` where it is one, or a folder, that cannot be shown.
    static func takes(_ word: String) throws -> Bool {
        let name = ValidationError.printable(word)
        if OutputName.isFolder(word) {
            throw ValidationError(
                "'\(name)' is a folder, not a command; did you mean `viewport serve \(name) --open`, or "
                    + "`viewport show \(FilePath(word).appending("*.jpg").text)`?")
        }
        do throws(FileError) {
            if !RemoteAddress.isRemote(word) { try InputFile.check(word) }
        } catch {
            if error == .missing { return false }
        }
        guard !StandardOutput.isTerminal else { return true }
        throw ValidationError(
            "'\(name)' is a file, not a command; `viewport show \(name)` shows it in a terminal, and "
                + "`viewport render \(name)` makes a picture")
    }

    /// Nothing shows the pictures.
    struct NoTerminal: ExitCoded, CustomStringConvertible {
        let images: [String]

        var exit: Exit { .usage }
        var description: String {
            let name = images.count == 1 ? ValidationError.printable(images[0]) : "FILE"
            return
                "standard output is no terminal that shows pictures: make files with `viewport render \(name) "
                + "-o part.png`, or choose a --protocol to write its bytes"
        }
    }
}

extension GraphicsProtocol: ExpressibleByArgument {}
#endif
