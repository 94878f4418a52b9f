package import Basics
internal import TilePyramid
internal import ViewportGeometry

/// Where a TIFF has its tiles and smaller levels, for pages that read them by themselves.
///
/// They are JPEG, deflated or plain tiles, gray, RGB or YCbCr: of 8 or 16 bits, and perhaps with opacity, where they are no JPEGs.
package struct TIFFTileList {
    /// Full resolution first.
    private let levels: [(factor: Int, page: TIFFTilePage)]

    /// Returns nil where the file has no such tiles, or some of them are missing.
    package init?(_ image: ImageFile) {
        guard image.format == .tiff, image.page == 0 else { return nil }
        let directory = TIFFTileDirectory(image.opened)
        guard directory.hasFirst, let full = directory.pages.first, full.size == image.storedSize,
            full.isPlain, full.hasAllTiles(in: image.opened)
        else { return nil }
        var levels = [(factor: 1, page: full)]
        for page in directory.pages.dropFirst() {
            // Pages that are not marked are levels where they are for the renderer.
            let isLevel =
                page.isReduced || image.pyramid.levels.contains { $0.size == page.size && $0.index > 0 }
            let factor = Int((Double(full.size.width) / Double(page.size.width)).rounded())
            guard isLevel, factor > levels[levels.count - 1].factor, page.isPlain,
                page.samples == full.samples, page.hasAlpha == full.hasAlpha,
                abs(full.size.width / factor - page.size.width) <= 1,
                abs(full.size.height / factor - page.size.height) <= 1, page.hasAllTiles(in: image.opened)
            else { continue }
            levels.append((factor, page))
        }
        self.levels = levels
    }

    /// The pixels of the image for a pixel of the smallest level, on each axis.
    package var greatestFactor: Int { levels[levels.count - 1].factor }

    /// The longest side of the smallest level.
    package var smallestSide: Int {
        let size = levels[levels.count - 1].page.size
        return max(size.width, size.height)
    }

    /// The list: for each level its size, that of its tiles, how they are stored, and where the file has their positions.
    package var json: JSONValue {
        let places = levels[0].page.places
        return .object([
            "order": .string(places.order == .little ? "little" : "big"),
            "profile": JSONValue(places.profile) { Self.json($0) },
            "levels": .array(levels.map { Self.json($0.factor, $0.page) }),
        ])
    }

    private static func json(_ factor: Int, _ page: TIFFTilePage) -> JSONValue {
        let tile: JSONValue = .object([
            "width": .int(page.tile.width), "height": .int(page.tile.height),
        ])
        let compression =
            switch page.compression {
            case .none: "none"
            case .jpeg: "jpeg"
            case .deflate: "deflate"
            }
        return .object([
            "factor": .int(factor), "width": .int(page.size.width), "height": .int(page.size.height),
            "tile": tile, "compression": .string(compression), "samples": .int(page.samples),
            "bits": .int(page.bits),
            "colors": .string(page.samples < 3 ? "gray" : page.isYCbCr ? "ycbcr" : "rgb"),
            "hasDifferences": .bool(page.hasDifferences),
            "tables": JSONValue(page.tables.isEmpty ? nil : page.places.tables) { json($0) },
            "offsets": json(page.places.offsets), "counts": json(page.places.counts),
        ])
    }

    private static func json(_ range: Range<Int>) -> JSONValue {
        .array([.int(range.lowerBound), .int(range.upperBound)])
    }

    private static func json(_ numbers: TIFFTilePage.Places.Numbers) -> JSONValue {
        .object(["position": .int(numbers.position), "size": .int(numbers.size)])
    }
}
