/// An animated PNG, frame by frame: programs that know no animation show the first one.
///
/// Source: PNG (third edition), section 11.3.6. All frames have the size and the channels of the format.
public struct AnimatedPNG: Sendable {
    private let format: PNGFormat
    private let encoder: PNGEncoder
    /// How long a frame is seen, as a fraction of a second.
    private let delay: (numerator: UInt16, denominator: UInt16)
    private var frames: [[UInt8]] = []

    /// - Parameter framesPerSecond: from 1/655 to 65535; other rates are taken to the nearest of these.
    public init(_ format: PNGFormat, framesPerSecond: Double, encoder: PNGEncoder = PNGEncoder()) {
        self.format = format
        self.encoder = encoder
        // Hundredths of a frame a second are finer than anybody sees.
        delay =
            framesPerSecond >= 100
            ? (1, UInt16(min(framesPerSecond.rounded(), 65535)))
            : (100, UInt16(max((framesPerSecond * 100).rounded(), 1)))
    }

    /// Adds a frame.
    ///
    /// - Throws: `PNGEncodingError` where the pixels are not those of the format.
    public mutating func append(_ pixels: Span<UInt8>) throws(PNGEncodingError) {
        frames.append(try encoder.zlibStream(of: pixels, as: format))
    }

    /// The file; it plays for ever.
    ///
    /// - Throws: `PNGEncodingError.unsupportedSize` where there is no frame.
    public func finished() throws(PNGEncodingError) -> [UInt8] {
        guard !frames.isEmpty else { throw .unsupportedSize(width: 0, height: 0) }
        var chunks = ChunkWriter()
        chunks.writeHeader(format, palette: nil)
        try chunks.writeColor(format.colorSpace)
        chunks.write("acTL", Self.bytes(UInt32(frames.count)) + Self.bytes(UInt32(0)))
        var sequence: UInt32 = 0
        for (index, frame) in frames.enumerated() {
            chunks.write("fcTL", control(sequence))
            sequence += 1
            guard index > 0 else {
                chunks.write("IDAT", frame)
                continue
            }
            chunks.write("fdAT", Self.bytes(sequence) + frame)
            sequence += 1
        }
        chunks.write("IEND", [])
        return chunks.file
    }

    /// A frame that covers the whole picture and replaces the one before.
    private func control(_ sequence: UInt32) -> [UInt8] {
        let size = Self.bytes(UInt32(format.width)) + Self.bytes(UInt32(format.height))
        let place = Self.bytes(UInt32(0)) + Self.bytes(UInt32(0))
        return Self.bytes(sequence) + size + place + Self.bytes(delay.numerator)
            + Self.bytes(delay.denominator)
            + [0, 0]
    }

    private static func bytes<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

extension PNGEncoder {
    /// The compressed pixels as one zlib stream, without a palette.
    func zlibStream(of samples: Span<UInt8>, as format: PNGFormat) throws(PNGEncodingError) -> [UInt8] {
        let expected = try format.byteCount()
        guard samples.count == expected else {
            throw .sizeMismatch(expected: expected, actual: samples.count)
        }
        // The span outlives the call, and nothing below keeps the address.
        return try unsafe samples.withUnsafeBytes { (bytes) throws(PNGEncodingError) -> [UInt8] in
            let scanlines = Scanlines(pixels: unsafe Bytes(bytes), format: format, palette: nil)
            let plan = Plan.best(of: scanlines, with: try Compressor(level: level))
            let data = try ImageData(scanlines, filter: plan.filter, level: level, threads: threads)
            var stream: [UInt8] = []
            for band in data.bands { band.bytes.append(to: &stream) }
            return stream
        }
    }
}
