import Files
import ScrollModel
import ViewportGeometry
import ViewportRendering

/// The frames of a replay: PNG files in a folder, or one animation.
struct Film {
    private let file: ImageFile
    private let output: String
    private let displayScale: Double
    private let renderer: ViewportRenderer
    private var animation: AnimationEncoder?
    private var count = 0

    /// - Throws: `OutputError` where the film could not be written later.
    init(
        of file: ImageFile, to output: String, framesPerSecond: Double, displayScale: Double,
        background: Color
    ) throws {
        self.file = file
        self.output = output
        self.displayScale = displayScale
        var options = RenderOptions()
        options.background = background
        // A bounce may pull the whole image out of sight.
        options.allowsEmptyPicture = true
        renderer = ViewportRenderer(options: options)
        let ending = output.split(separator: "/").last?.split(separator: ".").dropFirst().last.map(
            String.init)
        animation = ending.flatMap(AnimationEncoder.Format.init(fileExtension:)).map {
            AnimationEncoder($0, framesPerSecond: framesPerSecond)
        }
        try OutputError.naming(output) { () throws(FileError) in
            if animation == nil {
                try OutputFile.makeFolder(output)
            } else {
                try OutputFile.check(output)
            }
        }
    }

    /// Adds what a scroll view shows.
    mutating func add(_ view: ScrollView) throws {
        let picture = try renderer.render(
            Viewport(view, displayScale: displayScale), of: file, progress: { _ in }
        ).picture
        if animation != nil {
            try animation?.append(picture)
        } else {
            let number = String(count)
            let name = "frame-" + String(repeating: "0", count: max(0, 5 - number.count)) + number + ".png"
            try PictureOutput(path: "\(output)/\(name)").write(PictureEncoder(.png).encode(picture))
        }
        count += 1
    }

    /// Writes the animation.
    func finish() throws {
        guard let animation else { return }
        try PictureOutput(path: output).write(animation.finished())
    }
}
