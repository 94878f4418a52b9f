internal import CDeflate
internal import Files

/// The compressed image data of a PNG: the contents of its IDAT chunks, joined.
///
/// The checksums of chunks that are read from their first byte to their last are checked.
@safe final class ImageDataInput {
    /// Where the contents of an IDAT chunk lie.
    struct Chunk: Hashable, Sendable {
        /// The position of the chunk's length in the file.
        var file: Int
        /// The position of its contents in the stream.
        var stream: Int
    }

    /// What the buffer holds before readers get more, unless the stream ends.
    static let margin = 64
    /// The most bytes that are read at once.
    private static let size = 1 << 17
    /// The bytes that are read at once: few of a remote file, so that hardly any are read behind what is needed.
    private let step: Int

    /// The first chunk.
    let first: Chunk
    /// A part of the stream, with `margin` zeros behind it.
    let bytes: UnsafeMutableRawPointer
    /// The position of the first byte in the stream.
    private(set) var start = 0
    /// The number of bytes.
    private(set) var count = 0
    /// Whether the stream ends with these bytes.
    private(set) var isFinal = false

    /// Whether passed bytes are read to check their checksums.
    private let checksPassed: Bool
    private let file: any RandomAccessBytes
    private let isCancelled: @Sendable () -> Bool
    /// The chunks of the bytes, at least the last one.
    private var chunks: [Chunk] = []
    /// The bytes of the last chunk that are not in the buffer yet.
    private var left = 0
    /// The checksum of the last chunk so far; nil where reading began inside of it.
    private var checksum: UInt32?
    private let raw: UnsafeMutableRawPointer
    private var rawRange = 0..<0

    /// - Parameters:
    ///   - first: The first chunk.
    ///   - checksPassed: Whether bytes that are passed are read, too, to check their checksums.
    ///   - isCancelled: Once it returns true, reading throws.
    init(
        _ file: any RandomAccessBytes, _ first: Chunk, checksPassed: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.file = file
        step = file.isRemote ? 1 << 14 : Self.size
        self.checksPassed = checksPassed
        self.first = first
        self.isCancelled = isCancelled
        // Freed in deinit.
        unsafe bytes = .allocate(byteCount: Self.size + 2 * Self.margin, alignment: 64)
        unsafe raw = .allocate(byteCount: Self.size, alignment: 64)
    }

    // No other owner.
    deinit {
        unsafe bytes.deallocate()
        unsafe raw.deallocate()
    }

    /// Continues at a chunk.
    func seek(to chunk: Chunk) throws(PNGIndexError) {
        (start, count, isFinal) = (chunk.stream, 0, false)
        chunks = []
        streamPosition = chunk.stream
        guard try open(chunk) else { throw .brokenData }
    }

    /// The chunk with a byte of the buffer, or with the first one behind it.
    func chunk(of position: Int) -> Chunk {
        chunks.last { $0.stream <= position } ?? first
    }

    /// Drops the bytes before a position and reads more.
    ///
    /// - Throws: `PNGIndexError.truncated` where the position is behind the end.
    func load(from position: Int) throws(PNGIndexError) {
        guard !isCancelled() else { throw .cancelled }
        if chunks.isEmpty { try seek(to: first) }
        guard position >= start else { throw .brokenData }
        let kept = max(0, start + count - position)
        if kept > 0 {
            // Both inside of the buffer; they may overlap.
            unsafe bytes.copyMemory(from: bytes + (count - kept), byteCount: kept)
            start = position
            count = kept
        } else {
            try skip(to: position)
        }
        if let index = chunks.lastIndex(where: { $0.stream <= start }), index > 0 {
            chunks.removeFirst(index)
        }
        let most = min(Self.size - Self.margin, step)
        while count < most, !isFinal { try append() }
        // Behind the bytes there is room for them.
        unsafe (bytes + count).initializeMemory(as: UInt8.self, repeating: 0, count: Self.margin)
    }

    /// Passes bytes that are not in the buffer.
    private func skip(to position: Int) throws(PNGIndexError) {
        var passed = position - streamPosition
        start = position
        count = 0
        while passed > 0 {
            if left == 0, try !openNext() { throw .truncated }
            var part = min(passed, left)
            if checksPassed {
                part = min(part, try rawBytes(1))
                addToChecksum(part)
            } else {
                checksum = nil
            }
            left -= part
            passed -= part
            rawPosition += part
            streamPosition += part
            if left == 0 { try checkChecksum() }
        }
    }

    /// Appends bytes of the last chunk, or opens the next one.
    private func append() throws(PNGIndexError) {
        if left == 0 {
            guard try openNext() else {
                isFinal = true
                return
            }
        }
        let available = try rawBytes(1)
        let part = min(left, available, Self.size - count)
        guard part > 0 else { return }
        let source = unsafe UnsafeRawPointer(raw + (rawPosition - rawRange.lowerBound))
        // Inside of the raw bytes, and below the size of the buffer.
        unsafe (bytes + count).copyMemory(from: source, byteCount: part)
        addToChecksum(part)
        count += part
        left -= part
        rawPosition += part
        streamPosition += part
        if left == 0 { try checkChecksum() }
    }

    /// Adds the next raw bytes, which are in memory, to the checksum.
    private func addToChecksum(_ count: Int) {
        guard let old = checksum else { return }
        // Inside of the raw bytes.
        checksum = unsafe UInt32(
            libdeflate_crc32(old, raw + (rawPosition - rawRange.lowerBound), count))
    }

    /// The position of the next byte in the file.
    private var rawPosition = 0
    /// The position of the next byte in the stream.
    private var streamPosition = 0

    /// Opens the chunk behind the last one; false where it is not an IDAT.
    private func openNext() throws(PNGIndexError) -> Bool {
        // Behind the contents there are four bytes of the checksum. Empty chunks are passed.
        while true {
            guard try open(Chunk(file: rawPosition + 4, stream: streamPosition)) else { return false }
            if left > 0 { return true }
            try checkChecksum()
        }
    }

    /// Opens a chunk; false where it is not an IDAT.
    private func open(_ chunk: Chunk) throws(PNGIndexError) -> Bool {
        rawPosition = chunk.file
        guard chunk.file >= 0, try rawBytes(8, atMost: file.isRemote ? Self.remoteHead : step) >= 8 else {
            throw .truncated
        }
        // Eight bytes: checked above.
        let header = unsafe UInt64(
            bigEndian: (raw + (rawPosition - rawRange.lowerBound)).loadUnaligned(as: UInt64.self))
        guard header & 0xFFFF_FFFF == 0x4944_4154 else { return false }
        left = Int(header >> 32)
        guard left <= Int(Int32.max) else { throw .brokenData }
        // That of the type.
        checksum = 0x35AF_061E
        rawPosition += 8
        if chunks.last?.file != chunk.file { chunks.append(chunk) }
        return true
    }

    private func checkChecksum() throws(PNGIndexError) {
        guard let checksum else { return }
        guard try rawBytes(4) >= 4 else { throw .truncated }
        // Four bytes: checked above.
        let stored = unsafe UInt32(
            bigEndian: (raw + (rawPosition - rawRange.lowerBound)).loadUnaligned(as: UInt32.self))
        guard stored == checksum else { throw .brokenData }
    }

    /// The bytes that are read for the head of a chunk of a remote file: its contents may not be needed.
    private static let remoteHead = 8

    /// Returns how many bytes from `rawPosition` on are in memory, after reading where there are fewer than `needed`.
    ///
    /// - Parameter most: The most bytes that are read; nil for the usual number.
    private func rawBytes(_ needed: Int, atMost most: Int? = nil) throws(PNGIndexError) -> Int {
        if rawPosition >= rawRange.lowerBound, rawPosition + needed <= rawRange.upperBound {
            return rawRange.upperBound - rawPosition
        }
        let end = min(rawPosition + (most ?? step), file.count)
        guard rawPosition + needed <= end else { throw .truncated }
        do throws(FileError) {
            // As large as the size of the buffer at most.
            try unsafe file.read(
                into: UnsafeMutableRawBufferPointer(start: raw, count: end - rawPosition), at: rawPosition)
        } catch {
            throw .truncated
        }
        rawRange = rawPosition..<end
        return end - rawPosition
    }
}
