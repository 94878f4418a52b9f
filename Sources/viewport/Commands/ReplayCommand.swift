#if CommandLine
import ArgumentParser
import Files
import Films
import Platform
import Replay
import ScrollModel
import ViewportGeometry
import ViewportRendering

/// `viewport replay`: plays a gesture script, prints a log and optionally writes a film.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play a script of gestures on a scroll view.",
        discussion: """
            The script is JSON Lines: a setup, then one action per line, each with an
            optional time "t" in seconds. Each line of the output is JSON: the state and the
            events that the line caused.
            """,
        examples: [
            "viewport replay fling.jsonl": "Print states and events",
            "viewport replay fling.jsonl --image big.jpg --frames film.webp": "Make a film of it",
        ])

    @Argument(help: "Script to play, or - for standard input.", completion: .file())
    var script: String

    @Option(
        help: "Image to show. Its upright size is the default of the setup's viewSize.", completion: .file())
    var image: String?

    @Option(
        help: ArgumentHelp(
            "Film to write: a folder for PNG frames, a .webp, .gif or .png file, or, with ffmpeg installed, a .mp4, "
                + ".mov, .mkv or .webm file."), completion: .file())
    var frames: String?

    @OptionGroup var overwriting: OverwriteArgument

    @Option(help: "Frames per second.")
    var fps = FrameRate(30)

    @Option(help: "Pixels per view point.")
    var scale: ScaleArgument = ScaleArgument(argument: "1")!

    @Option(help: "Background outside the image: \(Color.forms) (default transparent).")
    var background: Color?

    @OptionGroup(title: "Opening the image") var opening: OpenArguments

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if script == PipedInput.name, image == PipedInput.name {
            throw ValidationError(
                "standard input cannot be both the script and the image; give a file for one of them")
        }
        if frames != nil, image == nil { throw ValidationError("--frames needs an image; add --image") }
        if frames == "-" {
            throw ValidationError("--frames -: standard output has the log; give a file or a folder")
        }
        if let frames { _ = try Film.Form(output: frames) }
    }

    func run() throws {
        let file = try image.map { try opening.open($0) }
        let film = try frames.map { path in
            let inputs = [script] + (image.map { [$0] } ?? [])
            return try Film(
                of: file!,
                to: FilmOutput(
                    path: path, inputs: inputs, overwrites: overwriting.overwrite,
                    stream: StandardOutput.write),
                frameRate: fps,
                background: UserSettings.value(.background, option: background))
        }
        func add(_ view: ScrollView, _ number: Int) throws {
            try film?.add(Viewport(view, displayScale: scale.value), number: number)
        }
        var player = Player(
            image: file?.uprightSize.imageSize, framesPerSecond: film == nil ? nil : fps.value)
        let lines = try ScriptLines(script)
        while let line = try lines.next() {
            let answer: String?
            do {
                answer = try player.play(line, frame: add)
            } catch let error as ReplayError {
                throw InputError(.badInput, "\(PipedInput.shown(script)): \(error)")
            }
            guard let answer else { continue }
            print(answer)
            // Interactive input gets each answer immediately.
            if script == "-" { StandardOutput.flush() }
        }
        try player.finish(frame: add)
        try film?.finish()
    }
}

/// The lines of a script, one at a time.
final class ScriptLines {
    private let path: String
    /// The lines of a pipe, which a person may type; nil for a file, which is read at once.
    private let stream: LineReader?
    private var rest: ArraySlice<UInt8>

    /// - Throws: `RenderingError` if the script cannot be read.
    init(_ path: String) throws(RenderingError) {
        self.path = path
        (stream, rest) = try RenderingError.naming(PipedInput.shown(path)) { () throws(FileError) in
            PipedInput.isPiped(path)
                ? (try LineReader(path), []) : (nil, try InputFile.contents(path)[...])
        }
    }

    func next() throws(RenderingError) -> String? {
        if let stream {
            let line = try RenderingError.naming(PipedInput.shown(path)) { () throws(FileError) in
                try stream.next()
            }
            return line.map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }
}
#endif
