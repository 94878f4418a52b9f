/// Divides what is missing of a file into requests.
enum RangePlan {
    /// The most bytes of a request, so that several run at the same time.
    private static let mostBytes = 1 << 21

    /// Returns the ranges of each request, for parts of a file that are needed together.
    ///
    /// No two ranges of a request touch: many servers would join them.
    ///
    /// - Parameter mostRanges: The most ranges of a request.
    static func groups(_ missing: [Range<Int>], mostRanges: Int) -> [[Range<Int>]] {
        guard mostRanges > 1 else {
            // Below a gap that takes as long as a request, one range is faster than two.
            var gap = 1 << 16
            var joined = missing.joined(gap: gap)
            let needed = joined.reduce(0) { $0 + $1.count }
            while joined.count > 12 {
                gap *= 2
                let wider = missing.joined(gap: gap)
                // What lies between would take longer than the requests.
                guard wider.reduce(0, { $0 + $1.count }) <= needed + 2 * mostBytes else { break }
                joined = wider
            }
            return joined.flatMap { split($0) }.map { [$0] }
        }
        // The head of a part takes about as much.
        let joined = missing.joined(gap: 256).flatMap { split($0) }
        let total = joined.reduce(0) { $0 + $1.count }
        // A few long ranges gain nothing by two connections, before they are very long.
        let isLong = missing.joined(gap: 256).count <= 4
        let count = max(1, min(2, total >> (isLong ? 22 : 17)))
        let share = max((total + count - 1) / count, 1)
        var groups: [[Range<Int>]] = []
        var size = 0
        for range in joined {
            if groups.isEmpty || size >= share || groups[groups.count - 1].count >= mostRanges {
                groups.append([])
                size = 0
            }
            groups[groups.count - 1].append(range)
            size += range.count
        }
        return groups.map { $0.joined(gap: 0) }
    }

    /// Divides a long range into requests that run at the same time.
    static func split(_ range: Range<Int>) -> [Range<Int>] {
        let size = min(mostBytes, max(1 << 20, (range.count + 3) / 4))
        return stride(from: range.lowerBound, to: range.upperBound, by: size).map {
            $0..<min($0 + size, range.upperBound)
        }
    }
}

/// Recognizes readers that go forward through a file, for which the next bytes are requested early.
///
/// Several threads scan a file from several positions at the same time.
struct ForwardReaders {
    private struct Reader {
        /// Where its first read began.
        let start: Int
        /// The position behind its last read.
        var next: Int
        /// How far ahead of it bytes are requested.
        var ahead = 0
        /// Whether it has read what was not requested before: what is announced needs nothing more.
        var hasMissed: Bool
    }

    /// The last used at the end.
    private var readers: [Reader] = []
    private static let mostReaders = 8
    private static let mostAhead = 1 << 23

    /// Forgets readers that go on in some ranges.
    mutating func end(in ranges: [Range<Int>]) {
        readers.removeAll { reader in ranges.contains { $0.contains(reader.next) } }
    }

    /// Records a read, also of a part of it, and returns how many bytes behind it are requested early.
    ///
    /// Returns 0 for the first read of a reader, and for those that read only what was announced; for others a third of
    /// what they have read: few requests, and little that is not needed where they end.
    ///
    /// - Parameter isMiss: Whether the range was neither there nor requested.
    mutating func ahead(of range: Range<Int>, isMiss: Bool) -> Int {
        let same = readers.lastIndex { $0.next == range.upperBound }
        let before = readers.lastIndex { (($0.next - 128)...($0.next + 4096)).contains(range.lowerBound) }
        guard let index = same ?? before else {
            if readers.count >= Self.mostReaders { readers.removeFirst() }
            readers.append(Reader(start: range.lowerBound, next: range.upperBound, hasMissed: isMiss))
            return 0
        }
        var reader = readers.remove(at: index)
        reader.hasMissed = reader.hasMissed || isMiss
        if same == nil, reader.hasMissed {
            reader.ahead = min(max((range.upperBound - reader.start) / 3, 1 << 16), Self.mostAhead)
        }
        reader.next = range.upperBound
        readers.append(reader)
        return reader.ahead
    }
}

/// What was requested of a file.
package struct RemoteTraffic: Hashable, Sendable {
    package var requests = 0
    /// The bytes of all bodies.
    package var bytes = 0
}

/// What reading a remote file took, for users.
package struct RemoteReport: Hashable, Sendable {
    package var requests: Int
    package var bytes: Int
    /// Whether the server sends ranges; otherwise the file is read as a whole.
    package var hasRanges: Bool
    /// The size of the file in bytes.
    package var size: Int
    /// Whether a decoder without ranges needed a copy of the whole file.
    package var isCopied = false
    /// The name of the sidecar that was used.
    package var sidecar: String?
}
