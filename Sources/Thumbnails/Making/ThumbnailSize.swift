internal import ViewportGeometry
internal import ViewportRendering

/// How large a thumbnail is to be, in vipsthumbnail's words: "256", "1024x768", "1024x", "x768", "256x256!".
///
/// Without a crop the whole picture fits into the box and keeps its proportions; with one the box is filled and
/// what stands out is cut off. Nothing is enlarged unless the size or the recipe asks for it.
public struct ThumbnailSize: Sendable, Hashable {
    /// What a size says beside its sides.
    public enum Rule: String, CaseIterable, Sendable {
        /// Pictures that are smaller stay as they are, unless the recipe enlarges.
        case fit = ""
        /// Exactly these pixels: the proportions give way, or the box is filled where it is cropped.
        case exact = "!"
        /// Only pictures that are smaller are changed, and enlarged.
        case onlyEnlarging = "<"
        /// Only pictures that are larger are changed, whatever the recipe says.
        case onlyShrinking = ">"
    }

    /// The width in pixels; nil for what the proportions give.
    public let width: Int?
    /// The height in pixels; nil for what the proportions give.
    public let height: Int?
    /// When the size applies.
    public let rule: Rule

    /// A box of two sides in pixels; a side outside of `range` becomes the nearest one inside.
    public init(width: Int, height: Int, _ rule: Rule = .fit) {
        self.init(sides: (Self.nearest(width), Self.nearest(height)), rule)
    }

    private static func nearest(_ side: Int) -> Int { min(max(side, range.lowerBound), range.upperBound) }

    /// A square box of a side in pixels; a side outside of `range` becomes the nearest one inside.
    public init(_ side: Int) {
        self.init(width: side, height: side)
    }

    /// The lengths that a side may have; no JPEG holds more.
    public static let range = 1...65500

    init(sides: (width: Int?, height: Int?), _ rule: Rule) {
        width = sides.width
        height = sides.height
        self.rule = rule
    }
}

extension ThumbnailSize {
    /// Reads a size: `W`, `WxH`, `Wx` or `xH`, and after it nothing, `!`, `<` or `>`.
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

    /// One side; nil where there are no digits.
    private static func side(_ text: Substring, of size: String) throws(ThumbnailError) -> Int? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let side = Int(text), range.contains(side)
        else { throw .badSize(size) }
        return side
    }
}

extension ThumbnailSize: CustomStringConvertible {
    /// The shortest text that is read as this size.
    public var description: String {
        let sides =
            width == height
            ? width.map(String.init) ?? ""
            : "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
        return sides + rule.rawValue
    }
}

extension ThumbnailSize {
    /// How a picture of a size is laid into the box.
    ///
    /// Sides are rounded to nearest and never below 1.
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

    /// Pixels of the thumbnail per pixel of the picture.
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
        // Half a millionth: a box's own side must come out of it, also after two roundings of a Double.
        max(1, Int(min((Double(length) * scale + 5e-7).rounded(), 1e9)))
    }
}

/// What a size makes of a picture.
struct Fitting {
    /// The picture that is made.
    let viewport: Viewport
    /// The part of it that is shown, whose place its content decides; nil for all of it.
    let box: PixelSize<OutputGrid>?

    init(_ viewport: Viewport, box: PixelSize<OutputGrid>? = nil) {
        self.viewport = viewport
        self.box = box
    }

    /// Where the part that is shown lies; nil for all of the picture.
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

    /// `length` times `part` by `whole`, rounded; 0 of nothing.
    private static func share(_ length: Int, _ part: Int, _ whole: Int) -> Int {
        whole == 0 ? 0 : Int((Double(length) * Double(part) / Double(whole)).rounded())
    }
}
