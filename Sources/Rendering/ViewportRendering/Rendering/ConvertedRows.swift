package import ImageReading
package import Pictures
internal import Resampling
internal import TilePyramid
package import ViewportGeometry
internal import Vips

/// The rows of a whole image, or of one of its smaller levels, in sRGB or gray, from the top, in stored orientation.
package struct ConvertedRows {
    package let size: PixelSize<StoredGrid>
    package let samples: ConvertedSamples
    private let file: ImageFile
    private let reader: any LevelReader
    private let options = RenderOptions()
    /// The background, where the format does not support transparency.
    private let flattening: Color?

    /// The number of rows that are converted together.
    private static let stripHeight = 64

    /// - Parameters:
    ///   - background: the color behind the image; nil keeps it transparent.
    ///   - level: one of the image's levels, from 0.
    package init(_ file: ImageFile, background: Color?, level: Int = 0) throws {
        self.file = file
        let reader = try file.source.open(file.pyramid.levels[level])
        let kind = reader.pixels
        let flattening = kind.layout.hasAlpha ? background : nil
        self.reader = reader
        self.flattening = flattening
        size = reader.level.size
        guard flattening != nil || !options.isFinal(kind) else {
            samples = ConvertedSamples(
                bands: kind.layout.bands, hasAlpha: kind.layout.hasAlpha, interpretation: kind.interpretation)
            return
        }
        // The format of one converted pixel is that of all.
        let probe = StoredPicture(
            bytes: [UInt8](repeating: 0, count: kind.layout.pixelBytes), width: 1, height: 1)
        samples = try Self.naming(file) { () throws(VipsError) in
            let image = try Self.converted(probe.image(kind), kind, RenderOptions(), flattening)
            return ConvertedSamples(
                bands: image.bands, hasAlpha: image.hasAlpha, interpretation: image.interpretation)
        }
    }

    /// Whether samples are unchanged.
    package var isUnchanged: Bool { options.isFinal(reader.pixels) && flattening == nil }

    /// Reads and lends all rows.
    package func read(_ push: (RawSpan) throws -> Void) throws {
        let whole = PixelRect(size)
        guard !isUnchanged else { return try reader.read(whole, row: push) }
        let kind = reader.pixels
        var strip = RowBuffer(
            rowBytes: size.width * kind.layout.pixelBytes, capacity: Self.stripHeight)
        try reader.read(whole) { row in
            strip.append(row)
            let rows = strip.rows
            guard rows.count == Self.stripHeight || rows.upperBound == size.height else { return }
            let picture = StoredPicture(
                bytes: strip.cut(columns: 0..<strip.rowBytes, rows: rows), width: size.width,
                height: rows.count)
            strip.drop(before: rows.upperBound)
            let pixels = try Self.naming(file) { () throws(VipsError) in
                try Self.converted(picture.image(kind), kind, options, flattening).pixels()
            }
            let rowBytes = size.width * samples.bands
            try pixels.withBytes { bytes in
                for row in 0..<rows.count {
                    try push(bytes.extracting((row * rowBytes)..<((row + 1) * rowBytes)))
                }
            }
        }
    }

    /// Returns the pixels of a rectangle.
    ///
    /// - Precondition: Samples are unchanged.
    package func pixels(_ rect: PixelRect<StoredGrid>) throws -> [UInt8] {
        precondition(isUnchanged, "strips are converted, not rectangles")
        var collector = RowCollector(byteCount: rect.size.area * samples.bands)
        try reader.read(rect) { collector.push($0) }
        return collector.pixels
    }

    private static func converted(
        _ stored: VipsImage, _ kind: SourcePixelFormat, _ options: RenderOptions, _ background: Color?
    ) throws(VipsError) -> VipsImage {
        let image = try ColorConversion(options, kind).apply(to: stored)
        guard let background else { return image }
        let size = PixelSize<OutputGrid>(width: stored.width, height: stored.height)
        return try Canvas(size: size, covered: PixelRect(size), background: background.opaque(unless: false))
            .compose(
                image)
    }

    private static func naming<R>(_ file: ImageFile, _ body: () throws(VipsError) -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw RenderingError.decoding(file.opened, log: error.log)
        }
    }
}

/// The format of converted pixels.
package struct ConvertedSamples: Sendable {
    package let bands: Int
    package let hasAlpha: Bool
    /// libvips' nickname of the color space, "srgb" or "b-w".
    package let interpretation: String

    package init(bands: Int, hasAlpha: Bool, interpretation: String) {
        (self.bands, self.hasAlpha, self.interpretation) = (bands, hasAlpha, interpretation)
    }

    /// Turns pixels in stored orientation upright.
    package func picture(
        _ bytes: [UInt8], _ stored: PixelSize<StoredGrid>, _ orientation: Orientation
    ) -> Picture {
        let size = orientation.uprightSize(stored)
        let upright =
            orientation == .up
            ? bytes
            : bytes.turned(
                width: stored.width, bands: bands, transposes: orientation.transposes,
                flipsX: orientation.flipsX, flipsY: orientation.flipsY)
        return Picture(
            size: PixelSize(width: size.width, height: size.height), bands: bands, depth: 8,
            hasAlpha: hasAlpha, profile: nil, interpretation: interpretation, bytes: upright)
    }
}
