extension PNGEncoder {
    /// The whole PNG file of `pixels`.
    ///
    /// `pixels` are `height * width * format.bytesPerPixel` bytes. RGB and RGBA of at most 256 colors are
    /// written with a palette where that is smaller.
    public func encode(_ pixels: RawSpan, as format: PNGFormat) throws(PNGEncodingError) -> [UInt8] {
        let expected = try format.byteCount()
        guard pixels.byteCount == expected else {
            throw .sizeMismatch(expected: expected, actual: pixels.byteCount)
        }
        // The span outlives this call, and nothing below keeps the address.
        return try unsafe pixels.withUnsafeBytes { (bytes) throws(PNGEncodingError) -> [UInt8] in
            // `bytes` holds exactly the rows of `format`: checked above.
            try encode(unsafe Bytes(bytes), as: format)
        }
    }

    /// The whole PNG file of samples of 8 bits.
    public func encode(_ samples: Span<UInt8>, as format: PNGFormat) throws(PNGEncodingError) -> [UInt8] {
        // Bytes have no padding that could be read.
        unsafe try encode(samples.bytes, as: format)
    }

    /// The whole PNG file of samples of 16 bits.
    public func encode(_ samples: Span<UInt16>, as format: PNGFormat) throws(PNGEncodingError) -> [UInt8] {
        // Integers have no padding that could be read.
        unsafe try encode(samples.bytes, as: format)
    }

    private func encode(_ pixels: Bytes, as format: PNGFormat) throws(PNGEncodingError) -> [UInt8] {
        let direct = Scanlines(pixels: pixels, format: format, palette: nil)
        var plan = Plan(scanlines: direct, filter: .none, estimate: .max)
        if level != .store {
            let compressor = try Compressor(level: level)
            plan = Plan.best(of: direct, with: compressor)
            if let palette = Palette(pixels, format: format) {
                let indexed = Scanlines(pixels: pixels, format: format, palette: palette)
                plan = plan.orSmaller(Plan.measured(indexed, filter: .none, with: compressor))
            }
        }
        var chunks = ChunkWriter()
        chunks.writeHeader(format, palette: plan.scanlines.palette)
        try chunks.writeColor(format.colorSpace)
        chunks.writeResolution(format.pixelsPerMeter)
        if let palette = plan.scanlines.palette { chunks.writePalette(palette) }
        chunks.writeImageData(
            try ImageData(plan.scanlines, filter: plan.filter, level: level, threads: threads))
        chunks.write("IEND", [])
        return chunks.file
    }
}

/// Writes pixels as PNG files: fast on photographs, exact always, the same bytes on every run.
///
/// The bytes depend on the pixels, the format and the level, never on `threads`.
public struct PNGEncoder: Hashable, Sendable {
    /// How much time goes into making the file small.
    public enum Level: String, CaseIterable, Hashable, Sendable {
        /// Several times faster than zlib, and smaller on photographs.
        case fast
        /// About a tenth smaller than `fast` on photographs, in the time that zlib takes.
        case small
        /// Not compressed at all.
        case store
    }

    public var level: Level
    /// How many threads may work on one large image: 1 or 2.
    public var threads: Int

    public init(level: Level = .fast, threads: Int = 1) {
        self.level = level
        self.threads = threads
    }
}
