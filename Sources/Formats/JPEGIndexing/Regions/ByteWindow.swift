internal import Containers
internal import Files

/// Consecutive bytes of a file, addressed by their positions in the file.
///
/// Every access checks its bounds, in release builds too. The lifetime is not checked, hence the unsafe
/// initializer: its caller promises that the memory outlives the view. `ByteWindow` makes all views.
// The memory is only read, and the address stays in this file.
@safe struct UnsafeByteView: @unchecked Sendable {
    /// The address that the first byte of the file would have.
    private let origin: UInt
    /// The position of the first byte.
    let start: Int
    /// The position behind the last byte: the size of the file where the view holds all of it.
    let end: Int
    /// The number of positions, from `start` on, at which eight bytes can be read.
    private let wordCount: UInt

    // The caller promises the life of the memory; a buffer without an address is empty and never read.
    @unsafe fileprivate init(_ buffer: UnsafeRawBufferPointer, at start: Int = 0) {
        origin = UInt(bitPattern: buffer.baseAddress) &- UInt(bitPattern: start)
        self.start = start
        end = start + buffer.count
        wordCount = UInt(max(0, buffer.count - 7))
    }

    @inline(__always)
    private func address(_ position: Int) -> UnsafeRawPointer {
        // Inside of a buffer that has an address.
        unsafe UnsafeRawPointer(bitPattern: origin &+ UInt(bitPattern: position)).unsafelyUnwrapped
    }

    @inline(__always)
    subscript(_ position: Int) -> UInt8 {
        precondition(position >= start && position < end, "a byte outside of the view")
        // Checked above.
        return unsafe address(position).load(as: UInt8.self)
    }

    /// Eight bytes, the first in the highest bits; nil where not all of them are in the view.
    @inline(__always)
    func bigEndian64(at position: Int) -> UInt64? {
        // One comparison for both ends: positions before `start` wrap around to huge numbers.
        guard UInt(bitPattern: position &- start) < wordCount else { return nil }
        // Checked above.
        return unsafe UInt64(bigEndian: address(position).loadUnaligned(as: UInt64.self))
    }

    /// A copy of some bytes; the range must be inside.
    func array(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= start && range.upperBound <= end, "bytes outside of the view")
        guard !range.isEmpty else { return [] }
        // Checked above.
        return unsafe Array(UnsafeRawBufferPointer(start: address(range.lowerBound), count: range.count))
    }
}

/// The part of a JPEG that is in memory: all of it if it is lent, otherwise a window that moves over the file.
///
/// Readers load bytes before they read them. Bytes that can no longer be read end the data, and readers find it
/// broken there; `OpenFile.check` gives the reason. One thread uses a window.
@safe final class ByteWindow: ContainerBytes {
    /// What is in memory; invalid once the window has moved.
    private(set) var data: UnsafeByteView
    /// The size of the file, or the position up to which it could be read.
    package private(set) var count: Int
    /// The first position that must stay in memory when the window moves.
    var retainedStart = Int.max
    /// The end of the range that the present readers need.
    private var requiredEnd = Int.max
    private let file: (any RandomAccessBytes)?
    /// The fewest bytes to read when more are needed.
    let readAhead: Int
    /// What was announced of a file whose reader does not know how far it reads.
    private(set) var announcedEnd = 0
    /// Whether to read more only when an MCU might not be there as a whole: the reader hardly needs what is behind.
    private let movesLate: Bool
    /// Whether the reader is cancelled: the data then ends where it is loaded.
    private let isCancelled: @Sendable () -> Bool
    private var buffer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Ranges of a remote file that were requested, and do not move the window.
    private var expected = ExpectedRanges()

    /// The bytes kept before a reader's position: it may step back over what it has read ahead.
    private static let margin = 64
    /// For readers of whole files: what stays in the processor's cache.
    static let sequentialReadAhead = 1 << 19

    /// Calls `body` with a window of a span's bytes, which is empty afterwards.
    static func lending<Result: ~Copyable, Failure: Error>(
        _ span: RawSpan, _ body: (ByteWindow) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The span keeps the memory alive during the call. Readers on other threads end before `body` does.
        try unsafe span.withUnsafeBytes { (buffer) throws(Failure) -> Result in
            let window = ByteWindow(unsafe UnsafeByteView(buffer))
            defer { window.close() }
            return try body(window)
        }
    }

    /// All bytes of a file in memory.
    private init(_ data: UnsafeByteView) {
        self.data = data
        count = data.end
        file = nil
        readAhead = 0
        movesLate = false
        isCancelled = { false }
    }

    /// Nothing of a file yet.
    init(
        _ file: any RandomAccessBytes, readAhead: Int = sequentialReadAhead, movesLate: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.file = file
        self.readAhead = readAhead
        self.movesLate = movesLate
        self.isCancelled = isCancelled
        count = file.count
        data = unsafe UnsafeByteView(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    // Views are used while their window lives.
    deinit { unsafe buffer.deallocate() }

    private func close() {
        count = 0
        data = unsafe UnsafeByteView(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// A window of the same file for a reader on another thread.
    ///
    /// - Parameter size: the bytes that the reader needs, and hardly any behind them; nil for one that reads on.
    func duplicate(of size: Int? = nil) -> ByteWindow {
        guard let file else { return ByteWindow(data) }
        return ByteWindow(
            file, readAhead: size ?? readAhead, movesLate: size != nil, isCancelled: isCancelled)
    }

    /// Announces a range that windows of the same file will load soon, so that it is asked for at once.
    func willRead(_ range: Range<Int>) { file?.willRead([range.clamped(to: 0..<count)]) }

    /// Announces some bytes from a position on, of which not all may be read.
    func announce(_ length: Int, from position: Int) {
        announcedEnd = min(position + length, count)
        let middle = position + (announcedEnd - position) / 2
        // Two ranges: behind a single one, more would be requested for a scan that goes on.
        if announcedEnd > position { file?.willRead([position..<middle, middle..<announcedEnd]) }
    }

    /// A byte; nil behind the last.
    func byte(_ position: Int) -> UInt8? {
        if position >= data.start, position < data.end { return data[position] }
        guard position >= 0, position < count else { return nil }
        if let range = expected.range(with: position) {
            return (try? file?.bytes(range)).map { $0[position - range.lowerBound] }
        }
        load(position, position + 1)
        return position < data.end ? data[position] : nil
    }

    package var isRemote: Bool { file?.isRemote ?? false }

    package func expect(_ ranges: [Range<Int>]) {
        if let file { expected.insert(ranges, of: file) }
    }

    /// A byte; zero where it can no longer be read, which ends the data.
    package subscript(_ position: Int) -> UInt8 { byte(position) ?? 0 }

    /// Does nothing: bytes that can no longer be read end the data.
    package func check() throws(FileError) {}

    /// A copy of some bytes; nil where not all of them are there.
    func array(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        if range.lowerBound >= data.start, range.upperBound <= data.end { return data.array(range) }
        // Without moving: segments are copied while pixels are read elsewhere.
        return try? file?.bytes(range)
    }

    /// Loads what a reader at a position begins with.
    func load(at position: Int) {
        if holdsMargin(of: position) {
            let isEnough = data.end >= count || position + Self.margin <= data.end
            if isEnough || position < requiredEnd && requiredEnd <= data.end { return }
        }
        requiredEnd = .max
        load(position, position + Self.margin)
    }

    /// Loads what a reader at a position begins with, where the end of what it reads is not known.
    func loadStart(at position: Int) {
        // That of a range loaded before could end too early.
        requiredEnd = .max
        load(at: position)
    }

    /// Loads a range for readers that need nothing behind it.
    func load(_ range: Range<Int>) {
        let upper = min(range.upperBound, count)
        if !holdsMargin(of: range.lowerBound) || upper > data.end {
            load(range.lowerBound, upper, ahead: false)
        }
        requiredEnd = upper
    }

    /// Whether the bytes just before a position are loaded.
    private func holdsMargin(of position: Int) -> Bool {
        data.start == 0 || position - Self.margin >= data.start
    }

    /// The number of MCUs from a position on that can be read with the loaded bytes: all, or at least one.
    ///
    /// - Parameter size: the most bytes of an MCU.
    @inline(__always)
    func loadedMCUs(upTo limit: Int, of size: Int, at position: Int) -> Int {
        let end = data.end
        if end >= count || end >= requiredEnd || end &- position >= limit &* size { return limit }
        return loadMCUs(upTo: limit, of: size, at: position)
    }

    @inline(never)
    private func loadMCUs(upTo limit: Int, of size: Int, at position: Int) -> Int {
        // Early enough that runs do not shrink to single MCUs before the window moves.
        let threshold = movesLate ? size : max(size, min(16 * size, readAhead / 4))
        if data.end - position < threshold { load(position, position + size) }
        guard data.end < count else { return limit }
        return min(limit, max(1, (data.end - position) / size))
    }

    /// Moves the window to a position: loads the bytes up to `upper` at least.
    private func load(_ position: Int, _ upper: Int, ahead: Bool = true) {
        guard let file else { return }
        let start = max(0, min(position, retainedStart) - Self.margin)
        let end = min(ahead ? max(upper, position + readAhead) : upper, count)
        guard start < end else { return }
        let overlaps = start >= data.start && start < data.end
        let old = overlaps ? data.end - start : 0
        if unsafe buffer.count < end - start {
            // Where passed bytes are retained, some spare room avoids a copy for each move.
            let spare = retainedStart == .max ? 0 : (end - start) / 4
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(end - start, readAhead + 2 * Self.margin) + spare, alignment: 16)
            // Both have room for what is kept.
            unsafe larger.copyMemory(
                from: old > 0 ? loaded(start, old) : UnsafeRawBufferPointer(start: nil, count: 0))
            unsafe buffer.deallocate()
            unsafe buffer = larger
        } else if old > 0, start > data.start {
            // Down inside of the buffer; the two may overlap.
            unsafe buffer.copyMemory(from: loaded(start, old))
        }
        var length = max(old, end - start)
        do throws(FileError) {
            if isCancelled() { throw .changed }
            // The buffer has room for the length.
            try unsafe file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[old..<length]), at: start + old)
        } catch {
            // What was loaded stays; behind it the file ends.
            length = old
            count = start + old
        }
        // The memory stays in place until the window moves again.
        data = unsafe UnsafeByteView(UnsafeRawBufferPointer(rebasing: buffer[0..<length]), at: start)
    }

    /// Bytes that are in the buffer, by their position in the file.
    private func loaded(_ start: Int, _ length: Int) -> UnsafeRawBufferPointer {
        let offset = start - data.start
        return unsafe UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset + length)])
    }
}
