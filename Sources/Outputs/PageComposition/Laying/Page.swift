package import Basics
package import ViewportGeometry
internal import ViewportRendering

/// A page that is laid out: frames of views in points, and what they show.
package struct Page {
    /// What a view shows.
    enum Content {
        case picture(ImageFile, ContentMode, Rect<ImageSpace>?)
        case text(TextDrawing, Color)
        case panel(Color)
        case space
    }

    /// A view with its frame.
    struct Part {
        let name: String
        let content: Content
        let frame: Rect<ViewSpace>
        /// The words that stand for a picture, if known.
        var alternative: String?
    }

    /// The size in points.
    package let size: Size<ViewSpace>
    /// Output pixels per point.
    package let scale: Double
    /// The title of a document of the page.
    var title = ""
    /// The views in painting order.
    var parts: [Part] = []
    /// The views that could have another frame as well, with the axis.
    package internal(set) var ambiguous: [String] = []
    /// The constraints of the layout file that do not hold.
    package internal(set) var broken: [String] = []
    /// Why required constraints were left out.
    package internal(set) var conflicts: [String] = []
    /// One sentence for each value that a picture does not have.
    package internal(set) var missing: [String] = []

    init(size: Size<ViewSpace>, scale: Double) {
        self.size = size
        self.scale = scale
    }

    package var isPortrait: Bool { size.height >= size.width }

    /// The files of its pictures.
    package var imagePaths: [String] {
        parts.compactMap { if case .picture(let file, _, _) = $0.content { file.path } else { nil } }
    }

    /// The frames as JSON, in points with three decimals.
    package var json: [(String, JSONValue?)] {
        func rounded(_ values: [Double]) -> JSONValue {
            // Adding 0 makes -0 positive.
            .array(values.map { .number(($0 * 1000).rounded() / 1000 + 0) })
        }
        let frames = parts.map { part in
            let frame = part.frame
            return (part.name, rounded([frame.minX, frame.minY, frame.width, frame.height]) as JSONValue?)
        }
        return [
            ("size", rounded([size.width, size.height])),
            ("orientation", .string(isPortrait ? "portrait" : "landscape")),
            ("frames", .object(frames)),
            ("ambiguous", .array(ambiguous.map(JSONValue.string))),
            ("broken", .array(broken.map(JSONValue.string))),
        ]
    }

    // MARK: Pixels

    /// Returns a length in whole pixels, rounded down, as widths of texts are.
    static func pixels(_ length: Double, _ scale: Double) -> Int {
        // A solved length can be off by a rounding error.
        Int(min(max(length * scale + 0.001, 0), 1e9))
    }

    /// The size of the output.
    package var pixelSize: PixelSize<OutputGrid> {
        PixelSize(
            width: max(1, Self.nearest(size.width * scale)), height: max(1, Self.nearest(size.height * scale))
        )
    }

    /// Returns the pixels of a frame: each edge is rounded to the nearest pixel, halves to the right and down.
    ///
    /// Frames that share an edge share it in pixels, too.
    func pixelRect(_ frame: Rect<ViewSpace>) -> PixelRect<OutputGrid> {
        let (left, top) = (Self.nearest(frame.minX * scale), Self.nearest(frame.minY * scale))
        return PixelRect(
            x: left, y: top, width: max(0, Self.nearest(frame.maxX * scale) - left),
            height: max(0, Self.nearest(frame.maxY * scale) - top))
    }

    private static func nearest(_ length: Double) -> Int {
        // A millionth of a pixel is a rounding error of the solver, not a side of a half.
        Int(min(max((length + 0.5 + 1e-6).rounded(.down), -1e9), 1e9))
    }
}
