/// A part of the inflated stream whose window is not known yet.
///
/// Source of the idea: pugz and rapidgzip, which inflate gzip files in parallel.
@safe final class MarkedChunk {
    /// What was decoded with one call, and where.
    struct Segment {
        var range: Range<Int>
        var position: Inflater.Position
        var dataChunk: ImageDataInput.Chunk
    }

    /// The most symbols of a chunk, without those of its last match.
    private static let size = 1 << 19
    private static let slack = 258

    /// Values below 256 are bytes, others 256 more than the number of a byte of the window before the chunk.
    ///
    /// A window of such markers comes first.
    let symbols: UnsafeMutablePointer<UInt16>
    /// The position behind the last symbol.
    var end = InflatedChunk.window
    /// Decoding stops at this position.
    private(set) var limit = InflatedChunk.window
    private(set) var segments: [Segment] = []

    init() {
        let capacity = InflatedChunk.window + Self.size + Self.slack
        // Freed in deinit; symbols behind the end are never read.
        unsafe symbols = .allocate(capacity: capacity)
        for index in 0..<InflatedChunk.window { unsafe symbols[index] = UInt16(256 + index) }
    }

    // No other owner.
    deinit { unsafe symbols.deallocate() }

    var isFull: Bool { end >= limit }

    /// Removes all symbols.
    func removeAll() {
        (end, limit) = (InflatedChunk.window, InflatedChunk.window)
        segments = []
    }

    /// Decodes up to `count` symbols more; false where there is no room or the stream ends.
    func append(_ count: Int, from inflater: Inflater) throws(PNGIndexError) -> Bool {
        let start = end
        limit = min(end + count, InflatedChunk.window + Self.size)
        guard start < limit else { return false }
        let (position, dataChunk) = (inflater.position, inflater.chunk)
        let continues = try inflater.fill(self)
        segments.append(Segment(range: start..<end, position: position, dataChunk: dataChunk))
        return continues
    }

    /// Appends bytes, as many as the limit allows.
    func append(_ bytes: UnsafeRawBufferPointer) {
        for index in 0..<min(bytes.count, limit - end) {
            // Below the limit.
            unsafe symbols[end + index] = UInt16(bytes[index])
        }
        end += min(bytes.count, limit - end)
    }

    /// The last bytes, as many as matches can refer to; nil while some of them depend on the window.
    var windowAfter: [UInt8]? {
        let start = end - InflatedChunk.window
        var all: UInt16 = 0
        // At least a window of symbols was written.
        // The OR of bytes stays below 256, and that of a marker does not: no branch for each symbol.
        for index in start..<end { unsafe all |= symbols[index] }
        guard all < 256 else { return nil }
        return (start..<end).map { unsafe UInt8(truncatingIfNeeded: symbols[$0]) }
    }

    /// Writes the bytes of a segment into an empty chunk, once the window before all segments is known.
    func resolve(_ segment: Segment, window: [UInt8], into chunk: InflatedChunk) {
        precondition(window.count == InflatedChunk.window && segment.range.count <= chunk.size + Self.slack)
        let target = unsafe (chunk.bytes + InflatedChunk.window).assumingMemoryBound(to: UInt8.self)
        // All markers are numbers of bytes of the window; the chunk has room, as checked above.
        unsafe window.withUnsafeBufferPointer { window in
            for (offset, index) in segment.range.enumerated() {
                let symbol = unsafe Int(symbols[index])
                unsafe target[offset] =
                    symbol < 256 ? UInt8(truncatingIfNeeded: symbol) : window[symbol &- 256]
            }
        }
        chunk.end = InflatedChunk.window + segment.range.count
    }
}
