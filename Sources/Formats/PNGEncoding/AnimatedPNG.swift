internal import Basics

/// An animated PNG, built frame by frame.
///
/// All frames have the size and the channels of the format. Programs that do not support animation show the first
/// frame. Source: PNG (third edition), section 11.3.6.
public struct AnimatedPNG: Sendable {
    private let format: PNGFormat
    private let encoder: PNGEncoder
    /// The duration of a frame, as a fraction of a second.
    private let delay: (numerator: UInt16, denominator: UInt16)
    private let framesPerSecond: Double
    /// The duration of each frame in milliseconds; nil where all are equal.
    private var delays: [Int]?
    /// The number of times it plays; 0 for an endless loop.
    private var plays = 0
    private var frames: [[UInt8]] = []

    /// Creates an animation without frames.
    ///
    /// - Parameters:
    ///   - format: The size and the samples of all frames.
    ///   - framesPerSecond: A positive number, clamped to the range from 1/655 to 65535.
    ///   - encoder: The encoder of the frames.
    public init(_ format: PNGFormat, framesPerSecond: Double, encoder: PNGEncoder = PNGEncoder()) {
        self.format = format
        self.encoder = encoder
        self.framesPerSecond = framesPerSecond
        // Hundredths of a frame per second are precise enough. `append` throws if the number is not positive.
        let rate = framesPerSecond > 0 ? min(framesPerSecond, 65535) : 1
        delay =
            rate >= 100 ? (1, UInt16(rate.rounded())) : (100, UInt16(max((rate * 100).rounded(), 1)))
    }

    /// Creates an animation without frames, with the duration of each in milliseconds.
    ///
    /// - Parameter plays: The number of times it plays; 0 for an endless loop.
    package init(_ format: PNGFormat, delays: [Int], plays: Int, encoder: PNGEncoder) {
        self.init(format, framesPerSecond: 10, encoder: encoder)
        (self.delays, self.plays) = (delays, plays)
    }

    /// Appends a frame.
    ///
    /// - Parameter pixels: The rows from the top, without gaps.
    /// - Throws: `PNGEncodingError` if the pixels do not match the format, or the frame rate is not a positive finite
    ///   number; `CancellationError` soon after the surrounding task, if any, is cancelled.
    public mutating func append(_ pixels: Span<UInt8>) throws {
        guard framesPerSecond > 0, framesPerSecond.isFinite else {
            throw PNGEncodingError.invalidFrameRate(framesPerSecond)
        }
        frames.append(try encoder.zlibStream(of: pixels, as: format))
    }

    /// Returns the file.
    ///
    /// - Throws: `PNGEncodingError.unsupportedSize` if there are no frames, `invalidProfile` if the format's profile is
    ///   invalid.
    public func finished() throws(PNGEncodingError) -> [UInt8] {
        guard !frames.isEmpty else { throw .unsupportedSize(width: 0, height: 0) }
        var chunks = ChunkWriter()
        chunks.writeHeader(format, palette: nil)
        try chunks.writeColor(format)
        chunks.write("acTL", UInt32(frames.count).bytes(.big) + UInt32(clamping: plays).bytes(.big))
        var sequence: UInt32 = 0
        for (index, frame) in frames.enumerated() {
            chunks.write("fcTL", control(sequence, ofFrame: index))
            sequence += 1
            guard index > 0 else {
                chunks.write("IDAT", frame)
                continue
            }
            chunks.write("fdAT", sequence.bytes(.big) + frame)
            sequence += 1
        }
        chunks.write("IEND", [])
        return chunks.file
    }

    /// Returns the fcTL data of a frame that covers the whole image and replaces the previous frame.
    private func control(_ sequence: UInt32, ofFrame index: Int) -> [UInt8] {
        var delay = delay
        if let delays, delays.indices.contains(index) { delay = Self.fraction(ofMilliseconds: delays[index]) }
        let size = UInt32(format.width).bytes(.big) + UInt32(format.height).bytes(.big)
        let origin = UInt32(0).bytes(.big) + UInt32(0).bytes(.big)
        return sequence.bytes(.big) + size + origin + delay.numerator.bytes(.big)
            + delay.denominator.bytes(.big)
            + [0, 0]
    }

    /// Returns a duration in milliseconds, or in whole seconds where that is too long for 16 bits.
    private static func fraction(ofMilliseconds delay: Int) -> (numerator: UInt16, denominator: UInt16) {
        UInt16(exactly: max(delay, 0)).map { ($0, 1000) } ?? (UInt16(clamping: delay / 1000), 1)
    }
}
