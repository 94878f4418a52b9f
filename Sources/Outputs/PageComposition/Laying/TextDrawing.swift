internal import Vips

/// A text that Pango wraps, measures and draws, in pixels of the output.
///
/// libvips returns the ink of a text, not its lines. They are measured by a line with an H below the text, whose ink ends
/// on its baseline.
struct TextDrawing {
    /// The size of a text with all its lines.
    struct Extent: Equatable {
        var lines: Int
        var height: Int
    }

    let text: String
    private let font: String
    private let alignment: TextContent.Alignment
    private let resolution: Int
    private let greatestLineCount: Int
    private let metrics: FontMetrics

    /// The longest side of a text that libvips can draw.
    static let greatestSide = 32_767
    private static let ellipsis = "…"

    /// A line of a font: the distances of its baseline from the top and the bottom.
    struct FontMetrics {
        let ascent: Int
        let descent: Int

        /// Measures a font; nil if it is too large or too small to draw.
        ///
        /// - Parameter scale: pixels per point.
        init?(_ font: String, scale: Double) {
            // FreeType fails on fonts of more than 2^16 pixels, and libvips on texts of more than half of that.
            let size = font.split(separator: " ").last.flatMap { Double($0) } ?? 0
            guard size * scale <= 10_000 else { return nil }
            func bottom(_ text: String) -> Int? {
                let operation = TextDrawing.operation(text, font, TextDrawing.resolution(scale))
                return (try? operation.drawn()).map(TextDrawing.bottom)
            }
            guard let first = bottom("H"), let second = bottom("H\nH") else { return nil }
            (ascent, descent) = (first, second - 2 * first)
        }
    }

    /// - Parameters:
    ///   - metrics: those of the font at the scale.
    ///   - scale: pixels per point.
    init(_ text: String, _ content: TextContent, _ metrics: FontMetrics, scale: Double) {
        // libvips fails on text without ink.
        self.text = text.contains { !$0.isWhitespace } ? text : ""
        self.metrics = metrics
        font = content.font
        alignment = content.alignment
        greatestLineCount = content.lines
        resolution = Self.resolution(scale)
    }

    private static func resolution(_ scale: Double) -> Int { max(1, Int((72 * min(scale, 1000)).rounded())) }

    private static func operation(_ markup: String, _ font: String, _ resolution: Int) -> VipsText {
        var operation = VipsText(markup, font: font)
        operation.resolution = resolution
        return operation
    }

    private static func bottom(of drawn: (image: VipsImage, x: Int, y: Int)) -> Int {
        drawn.y + drawn.image.height
    }

    private func operation(_ markup: String, width: Int?) -> VipsText {
        var operation = Self.operation(markup, font, resolution)
        operation.width = width.map { min(max(1, $0), Self.greatestSide) }
        operation.alignment =
            switch alignment {
            case .leading, .justified: "low"
            case .center: "centre"
            case .trailing: "high"
            }
        operation.justifies = alignment == .justified
        return operation
    }

    // MARK: Measuring

    /// Returns the baseline of a line below a text; nil if the text is longer than libvips can draw.
    private func bottom(_ text: String, width: Int?, spacing: Int = 0) -> Int? {
        var operation = operation(VipsText.escaped(text) + "\nH", width: width)
        operation.spacing = spacing
        return (try? operation.drawn()).map(Self.bottom)
    }

    /// Returns the extent of a text that wraps at a width; nil if it is longer than libvips can draw.
    func extent(of text: String, width: Int?) -> Extent? {
        guard !text.isEmpty else { return Extent(lines: 0, height: 0) }
        let spacing = 8
        guard let bottom = bottom(text, width: width),
            let spaced = self.bottom(text, width: width, spacing: spacing)
        else { return nil }
        return Extent(lines: (spaced - bottom) / spacing, height: bottom - metrics.ascent)
    }

    /// The narrowest width at which no line wraps.
    var naturalWidth: Int {
        guard !text.isEmpty else { return 0 }
        guard let unwrapped = bottom(text, width: nil),
            let ink = try? operation(VipsText.escaped(text), width: nil).drawn()
        else { return Self.greatestSide }
        // A line is wider than its ink.
        let width = max(1, ink.x + ink.image.width)
        return (width..<(width + 64)).first { bottom(text, width: $0) == unwrapped } ?? width + 64
    }

    /// Returns the height at a width, of at most the lines that the text may have.
    func height(width: Int?) -> Int {
        guard greatestLineCount == 0 else { return fitted(width: width).extent.height }
        // A text that is too long is cut when the height of its frame is known.
        return extent(of: text, width: width)?.height ?? Self.greatestSide
    }

    /// The distances of the first baseline from the top and of the last one from the bottom.
    var baselines: (first: Int, last: Int) {
        let usual = (metrics.ascent, metrics.descent)
        // Latin letters are in every font; others can come from a font with higher lines.
        guard text.unicodeScalars.contains(where: { $0.value >= 0x250 }),
            let extent = extent(of: text, width: nil)
        else { return usual }
        let hidden = "<span alpha=\"1\">\(VipsText.escaped(text))</span>"
        let last = visibleBottom("\(hidden)i").map { extent.height - $0 }
        return (visibleBottom("H\(hidden)") ?? usual.0, last ?? usual.1)
    }

    /// Returns the bottom of the ink of visible letters.
    private func visibleBottom(_ markup: String) -> Int? {
        var operation = operation(markup, width: nil)
        operation.isColored = true
        guard let drawn = try? operation.drawn(), let pixels = try? drawn.image.pixels().copied() else {
            return nil
        }
        let lastPixel = stride(from: pixels.count - 1, to: 0, by: -4).first { pixels[$0] >= 128 }
        return lastPixel.map { drawn.y + $0 / (drawn.image.width * 4) + 1 }
    }

    // MARK: Cutting and drawing

    /// Returns the text, or as much of it, with an ellipsis, as fits.
    ///
    /// - Parameter height: the most pixels; nil for any. One line is always returned.
    private func fitted(width: Int?, height: Int? = nil) -> (text: String, extent: Extent) {
        func extentIfFitting(_ text: String) -> Extent? {
            guard let extent = extent(of: text, width: width) else { return nil }
            let fits = greatestLineCount == 0 || extent.lines <= greatestLineCount
            return fits && (extent.lines <= 1 || extent.height <= height ?? .max) ? extent : nil
        }
        // Long texts are not measured as a whole where few lines are wanted.
        let isShort = text.utf8.count < 2000
        if isShort || greatestLineCount == 0 && height == nil, let extent = extentIfFitting(text) {
            return (text, extent)
        }
        let characters = Array(text)
        func cut(_ count: Int) -> String {
            guard count < characters.count else { return text }
            var kept = characters[..<count]
            while kept.last?.isWhitespace ?? false { kept.removeLast() }
            return String(kept) + Self.ellipsis
        }
        var (fitting, tooMany) = (0, 64)
        while tooMany <= characters.count, extentIfFitting(cut(tooMany)) != nil {
            (fitting, tooMany) = (tooMany, tooMany * 2)
        }
        if tooMany > characters.count {
            if let extent = extentIfFitting(text) { return (text, extent) }
            tooMany = characters.count
        }
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            if extentIfFitting(cut(middle)) == nil { tooMany = middle } else { fitting = middle }
        }
        let shortened = cut(fitting)
        return (
            shortened,
            extent(of: shortened, width: width) ?? Extent(lines: 1, height: metrics.ascent + metrics.descent)
        )
    }

    /// Lines that are drawn: their coverage and its distance from the corner of the frame.
    struct Drawing {
        var image: VipsImage
        var x: Int
        var y: Int
        /// What is drawn, cut with an ellipsis where the frame has no room for more.
        var text: String
        var extent: Extent
        var isCut: Bool
    }

    /// Draws the lines that fit; returns nil if there is no ink.
    func drawn(width: Int, height: Int) -> Drawing? {
        guard !text.isEmpty else { return nil }
        let (shown, extent) = fitted(width: width, height: height)
        guard let drawn = try? operation(VipsText.escaped(shown), width: width).drawn() else { return nil }
        return Drawing(
            image: drawn.image, x: drawn.x, y: drawn.y, text: shown, extent: extent, isCut: shown != text)
    }
}
