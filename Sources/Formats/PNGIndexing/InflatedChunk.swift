/// A part of the inflated stream, behind the 32 KB before it that matches may refer to.
// One thread fills it, then another one reads it: `ChunkPipeline` hands it over.
@safe final class InflatedChunk: @unchecked Sendable {
    /// The size of deflate's window.
    static let window = 1 << 15
    /// The longest match, and what the decoder writes too much.
    private static let slack = 258 + 32

    /// The memory: the window, the chunk and room for a last symbol.
    let bytes: UnsafeMutableRawPointer
    /// The chunk is full once `end` reaches this.
    private(set) var limit: Int
    /// The most bytes of a chunk, without those of its last symbol.
    let size: Int
    /// The position behind the last byte; the chunk itself begins at `window`.
    var end = InflatedChunk.window
    /// The oldest position that matches may refer to.
    private(set) var oldest = InflatedChunk.window
    /// Positions below are tracked.
    private(set) var trackedEnd = 0
    /// Whether matches refer to each position below `trackedEnd`.
    private(set) var references: [Bool] = []
    /// The position of the chunk in the inflated stream.
    private(set) var start = 0

    /// - Parameter size: The bytes of a chunk; a last symbol may add up to 257.
    init(size: Int) {
        self.size = size
        limit = Self.window + size
        // Freed in deinit. The memory before the first chunk is never referred to.
        unsafe bytes = .allocate(byteCount: limit + Self.slack, alignment: 64)
    }

    // No other owner.
    deinit { unsafe bytes.deallocate() }

    /// Prepares for the chunk at a position of the inflated stream, with the bytes before it.
    func begin(at position: Int, window: [UInt8]) {
        let kept = min(window.count, Self.window, position)
        // A window with fewer bytes lacks only some that no match refers to.
        unsafe window.withUnsafeBytes {
            // The last bytes of the array.
            guard kept > 0, let base = $0.baseAddress else { return }
            unsafe (bytes + (Self.window - kept)).copyMemory(
                from: base + (window.count - kept), byteCount: kept)
        }
        start = position
        (oldest, end, trackedEnd) = (Self.window - kept, Self.window, 0)
    }

    /// Lets the chunk be full where the inflated stream reaches a position, if it has room for it.
    func limit(to position: Int) {
        limit = Self.window + min(size, max(0, position - start))
    }

    /// Moves the chunk to a position of the inflated stream that was not known before.
    func place(at position: Int) { start = position }

    /// The last bytes, as many as matches can refer to.
    var windowAfter: [UInt8] {
        // Written by the decoder.
        unsafe [UInt8](
            UnsafeRawBufferPointer(
                start: bytes + max(oldest, end - Self.window), count: min(end - oldest, Self.window)))
    }

    /// The position in the inflated stream behind the last byte.
    var nextStart: Int { start + end - Self.window }

    /// The bytes of the chunk.
    var contents: UnsafeRawBufferPointer {
        // Written by the decoder.
        unsafe UnsafeRawBufferPointer(start: bytes + Self.window, count: end - Self.window)
    }

    /// The bytes before the chunk, at most a window.
    var windowBefore: [UInt8] {
        // Written by `follow` or `begin`.
        unsafe [UInt8](UnsafeRawBufferPointer(start: bytes + oldest, count: Self.window - oldest))
    }
}

extension InflatedChunk {
    /// Notes from now on which bytes of the window matches refer to.
    func trackReferences() {
        trackedEnd = Self.window
        references = [Bool](repeating: false, count: Self.window)
    }

    @inline(never)
    func track(_ range: Range<Int>) {
        for position in range { references[position] = true }
    }
}
