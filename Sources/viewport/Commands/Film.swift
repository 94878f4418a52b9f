import ArgumentParser
import Files
import ScrollModel
import ViewportGeometry
import ViewportRendering

/// The film of a replay: PNG files in a folder, an animation, or a video written by ffmpeg.
struct Film {
    /// The output format.
    enum Form {
        case folder
        case animation(AnimationEncoder.Format)
        case video(VideoWriter.Container)

        /// Selects the format by the file extension of the output; a folder without a known one.
        init(_ output: String) throws {
            let ending = OutputName.ending(of: output)?.lowercased() ?? ""
            if OutputName.isFolder(output) {
                self = .folder
            } else if let format = AnimationEncoder.Format(fileExtension: ending) {
                self = .animation(format)
            } else if let container = VideoWriter.Container(rawValue: ending) {
                self = .video(container)
            } else if Self.otherEndings.contains(ending), !OutputFolder.isThere(output) {
                throw ValidationError(
                    "\(output): a film is .webp, .gif, .apng, .mp4, .mov, .mkv, .webm or a folder of PNG files; "
                        + "for a folder with this name write \(output)/")
            } else {
                self = .folder
            }
        }

        /// File extensions that are unlikely names of folders.
        private static let otherEndings: Set = [
            "avi", "m4v", "mpg", "mpeg", "wmv", "flv", "ogv", "ts", "y4m", "png", "jpg", "jpeg", "avif",
            "tif",
            "tiff", "jxl", "heic", "jp2", "zip", "tar", "pdf",
        ]
    }

    private let file: ImageFile
    private let folder: String
    private let inputs: [String]
    private let overwrites: Bool
    private let output: PictureOutput?
    private let renderer: ViewportRenderer
    private let displayScale: Double
    private var animation: AnimationEncoder?
    private var video: VideoWriter?
    private var count = 0
    /// Whether this film created the folder.
    private var madeFolder = false

    /// - Throws: `OutputError` if the film could not be written later.
    init(
        of file: ImageFile, to path: String, framesPerSecond: Double, displayScale: Double, background: Color,
        inputs: [String], overwrites: Bool
    ) throws {
        let form = try Form(path)
        self.file = file
        folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
        self.inputs = inputs
        self.overwrites = overwrites
        self.displayScale = displayScale
        var options = RenderOptions()
        options.background = background
        // A bounce may pull the whole image out of the bounds.
        options.allowsEmptyPicture = true
        switch form {
        case .folder:
            output = nil
        case .animation(let format):
            animation = AnimationEncoder(format, framesPerSecond: framesPerSecond)
            let kind: OutputKind =
                switch format {
                case .webp: .webp
                case .gif: .gif
                case .apng: .png
                }
            output = PictureOutput(path, kind: kind, inputs: inputs, overwrites: overwrites)
        case .video(let container):
            // Videos have no transparency.
            options.background = background.over(.white)
            let output = PictureOutput(path, kind: container.kind, inputs: inputs, overwrites: overwrites)
            try output.check()
            video = try VideoWriter(output, container, framesPerSecond: framesPerSecond)
            self.output = output
        }
        renderer = ViewportRenderer(options: options)
        if let output { try output.check() } else { try checkFolder() }
    }

    /// Creates the folder and checks that existing frames in it may be replaced.
    private mutating func checkFolder() throws(OutputError) {
        let isThere = FileStatus(folder) != nil
        try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
        madeFolder = !isThere
        let names = Folder.names(in: folder).sorted()
        for name in names where name.hasPrefix("frame-") && name.hasSuffix(".png") {
            try frame(name).check()
        }
    }

    private func frame(_ name: String) -> PictureOutput {
        PictureOutput("\(folder)/\(name)", .png, inputs: inputs, overwrites: overwrites)
    }

    /// Renders and adds a frame.
    mutating func add(_ view: ScrollView) throws {
        let picture = try renderer.renderSynchronously(
            Viewport(view, displayScale: displayScale), of: file, progress: { _ in }
        ).picture
        if animation != nil {
            try animation?.append(picture)
        } else if let video {
            try video.append(picture)
        } else {
            let number = String(count)
            let name = "frame-" + String(repeating: "0", count: max(0, 5 - number.count)) + number + ".png"
            do {
                try frame(name).write(PictureEncoder(.png).encode(picture))
            } catch {
                // Removed only if empty.
                if madeFolder { Folder.removeEmpty(folder) }
                throw error
            }
        }
        count += 1
    }

    /// Writes the animation or finishes the video.
    func finish() throws {
        if let animation, let output { try output.write(animation.finished()) }
        try video?.finish()
    }
}
