package import Batches
package import Files
internal import ImageReading
package import ViewportGeometry

/// What crops must not touch: rectangles of a manifest, or masks.
package enum CropExclusion: Sendable {
    /// The rectangles of images, by their paths relative to the root.
    case rects([FilePath: [Rect<ImageSpace>]])
    /// The path of each image's mask: whatever is not black is excluded. A mask of any size is laid over the whole image.
    case masks(OutputTemplate)

    /// What decides the crops, in the recipe of an archive.
    var text: String {
        switch self {
        case .masks(let template): template.text
        case .rects(let rects):
            rects.map { path, rects in
                "\(path.text) "
                    + rects.map { "\($0.minX) \($0.minY) \($0.width) \($0.height)" }.joined(separator: ",")
            }.sorted().joined(separator: " ")
        }
    }

    /// Returns what is excluded of an image.
    ///
    /// - Parameter open: opens a mask.
    /// - Throws: an error for a mask that cannot be read, or has another aspect ratio.
    func area(
        of item: BatchItem, _ size: PixelSize<UprightGrid>, open: (BatchItem) throws -> ImageFile
    ) throws -> ExcludedArea {
        switch self {
        case .rects(let rects):
            let own = rects[FilePath(item.relativePath)] ?? []
            let whole = PixelRect(size)
            return ExcludedArea(size, own.compactMap { $0.pixels.intersection(whole) })
        case .masks(let template):
            let naming = OutputNaming(template, [OutputNaming.Size("")])
            guard let path = try naming.outputs(of: item).first else { return ExcludedArea(size, []) }
            var mask = item
            mask.file = path
            return try ExcludedArea(size, mask: open(mask), of: item.path)
        }
    }
}

/// A mask that does not fit its image.
struct MaskMismatch: Error, CustomStringConvertible {
    let description: String
}

extension Rect<ImageSpace> {
    /// The pixels that a rectangle touches.
    fileprivate var pixels: PixelRect<UprightGrid> {
        func bounded(_ value: Double) -> Int { Int(min(max(value, -1e9), 1e9)) }
        let (x, y) = (bounded(minX.rounded(.down)), bounded(minY.rounded(.down)))
        return PixelRect(
            x: x, y: y, width: bounded(maxX.rounded(.up)) - x, height: bounded(maxY.rounded(.up)) - y)
    }
}

/// The excluded pixels of an image, as spans of rows.
struct ExcludedArea: Sendable {
    /// Spans of columns that are excluded in some rows.
    struct Strip: Equatable, Sendable {
        let rows: Range<Int>
        let spans: [Range<Int>]
    }

    let size: PixelSize<UprightGrid>
    /// By their first rows; those of a mask do not overlap, rectangles can.
    let strips: [Strip]
    /// The most rows of a strip, which bounds the search for strips that reach into a row.
    private let tallest: Int

    init(_ size: PixelSize<UprightGrid>, strips: [Strip]) {
        self.size = size
        self.strips = strips.sorted { $0.rows.lowerBound < $1.rows.lowerBound }
        tallest = strips.map(\.rows.count).max() ?? 0
    }

    init(_ size: PixelSize<UprightGrid>, _ rects: [PixelRect<UprightGrid>]) {
        self.init(size, strips: rects.map { Strip(rows: $0.minY..<$0.maxY, spans: [$0.minX..<$0.maxX]) })
    }

    /// Reads a mask: each of its pixels covers a part of the image.
    init(_ size: PixelSize<UprightGrid>, mask: ImageFile, of image: String) throws {
        let own = mask.uprightSize
        // Half of a pixel of the mask is rounding.
        let expected = Double(own.height) * Double(size.width) / Double(size.height)
        guard abs(Double(own.width) - expected) <= 1 + 0.01 * expected else {
            throw MaskMismatch(
                description:
                    "\(FilePath(mask.path)): a mask of \(own) does not fit \(FilePath(image)), which has \(size) pixels upright"
            )
        }
        var strips: [Strip] = []
        var (start, last): (Int, [Range<Int>]) = (0, [])
        func end(_ row: Int) {
            guard !last.isEmpty, row > start else { return }
            let rows = start * size.height / own.height..<(row * size.height + own.height - 1) / own.height
            strips.append(Strip(rows: rows, spans: last))
        }
        var row = 0
        try mask.uprightRows { spans in
            let spans = spans.map { span in
                span.lowerBound * size.width
                    / own.width..<(span.upperBound * size.width + own.width - 1) / own.width
            }
            if spans != last {
                end(row)
                (start, last) = (row, spans)
            }
            row += 1
        }
        end(row)
        self.init(size, strips: strips)
    }

    /// The excluded columns of some rows, merged, in order.
    func spans(_ rows: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = firstStrip(from: rows.lowerBound - tallest + 1)
        while index < strips.count, strips[index].rows.lowerBound < rows.upperBound {
            if strips[index].rows.overlaps(rows) { found += strips[index].spans }
            index += 1
        }
        found.sort { $0.lowerBound < $1.lowerBound }
        var merged: [Range<Int>] = []
        for span in found {
            if let last = merged.last, span.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else {
                merged.append(span)
            }
        }
        return merged
    }

    private func firstStrip(from row: Int) -> Int {
        var (low, high) = (0, strips.count)
        while low < high {
            let middle = (low + high) / 2
            if strips[middle].rows.lowerBound < row { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether a rectangle touches what is excluded.
    func touches(_ rect: PixelRect<UprightGrid>) -> Bool {
        !rect.isEmpty
            && spans(rect.minY..<rect.maxY).contains {
                $0.lowerBound < rect.maxX && $0.upperBound > rect.minX
            }
    }

    func touches(_ rect: Rect<ImageSpace>) -> Bool { touches(rect.pixels) }

    /// Whether all of a rectangle that is in the image is excluded.
    func covers(_ rect: Rect<ImageSpace>) -> Bool {
        guard let inside = rect.pixels.intersection(PixelRect(size)) else { return false }
        return (inside.minY..<inside.maxY).allSatisfy { row in
            spans(row..<(row + 1)).contains {
                $0.lowerBound <= inside.minX && $0.upperBound >= inside.maxX
            }
        }
    }

    /// The memory that it takes, in spans.
    var cost: Int { strips.reduce(1) { $0 + 1 + $1.spans.count } }
}

/// The places of an image where a crop touches nothing that is excluded.
struct FreePlaces: Sendable {
    private let area: ExcludedArea
    private let crop: PixelSize<OutputGrid>
    /// Rows where crops can begin that have the same columns: the first one, the places above them, and those of each.
    private let bands: [(row: Int, before: Int, each: Int)]
    /// The number of places.
    let count: Int

    init(_ area: ExcludedArea, crop: PixelSize<OutputGrid>) {
        (self.area, self.crop) = (area, crop)
        let rows = area.size.height - crop.height + 1
        guard rows > 0 else {
            (bands, count) = ([], 0)
            return
        }
        // Strips come and go at these rows.
        var starts: Set<Int> = [0]
        for strip in area.strips {
            for row in [strip.rows.lowerBound - crop.height + 1, strip.rows.upperBound]
            where row > 0 && row < rows { starts.insert(row) }
        }
        var (bands, before): ([(Int, Int, Int)], Int) = ([], 0)
        let sorted = starts.sorted()
        for (index, row) in sorted.enumerated() {
            let each = Self.gaps(area, row, crop).reduce(0) { $0 + $1.count }
            bands.append((row, before, each))
            before += each * ((index + 1 < sorted.count ? sorted[index + 1] : rows) - row)
        }
        (self.bands, count) = (bands, before)
    }

    /// The columns where crops of a row can begin.
    private static func gaps(
        _ area: ExcludedArea, _ row: Int, _ crop: PixelSize<OutputGrid>
    ) -> [Range<Int>] {
        var (gaps, start): ([Range<Int>], Int) = ([], 0)
        let whole = area.size.width..<area.size.width
        for span in area.spans(row..<(row + crop.height)) + [whole] {
            if span.lowerBound - start >= crop.width {
                gaps.append(start..<(span.lowerBound - crop.width + 1))
            }
            start = max(start, span.upperBound)
        }
        return gaps
    }

    /// The upper left corner of a place by its number below the count.
    subscript(number: Int) -> (x: Int, y: Int) {
        var (low, high) = (0, bands.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if bands[middle].before <= number { low = middle } else { high = middle }
        }
        // Bands without places have the same number as the next one.
        let band = bands[low]
        let (row, rest) = (number - band.before).quotientAndRemainder(dividingBy: band.each)
        let y = band.row + row
        var left = rest
        for gap in Self.gaps(area, y, crop) {
            if left < gap.count { return (gap.lowerBound + left, y) }
            left -= gap.count
        }
        preconditionFailure("a place has a number below the count")
    }
}
