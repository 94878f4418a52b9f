internal import Basics
internal import ViewportGeometry
internal import ViewportRendering

/// The size of a thumbnail in vipsthumbnail's syntax: "256", "1024x768", "1024x", "x768", "256x256!".
///
/// Without a crop, the image is fitted into the box and keeps its aspect ratio. With a crop, it fills the box. It
/// is only enlarged if the size or the recipe allows it.
public struct ThumbnailSize: Sendable, Hashable {
    /// When a size applies.
    public enum Rule: String, CaseIterable, Codable, Sendable {
        /// Smaller images are not enlarged, unless the recipe allows it.
        case fit = ""
        /// Exactly these pixels: distorted, or with a crop filled.
        case exact = "!"
        /// Only enlarges smaller images.
        case onlyEnlarging = "<"
        /// Only shrinks larger images, whatever the recipe allows.
        case onlyShrinking = ">"
    }

    /// The width in pixels; nil to keep the aspect ratio.
    public let width: Int?
    /// The height in pixels; nil to keep the aspect ratio.
    public let height: Int?
    /// When the size applies.
    public let rule: Rule

    /// Creates a box in pixels; sides are clamped to `range`.
    public init(width: Int, height: Int, _ rule: Rule = .fit) {
        self.init(sides: (Self.nearest(width), Self.nearest(height)), rule)
    }

    private static func nearest(_ side: Int) -> Int { min(max(side, range.lowerBound), range.upperBound) }

    /// Creates a square box in pixels; the side is clamped to `range`.
    public init(_ side: Int) {
        self.init(width: side, height: side)
    }

    /// The size where none is given.
    package static let usual = ThumbnailSize(256)

    /// The allowed lengths of a side, within the limit of JPEG.
    public static let range = 1...65500

    init(sides: (width: Int?, height: Int?), _ rule: Rule) {
        width = sides.width
        height = sides.height
        self.rule = rule
    }
}

extension ThumbnailSize {
    /// Parses a size: `W`, `WxH`, `Wx` or `xH`, followed by nothing, `!`, `<` or `>`.
    ///
    /// - Throws: `ThumbnailError.badSize`.
    public init(_ text: String) throws(ThumbnailError) {
        var rest = text[...]
        let rule = text.last.flatMap { Rule(rawValue: String($0)) } ?? .fit
        if rule != .fit { rest.removeLast() }
        let parts = rest.split(separator: "x", omittingEmptySubsequences: false)
        let sides = try parts.map { part throws(ThumbnailError) in try Self.side(part, of: text) }
        switch sides.count {
        case 1: self.init(sides: (sides[0], sides[0]), rule)
        case 2: self.init(sides: (sides[0], sides[1]), rule)
        default: throw .badSize(text)
        }
        let isComplete = width != nil && height != nil
        guard isComplete || rule != .exact && (width ?? height) != nil else { throw .badSize(text) }
    }

    /// Parses one side; nil for an empty text.
    private static func side(_ text: Substring, of size: String) throws(ThumbnailError) -> Int? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let side = Int(text), range.contains(side)
        else { throw .badSize(size) }
        return side
    }
}

extension ThumbnailSize: CustomStringConvertible {
    /// The shortest text that parses as this size.
    public var description: String {
        let sides =
            width == height
            ? width.map(String.init) ?? ""
            : "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
        return sides + rule.rawValue
    }
}

/// Coded as its `description`.
extension ThumbnailSize: Codable {
    /// Decodes a text such as "256x256!".
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("a size such as 256 or 1024x768") { try? Self($0) }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension ThumbnailSize {
    /// Fits an image of a size into the box.
    ///
    /// Sides are rounded to the nearest pixel and at least 1.
    func fitting(_ source: PixelSize<UprightGrid>, crop: CropMode, upscale: Bool) -> Fitting {
        let whole = Rect<ImageSpace>(origin: .zero, size: source.imageSize)
        if rule == .exact, crop == .none, let width, let height {
            return Fitting(Viewport(imageRect: whole, size: PixelSize(width: width, height: height)))
        }
        let scale = scale(for: source, isFilled: crop != .none, upscale: upscale)
        let size = PixelSize<OutputGrid>(
            width: Self.pixels(source.width, scale), height: Self.pixels(source.height, scale))
        let filled = Viewport(imageRect: whole, size: size)
        let box = PixelSize<OutputGrid>(
            width: min(size.width, width ?? .max), height: min(size.height, height ?? .max))
        guard crop != .none, box != size else { return Fitting(filled) }
        guard let place = crop.place else { return Fitting(filled, box: box) }
        let part = Size<ImageSpace>(
            width: whole.width * Double(box.width) / Double(size.width),
            height: whole.height * Double(box.height) / Double(size.height))
        let corner = Point<ImageSpace>(
            x: (whole.width - part.width) * place, y: (whole.height - part.height) * place)
        return Fitting(Viewport(imageRect: Rect(origin: corner, size: part), size: box))
    }

    /// The pixels of a look, which fills the box; a side that is missing is the other one.
    var box: PixelSize<OutputGrid> {
        PixelSize(width: width ?? height ?? 1, height: height ?? width ?? 1)
    }

    /// Pixels of the thumbnail per pixel of the image.
    private func scale(for source: PixelSize<UprightGrid>, isFilled: Bool, upscale: Bool) -> Double {
        let across = width.map { Double($0) / Double(source.width) }
        let down = height.map { Double($0) / Double(source.height) }
        let scales = [across, down].compactMap(\.self)
        let wanted = (isFilled ? scales.max() : scales.min()) ?? 1
        return switch rule {
        case .fit: upscale ? wanted : min(wanted, 1)
        case .exact: wanted
        case .onlyEnlarging: max(wanted, 1)
        case .onlyShrinking: min(wanted, 1)
        }
    }

    private static func pixels(_ length: Int, _ scale: Double) -> Int {
        // The 5e-7 makes up for two roundings of a Double, so that the sides of the box are reached exactly.
        max(1, Int(min((Double(length) * scale + 5e-7).rounded(), 1e9)))
    }
}

/// A size applied to an image.
struct Fitting {
    /// The viewport to render.
    let viewport: Viewport
    /// The size of the crop that the content positions; nil for the whole viewport.
    let box: PixelSize<OutputGrid>?

    init(_ viewport: Viewport, box: PixelSize<OutputGrid>? = nil) {
        self.viewport = viewport
        self.box = box
    }

    /// Returns the crop; nil for the whole picture.
    ///
    /// - Parameter look: a small picture of the whole image, so that all sizes show the same part.
    func window(by crop: CropMode, in look: Picture) throws -> PixelRect<OutputGrid>? {
        guard let box else { return nil }
        let whole = viewport.size
        let part = PixelSize<OutputGrid>(
            width: Self.share(look.size.width, box.width, whole.width),
            height: Self.share(look.size.height, box.height, whole.height))
        let found = try look.mostInterestingRect(part, by: crop.rawValue)
        return PixelRect(
            x: Self.share(whole.width - box.width, found.x, look.size.width - part.width),
            y: Self.share(whole.height - box.height, found.y, look.size.height - part.height),
            width: box.width, height: box.height)
    }

    /// Returns `length * part / whole`, rounded; 0 if `whole` is 0.
    private static func share(_ length: Int, _ part: Int, _ whole: Int) -> Int {
        whole == 0 ? 0 : Int((Double(length) * Double(part) / Double(whole)).rounded())
    }
}
