internal import Basics

/// Writes pixels as PNG files: lossless, fast on photographs, and reproducible.
///
/// The bytes of a file depend on the pixels, the format and the level, and on the versions of libdeflate and ISA-L, not
/// on `threads`. BGR samples and rows with gaps are encoded without copying the image.
public struct PNGEncoder: Hashable, Codable, Sendable {
    /// The trade-off between time and size.
    public enum Level: String, CaseIterable, Hashable, Codable, Sendable {
        /// The fastest: filters and prefix codes without a search for matches.
        case fast
        /// Several times faster than zlib, and smaller on photographs.
        case standard = "default"
        /// The smallest files, up to a hundred times slower than `standard`.
        case small
        /// No compression: the fastest, with files as large as the pixels.
        case store
    }

    /// The trade-off between time and size; the pixels are the same at each level.
    public var level: Level
    /// The number of threads for one large image, clamped to 1 or 2.
    public var threads: Int

    /// Whether RGB and RGBA of at most 256 colors may have a palette.
    package var usesPalette = true

    private enum CodingKeys: String, CodingKey { case level, threads }

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - level: The trade-off between time and size.
    ///   - threads: The number of threads for one large image, 1 or 2.
    public init(level: Level = .standard, threads: Int = 1) {
        self.level = level
        self.threads = threads
    }

    /// Returns the PNG file of an image.
    ///
    /// RGB and RGBA of at most 256 colors are written with a palette where that is smaller.
    ///
    /// - Parameters:
    ///   - pixels: The rows from the top.
    ///   - format: The size and the samples of the pixels.
    ///   - bytesPerRow: The distance between the starts of two rows. The last row may lack the gap, and bytes after it
    ///     are ignored. If nil, rows have no gaps, and `pixels` contains exactly their bytes.
    /// - Throws: `PNGEncodingError` if `pixels` do not match `format`, PNG does not support it, or memory is short;
    ///   `CancellationError` soon after the surrounding task, if any, is cancelled.
    public func encode(
        _ pixels: RawSpan, as format: PNGFormat, bytesPerRow: Int? = nil
    ) throws -> [UInt8] {
        let stride = try format.stride(of: pixels.byteCount, bytesPerRow)
        // The span outlives this call, and nothing below keeps the address.
        return try unsafe pixels.withUnsafeBytes { (bytes) throws -> [UInt8] in
            // Not empty: checked above.
            try encode(format.rows(unsafe UnsafeByteView(bytes), stride: stride), as: format)
        }
    }

    /// Returns the PNG file of an image with samples of 8 bits.
    ///
    /// - Parameters:
    ///   - samples: The rows from the top.
    ///   - format: The size and the samples of the pixels.
    ///   - bytesPerRow: The distance between the starts of two rows; nil if rows have no gaps.
    /// - Throws: `PNGEncodingError` and `CancellationError`, as for raw bytes.
    public func encode(
        _ samples: Span<UInt8>, as format: PNGFormat, bytesPerRow: Int? = nil
    ) throws -> [UInt8] {
        // Bytes have no padding that could be read.
        unsafe try encode(samples.bytes, as: format, bytesPerRow: bytesPerRow)
    }

    /// Returns the PNG file of an image with samples of 16 bits in native byte order.
    ///
    /// - Parameters:
    ///   - samples: The rows from the top.
    ///   - format: The size and the samples of the pixels.
    ///   - bytesPerRow: The distance between the starts of two rows in bytes; nil if rows have no gaps.
    /// - Throws: `PNGEncodingError` and `CancellationError`, as for raw bytes.
    public func encode(
        _ samples: Span<UInt16>, as format: PNGFormat, bytesPerRow: Int? = nil
    ) throws -> [UInt8] {
        // Integers have no padding that could be read.
        unsafe try encode(samples.bytes, as: format, bytesPerRow: bytesPerRow)
    }

    private func encode(_ pixels: PixelRows, as format: PNGFormat) throws -> [UInt8] {
        let direct = Scanlines(pixels: pixels, format: format, palette: nil)
        var plan = try Plan.best(of: direct, level)
        if usesPalette, level != .store, let palette = Palette(pixels, format: format) {
            let indexed = Scanlines(pixels: pixels, format: format, palette: palette)
            plan = plan.orSmaller(try Plan.best(ofIndexed: indexed, level))
        }
        plan = try plan.preferringISAL()
        var chunks = ChunkWriter()
        chunks.writeHeader(format, palette: plan.scanlines.palette)
        try chunks.writeColor(format)
        chunks.writeResolution(format.pixelsPerMeter)
        if let palette = plan.scanlines.palette { chunks.writePalette(palette) }
        let size = plan.scanlines.height * plan.scanlines.filteredRowBytes
        chunks.reserve(min(plan.estimate, size) / 16 * 17)
        try compress(plan) { chunks.writeImageData($0) }
        chunks.write("IEND", [])
        return chunks.file
    }

    private func compress(_ plan: Plan, _ use: ([UInt8]) -> Void) throws {
        let data = ImageData(
            scanlines: plan.scanlines, filter: plan.filter, level: level, method: plan.method)
        // Not more threads than processors: a process that was forked has no others.
        let threads = min(threads, 2, Processors.count)
        try CancellationCheck.run { check throws in
            try data.compress(threads: threads, isCancelled: { check.isCancelled }, use)
        }
    }

    /// Returns the filtered and compressed rows as one zlib stream, without a palette.
    package func zlibStream(of samples: Span<UInt8>, as format: PNGFormat) throws -> [UInt8] {
        let stride = try format.stride(of: samples.count, nil)
        // The span outlives the call, and the stream is a copy.
        return try unsafe samples.withUnsafeBytes { (bytes) throws -> [UInt8] in
            let pixels = format.rows(unsafe UnsafeByteView(bytes), stride: stride)
            var stream: [UInt8] = []
            let rows = Scanlines(pixels: pixels, format: format, palette: nil)
            try compress(try Plan.best(of: rows, level).preferringISAL()) { stream += $0 }
            return stream
        }
    }
}
