import ArgumentParser
import Files
import ViewportGeometry
import ViewportRendering

/// A film: PNG files in a folder, an animation, a video written by ffmpeg, or raw video on standard output.
///
/// Frames are rendered on all processors and written in order.
final class Film {
    /// The output format.
    enum Form {
        case folder
        case animation(AnimationEncoder.Format)
        case video(VideoWriter.Container)
        case stream

        /// Selects the format by the file extension of the output; a folder without a known one.
        init(_ output: String) throws {
            let ending = OutputName.ending(of: output)?.lowercased() ?? ""
            if output == "-" {
                self = .stream
            } else if OutputName.isFolder(output) {
                self = .folder
            } else if let format = AnimationEncoder.Format(fileExtension: ending == "png" ? "apng" : ending) {
                self = .animation(format)
            } else if let container = VideoWriter.Container(rawValue: ending) {
                self = .video(container)
            } else if Self.otherEndings.contains(ending), !OutputFolder.isThere(output) {
                throw ValidationError(
                    "\(output): a film is .webp, .gif, .png, .apng, .mp4, .mov, .mkv, .webm or a folder of PNG "
                        + "files; for a folder with this name write \(output)/")
            } else {
                self = .folder
            }
        }

        /// File extensions that are unlikely names of folders.
        private static let otherEndings: Set = [
            "avi", "m4v", "mpg", "mpeg", "wmv", "flv", "ogv", "ts", "y4m", "jpg", "jpeg", "avif", "tif",
            "tiff",
            "jxl", "heic", "jp2", "zip", "tar", "pdf",
        ]

        /// Whether frames may have transparent pixels.
        private var hasAlpha: Bool {
            switch self {
            case .folder, .animation: true
            case .video, .stream: false
            }
        }

        /// Whether frames are stored as PNG.
        var isPNG: Bool {
            switch self {
            case .folder, .animation(.apng): true
            case .animation, .video, .stream: false
            }
        }

        /// Returns the background of frames.
        func background(_ color: Color) -> Color { hasAlpha ? color : color.over(.white) }

        /// Returns a picture as `Writer` takes it; this runs on all processors.
        fileprivate func frame(_ picture: Picture, _ compression: PNGCompression) throws -> Frame {
            switch self {
            case .folder:
                var encoder = PictureEncoder(.png)
                // There is one thread per processor already.
                encoder.threads = 1
                encoder.compression = compression
                return Frame(size: picture.size, content: .bytes(try encoder.encode(picture)))
            case .animation: return Frame(size: picture.size, content: .picture(picture))
            case .video: return Frame(size: picture.size, content: .bytes(try picture.rgba()))
            case .stream: return Frame(size: picture.size, content: .bytes(try RawVideo.frame(picture)))
            }
        }
    }

    /// A finished frame.
    struct Frame: Sendable {
        enum Content {
            case picture(Picture)
            case bytes([UInt8])
        }

        let size: PixelSize<OutputGrid>
        let content: Content
    }

    private let form: Form
    private let file: ImageFile
    private let renderer: ViewportRenderer
    private let writer: Writer
    private let compression: PNGCompression
    private let queue: FrameQueue<Frame>

    /// - Parameter checkInterruption: called often; its error ends the film.
    /// - Throws: `OutputError` or `VideoError` if the film could not be written later, or `RenderingError`.
    init(
        of file: ImageFile, to output: FilmOutput, frameRate: FrameRate, background: Color,
        compression: PNGCompression = .standard,
        checkInterruption: @escaping () throws -> Void = {}
    ) throws {
        let form = try Form(output.path)
        let writer = try Writer(form, output, frameRate, compression)
        var options = RenderOptions()
        options.background = form.background(background)
        // A bounce may pull the whole image out of the bounds.
        options.allowsEmptyPicture = true
        (self.form, self.writer, self.compression) = (form, writer, compression)
        renderer = ViewportRenderer(options: options)
        self.file = try file.sharedByFrames()
        queue = FrameQueue(checkInterruption: checkInterruption) { number, frame in
            try writer.write(frame, number)
        }
    }

    /// Starts rendering a frame, and writes those that are finished.
    func add(_ viewport: Viewport, number: Int) throws {
        try queue.add(number) { [form, renderer, file, compression] in
            try form.frame(renderer.renderSynchronously(viewport, of: file).picture, compression)
        }
    }

    /// Waits for all frames and finishes the file.
    func finish() throws {
        try queue.finish()
        try writer.finish()
    }

    /// Returns the bytes of a frame in a folder.
    func png(_ viewport: Viewport) throws -> [UInt8] {
        var encoder = PictureEncoder(.png)
        encoder.compression = compression
        return try encoder.encode(renderer.renderSynchronously(viewport, of: file).picture)
    }
}

/// The path of a film, and what it may replace.
struct FilmOutput {
    var path: String
    /// The files that are read, "-" for standard input.
    var inputs: [String]
    var overwrites: Bool
    /// The numbers of the frames to write; nil if their number is not known.
    var frames: Range<Int>?

    /// Returns the output of a file.
    func file(_ path: String, _ kind: OutputKind) -> PictureOutput {
        PictureOutput(path, kind: kind, inputs: inputs, overwrites: overwrites)
    }
}

/// Frames as PNG files in a folder, named by their numbers.
struct FrameFolder {
    private let output: FilmOutput
    let path: String
    /// Whether the folder was missing.
    private let isNew: Bool

    /// Creates the folder if it is missing.
    init(_ output: FilmOutput) throws(OutputError) {
        self.output = output
        let path = output.path
        let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
        self.path = folder
        isNew = FileStatus(folder) == nil
        try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
    }

    /// The numbers of the frames in the folder.
    var numbers: [Int] {
        Folder.names(in: path).compactMap { name in
            guard name.hasPrefix("frame-"), name.hasSuffix(".png") else { return nil }
            let number = Int(name.dropFirst(6).dropLast(4))
            return number.flatMap { Self.name($0) == name ? $0 : nil }
        }.sorted()
    }

    /// "frame-00042.png".
    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "frame-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".png"
    }

    func path(of number: Int) -> String { "\(path)/\(Self.name(number))" }

    /// Checks that a frame may be written.
    func check(_ number: Int) throws { try output.file(path(of: number), .png).check() }

    func write(_ png: [UInt8], _ number: Int) throws {
        do {
            try output.file(path(of: number), .png).write(png)
        } catch {
            // Removed only if empty.
            if isNew { Folder.removeEmpty(path) }
            throw error
        }
    }
}

extension Film {
    /// Writes frames in order.
    fileprivate final class Writer {
        private enum Destination {
            case folder(FrameFolder)
            case animation(AnimationEncoder, PictureOutput)
            case video(VideoWriter)
            case stream(FrameRate, size: PixelSize<OutputGrid>?)
        }

        private var destination: Destination

        /// - Throws: `OutputError` or `VideoError` if the film could not be written later.
        init(
            _ form: Form, _ output: FilmOutput, _ frameRate: FrameRate, _ compression: PNGCompression
        ) throws {
            switch form {
            case .folder:
                let folder = try FrameFolder(output)
                // Checking reads the file: other shares may have written many.
                for number in folder.numbers where output.frames?.contains(number) ?? true {
                    try folder.check(number)
                }
                destination = .folder(folder)
            case .animation(let format):
                let kind: OutputKind =
                    switch format {
                    case .webp: .webp
                    case .gif: .gif
                    case .apng: .png
                    }
                let file = output.file(output.path, kind)
                try file.check()
                var encoder = AnimationEncoder(format, framesPerSecond: frameRate.value)
                encoder.compression = compression
                destination = .animation(encoder, file)
            case .video(let container):
                let file = output.file(output.path, container.kind)
                try file.check()
                destination = .video(try VideoWriter(file, container, frameRate))
            case .stream:
                try StandardOutput.refuseTerminal()
                destination = .stream(frameRate, size: nil)
            }
        }

        func write(_ frame: Frame, _ number: Int) throws {
            switch (destination, frame.content) {
            case (.folder(let folder), .bytes(let png)):
                try folder.write(png, number)
            case (.animation(var encoder, let file), .picture(let picture)):
                try encoder.append(picture)
                destination = .animation(encoder, file)
            case (.video(let video), .bytes(let rgba)):
                try video.append(rgba, frame.size)
            case (.stream(let rate, let size), .bytes(let planes)):
                let header = size == nil ? RawVideo.header(frame.size, rate) : []
                destination = .stream(rate, size: frame.size)
                try StandardOutput.write(header)
                try StandardOutput.write(planes)
            default:
                preconditionFailure("frames are made for their destination")
            }
        }

        /// Writes the animation or finishes the video.
        func finish() throws {
            switch destination {
            case .animation(let encoder, let file): try file.write(encoder.finished())
            case .video(let video): try video.finish()
            case .folder, .stream: break
            }
        }
    }
}
