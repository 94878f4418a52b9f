public import AssetCatalog
internal import ViewportGeometry
public import ViewportRendering
internal import Vips

/// A layout that draws many assets in one picture: rows of thumbnails with captions, under headings.
public struct ContactSheet: Hashable, Codable, Sendable {
    /// Assets under a heading.
    public struct Section: Hashable, Codable, Sendable {
        /// The heading.
        public var heading: String
        /// The assets, in order.
        public var assets: [Asset]

        /// Creates a section.
        public init(heading: String, assets: [Asset]) {
            self.heading = heading
            self.assets = assets
        }
    }

    /// The number of thumbnails in a row, 1 to 100.
    public let columns: Int
    /// The long side of a thumbnail in pixels, 16 to 1024.
    public let side: Int
    /// The maximum number of assets on one sheet; encoders allow 65,535 rows.
    public static let limit = 2000

    /// The long side of a thumbnail in pixels if no other is named.
    package static let usualSide = 192

    /// Creates a layout; values outside of their ranges are clamped.
    public init(columns: Int = 6, side: Int = 192) {
        self.columns = min(max(columns, 1), 100)
        self.side = min(max(side, 16), 1024)
    }

    /// Space between thumbnails, and the heights of captions and headings.
    private static let (gap, caption, heading) = (12, 18, 34)

    /// Draws a sheet as a PNG; see `file(of:in:as:)`.
    public func png(
        of sections: [Section], in library: PhotoLibrary
    ) async throws -> (bytes: [UInt8], failures: [IndexReport.Failure]) {
        try await file(of: sections, in: library, as: .png)
    }

    /// Draws a sheet and encodes it.
    ///
    /// Captions are omitted if libvips has no fonts.
    ///
    /// - Returns: the encoded file, and the assets that could not be shown, whose cells are empty.
    /// - Throws: `CancellationError`, or the error of the encoder.
    public func file(
        of sections: [Section], in library: PhotoLibrary, as format: PictureFormat
    ) async throws -> (bytes: [UInt8], failures: [IndexReport.Failure]) {
        let (places, height) = layout(sections)
        var canvas = SheetCanvas(width: Self.gap + columns * (side + Self.gap), height: height)
        for (section, top) in zip(sections, places.headings) {
            canvas.write(section.heading, x: Self.gap, y: top, width: canvas.width - 2 * Self.gap, size: 15)
        }
        let images = AssetImages(of: library)
        var failures: [IndexReport.Failure] = []
        // Bounds the number of pictures in memory.
        let assets = sections.flatMap(\.assets)
        let batch = 16
        for start in stride(from: 0, to: assets.count, by: batch) {
            try Task.checkCancellation()
            let shown = await Self.pictures(Array(assets[start...].prefix(batch)), side, images)
            for (index, (asset, result)) in shown.enumerated() {
                let place = places.cells[start + index]
                switch result {
                case .success(let picture): canvas.draw(picture, in: place, side)
                case .failure(let error):
                    failures.append(IndexReport.Failure(path: asset.path, reason: "\(error)"))
                }
                canvas.write(asset.name, x: place.x, y: place.y + side + 2, width: side, size: 10)
            }
        }
        return (try PictureEncoder(format).encodeSynchronously(canvas.picture), failures)
    }

    private static func pictures(
        _ assets: [Asset], _ side: Int, _ images: AssetImages
    ) async -> [(Asset, Result<Picture?, any Error>)] {
        await withTaskGroup(of: (Int, Result<Picture?, any Error>).self) { group in
            for (index, asset) in assets.enumerated() {
                group.addTask { (index, await images.sheetResult(of: asset, side: side)) }
            }
            var results: [Int: Result<Picture?, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            return assets.enumerated().map { index, asset in (asset, results[index] ?? .success(nil)) }
        }
    }

    /// Returns the positions of headings and thumbnails, and the height of the sheet.
    private func layout(
        _ sections: [Section]
    ) -> (places: (headings: [Int], cells: [(x: Int, y: Int)]), height: Int) {
        var headings: [Int] = []
        var cells: [(x: Int, y: Int)] = []
        var y = Self.gap
        for section in sections {
            headings.append(y)
            y += Self.heading
            for (index, _) in section.assets.enumerated() {
                let (row, column) = index.quotientAndRemainder(dividingBy: columns)
                cells.append((Self.gap + column * (side + Self.gap), y + row * rowHeight))
            }
            y += (section.assets.count + columns - 1) / columns * rowHeight
        }
        return ((headings, cells), y)
    }

    private var rowHeight: Int { side + Self.caption + Self.gap }
}

/// The pixels of a contact sheet while it is drawn: white, sRGB of 8 bits.
struct SheetCanvas {
    let width: Int
    let height: Int
    private var bytes: [UInt8]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bytes = Array(repeating: 255, count: width * height * 3)
    }

    /// Draws a picture into the center of a square; transparent pixels become white.
    mutating func draw(_ picture: Picture?, in place: (x: Int, y: Int), _ side: Int) {
        guard let picture, picture.depth == 8 else { return }
        let (columns, rows) = (min(picture.size.width, side), min(picture.size.height, side))
        let (left, top) = (place.x + (side - columns) / 2, place.y + (side - rows) / 2)
        let colors = picture.hasAlpha ? picture.bands - 1 : picture.bands
        for y in 0..<rows {
            for x in 0..<columns {
                let from = (y * picture.size.width + x) * picture.bands
                let to = ((top + y) * width + left + x) * 3
                let alpha = picture.hasAlpha ? Int(picture.bytes[from + colors]) : 255
                for band in 0..<3 {
                    let value = Int(picture.bytes[from + (colors < 3 ? 0 : band)])
                    bytes[to + band] = UInt8((value * alpha + 255 * (255 - alpha) + 127) / 255)
                }
            }
        }
    }

    /// Draws a line of dark text, truncated to the width; nothing if libvips has no fonts.
    mutating func write(_ text: String, x: Int, y: Int, width room: Int, size: Int) {
        guard let mask = Self.mask(text, size), let pixels = try? mask.pixels().copied() else { return }
        for row in 0..<min(mask.height, height - y) {
            for column in 0..<min(mask.width, room, width - x) {
                let to = ((y + row) * width + x + column) * 3
                let ink = Int(pixels[row * mask.width + column]) * 4 / 5
                for band in 0..<3 { bytes[to + band] = UInt8(255 - ink) }
            }
        }
    }

    /// Returns the coverage of each pixel by a text.
    private static func mask(_ text: String, _ size: Int) -> VipsImage? {
        guard !text.isEmpty, let operation = try? VipsOperation("text") else { return nil }
        // libvips parses the text as Pango markup.
        let plain = String(text.map { $0 == "<" || $0 == ">" || $0 == "&" || $0.isNewline ? " " : $0 })
        guard (try? operation.set("text", .string(plain))) != nil,
            (try? operation.set("font", .string("sans \(size)"))) != nil,
            let image = try? operation.image(), image.bands == 1
        else { return nil }
        return image
    }

    var picture: Picture { Picture(width: width, height: height, rgb: bytes) }
}

extension ContactSheet {
    /// Decodes a layout; values outside of their ranges are clamped.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            columns: try values.decode(Int.self, forKey: .columns),
            side: try values.decode(Int.self, forKey: .side))
    }
}
