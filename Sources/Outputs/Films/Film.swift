internal import Containers
internal import Files
package import ImageReading
package import PictureEncoding
package import Pictures
internal import TileLoading
internal import ViewportGeometry
internal import ViewportRendering
package import Viewports

/// A film: PNG files in a folder, an animation, a video written by ffmpeg, or raw video on standard output.
///
/// Frames are rendered on all processors and written in order.
package final class Film {
    /// The output format.
    package enum Form: Sendable {
        case folder
        case animation(AnimationEncoder.Format)
        case video(VideoWriter.Container)
        case stream

        /// Selects the format by the file extension of the output; a folder without a known one.
        package init(_ output: String) throws(FilmError) {
            let parts = FilePath(output).name.text.utf8.split(
                separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let ending = parts.dropFirst().last.map { String(Substring($0)).lowercased() } ?? ""
            if output == "-" {
                self = .stream
            } else if output.hasSuffix("/") || Folder.isFolder(output, followingLinks: true) {
                self = .folder
            } else if let format = AnimationEncoder.Format(fileExtension: ending == "png" ? "apng" : ending) {
                self = .animation(format)
            } else if let container = VideoWriter.Container(rawValue: ending) {
                self = .video(container)
            } else if FileType.ofExtension(ending) != nil, !OutputFolder.isThere(output) {
                throw .unknownForm(output: output)
            } else {
                self = .folder
            }
        }

        /// Whether frames may have transparent pixels.
        fileprivate var hasAlpha: Bool {
            switch self {
            case .folder, .animation: true
            case .video, .stream: false
            }
        }

        /// Whether frames are stored as PNG.
        package var isPNG: Bool {
            switch self {
            case .folder, .animation(.apng): true
            case .animation, .video, .stream: false
            }
        }

        /// Returns a picture as `Writer` takes it; this runs on all processors.
        fileprivate func frame(_ picture: Picture, _ compression: PNGCompression) throws -> Frame {
            switch self {
            case .folder:
                var encoder = PictureEncoder(.png)
                // There is one thread per processor already.
                encoder.threads = 1
                encoder.compression = compression
                return Frame(size: picture.size, content: .bytes(try encoder.encodeSynchronously(picture)))
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
    /// - Throws: `OutputError` or `FilmError` if the film could not be written later, or `RenderingError`.
    package init(
        of file: ImageFile, to output: FilmOutput, frameRate: FrameRate, background: Color,
        compression: PNGCompression = .standard,
        checkInterruption: @escaping () throws -> Void = {}
    ) throws {
        let form = try Form(output.path)
        let writer = try Writer(form, output, frameRate, compression)
        var options = RenderOptions()
        options.background = background.opaque(unless: form.hasAlpha)
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
    package func add(_ view: FilmView, number: Int) throws {
        try queue.add(number) { [form, renderer, file, compression] in
            try form.frame(view.picture(of: file, by: renderer), compression)
        }
    }

    /// Starts rendering a frame that shows a part of the image, and writes those that are finished.
    package func add(_ viewport: Viewport, number: Int) throws { try add(.part(viewport), number: number) }

    /// Waits for all frames and finishes the file.
    package func finish() throws {
        try queue.finish()
        try writer.finish()
    }

    /// Returns the bytes of a frame in a folder.
    package func png(_ view: FilmView) throws -> [UInt8] {
        var encoder = PictureEncoder(.png)
        encoder.compression = compression
        return try encoder.encodeSynchronously(view.picture(of: file, by: renderer))
    }

    /// Returns the bytes of a frame in a folder that shows a part of the image.
    package func png(_ viewport: Viewport) throws -> [UInt8] { try png(.part(viewport)) }
}
