/// Parts of a file that have arrived, bounded in bytes: the least recently used are dropped first.
struct ByteStore {
    /// Consecutive bytes; no two parts overlap.
    private struct Part {
        var range: Range<Int>
        /// Nil where they are elsewhere.
        var bytes: [UInt8]?
        var lastUse: Int
    }

    /// In the order of their positions.
    private var parts: [Part] = []
    private var clock = 0
    /// The number of bytes that are kept.
    private(set) var count = 0
    /// The number of parts that were dropped.
    private(set) var drops = 0
    private let capacity: Int
    private let keepsBytes: Bool

    /// - Parameter keepsBytes: Whether it keeps bytes, or only which ones are there.
    init(capacity: Int, keepsBytes: Bool) {
        self.capacity = capacity
        self.keepsBytes = keepsBytes
    }

    /// Adds bytes, and returns the ranges that are dropped for them; bytes that are there already are kept as they are.
    mutating func insert(_ bytes: [UInt8], at start: Int) -> [Range<Int>] {
        for range in missing(in: start..<(start + bytes.count)) {
            let part =
                keepsBytes ? Array(bytes[(range.lowerBound - start)..<(range.upperBound - start)]) : nil
            clock += 1
            let new = Part(range: range, bytes: part, lastUse: clock)
            parts.insert(new, at: firstIndex(endingAfter: range.lowerBound))
            count += range.count
        }
        var ranges: [Range<Int>] = []
        while count > capacity, parts.count > 1,
            let oldest = parts.indices.min(by: { parts[$0].lastUse < parts[$1].lastUse })
        {
            let dropped = parts.remove(at: oldest).range
            ranges.append(dropped)
            drops += 1
            count -= dropped.count
        }
        return ranges
    }

    /// Copies the bytes that are there from a position on, up to the first missing one, and returns their number.
    ///
    /// Copies nothing where it does not keep bytes.
    mutating func copy(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        var index = firstIndex(endingAfter: position)
        while done < buffer.count, index < parts.count, parts[index].range.lowerBound <= position + done {
            let range = parts[index].range
            let offset = position + done - range.lowerBound
            let length = min(range.count - offset, buffer.count - done)
            // Inside of the buffer, by the minimum.
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + length)])
            if let bytes = parts[index].bytes {
                unsafe bytes.withUnsafeBytes {
                    unsafe target.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + length)]))
                }
            }
            clock += 1
            parts[index].lastUse = clock
            done += length
            index += 1
        }
        return done
    }

    /// The parts of a range that are not there.
    func missing(in range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var position = range.lowerBound
        var index = firstIndex(endingAfter: position)
        while position < range.upperBound {
            guard index < parts.count, parts[index].range.lowerBound < range.upperBound else {
                result.append(position..<range.upperBound)
                break
            }
            let next = parts[index].range
            if next.lowerBound > position { result.append(position..<next.lowerBound) }
            position = next.upperBound
            index += 1
        }
        return result
    }

    /// The first part whose end is behind a position.
    private func firstIndex(endingAfter position: Int) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].range.upperBound > position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension [Range<Int>] {
    /// The ranges without the parts that lie in another one.
    func subtracting(_ other: Range<Int>) -> [Range<Int>] {
        flatMap { range in
            [
                range.lowerBound..<Swift.min(range.upperBound, Swift.max(range.lowerBound, other.lowerBound)),
                Swift.max(range.lowerBound, Swift.min(range.upperBound, other.upperBound))..<range.upperBound,
            ].filter { !$0.isEmpty && !other.isEmpty }
                + (other.isEmpty ? [range] : [])
        }
    }

    /// The ranges in order, joined where less than `gap` bytes are between two.
    func joined(gap: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = result.last, range.lowerBound - last.upperBound <= gap {
                result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
