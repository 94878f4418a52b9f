internal import Files

/// The part of a JPEG that is in memory: all of it where it is lent, else what a reader is at, read from the file.
///
/// Readers ask for bytes before they look at them. What cannot be read any more ends the data, and readers find it
/// broken there; `OpenFile.check` tells why. A window is one thread's.
@safe final class ByteWindow {
    /// What is in memory; readers must not keep it over a call that may move the window.
    private(set) var data: UnsafeByteView
    /// The bytes of the file, or those up to where it could be read.
    private(set) var count: Int
    /// The first position that must stay in memory when the window moves.
    var kept = Int.max
    /// Where readers end for whom the window is enough: nobody needs to look behind it.
    private var end = Int.max
    private let file: OpenFile?
    /// The bytes that are read at least when more are needed.
    private let ahead: Int
    /// Whether nobody needs the data any more: it ends where it is read to then.
    private let isCancelled: @Sendable () -> Bool
    private var buffer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Before the place from which a reader goes on: it looks back over what it has read ahead.
    private static let margin = 64
    /// The most bytes of an MCU: ten blocks of 64 codes and their bits, all of them stuffed.
    private static let bytesPerMCU = 10 * 64 * 4 * 2
    /// For those who read all of a file: what stays in the processor's cache.
    static let longAhead = 1 << 19

    /// All bytes of a file in memory.
    init(_ data: UnsafeByteView) {
        self.data = data
        count = data.count
        file = nil
        ahead = 0
        isCancelled = { false }
    }

    /// Nothing of a file yet.
    init(_ file: OpenFile, ahead: Int = longAhead, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        self.file = file
        self.ahead = ahead
        self.isCancelled = isCancelled
        count = file.count
        data = unsafe UnsafeByteView(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    deinit { unsafe buffer.deallocate() }

    /// Another window of the same file, for another reader.
    var another: ByteWindow { file.map { ByteWindow($0, ahead: ahead, isCancelled: isCancelled) } ?? ByteWindow(data) }

    /// A byte; nil behind the last.
    func byte(_ position: Int) -> UInt8? {
        if position >= data.start, position < data.count { return data[position] }
        guard position >= 0, position < count else { return nil }
        move(to: position, position + 1)
        return position < data.count ? data[position] : nil
    }

    /// A copy of some bytes; nil where not all of them are there.
    func array(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        if range.lowerBound >= data.start, range.upperBound <= data.count { return data.array(range) }
        // Without moving: who copies headers reads pixels elsewhere.
        return try? file?.bytes(range)
    }

    /// Makes ready for a reader at a position.
    func come(to position: Int) {
        if holds(position) {
            let isEnough = data.count >= count || position + Self.margin <= data.count
            if isEnough || position < end && end <= data.count { return }
        }
        end = .max
        move(to: position, position + Self.margin)
    }

    /// Whether a reader at a position finds what is before it.
    private func holds(_ position: Int) -> Bool {
        data.start == 0 || position - Self.margin >= data.start
    }

    /// Makes ready for readers of a range who do not look behind it.
    func cover(_ range: Range<Int>) {
        let upper = min(range.upperBound, count)
        if !holds(range.lowerBound) || upper > data.count { move(to: range.lowerBound, upper) }
        end = upper
    }

    /// How many of the MCUs from a position on can be read with what is in memory: all of them, or at least one.
    @inline(__always)
    func readable(_ wanted: Int, at position: Int) -> Int {
        let loaded = data.count
        if loaded >= count || loaded >= end || loaded &- position >= wanted &* Self.bytesPerMCU {
            return wanted
        }
        return fewer(wanted, at: position)
    }

    @inline(never)
    private func fewer(_ wanted: Int, at position: Int) -> Int {
        if data.count - position < Self.bytesPerMCU { move(to: position, position + Self.bytesPerMCU) }
        guard data.count < count else { return wanted }
        return min(wanted, max(1, (data.count - position) / Self.bytesPerMCU))
    }

    /// Takes the bytes from a position on into memory, and some more.
    private func move(to position: Int, _ upper: Int) {
        guard let file else { return }
        let start = max(0, min(position, kept) - Self.margin)
        let wanted = min(max(upper, position + ahead), count)
        guard start < wanted else { return }
        let isNear = start >= data.start && start < data.count
        let old = isNear ? data.count - start : 0
        if unsafe buffer.count < wanted - start {
            // Those who keep what they have passed get some more, so that it is not copied each time.
            let spare = kept == .max ? 0 : (wanted - start) / 4
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(wanted - start, ahead + 2 * Self.margin) + spare, alignment: 16)
            // Both have room for what is kept.
            unsafe larger.copyMemory(
                from: old > 0 ? kept(start, old) : UnsafeRawBufferPointer(start: nil, count: 0))
            unsafe buffer.deallocate()
            unsafe buffer = larger
        } else if old > 0, start > data.start {
            // Down inside of the buffer; the two may overlap.
            unsafe buffer.copyMemory(from: kept(start, old))
        }
        var length = max(old, wanted - start)
        do throws(FileError) {
            if isCancelled() { throw .changed }
            // The buffer has room for the length.
            try unsafe file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[old..<length]), at: start + old)
        } catch {
            // What was there stays; behind it the file ends.
            length = old
            count = start + old
        }
        // The memory stays in place until the window moves again.
        data = unsafe UnsafeByteView(UnsafeRawBufferPointer(rebasing: buffer[0..<length]), at: start)
    }

    /// Bytes that are in the buffer, by their position in the file.
    private func kept(_ start: Int, _ length: Int) -> UnsafeRawBufferPointer {
        let offset = start - data.start
        return unsafe UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset + length)])
    }
}
