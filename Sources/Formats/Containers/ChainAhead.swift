internal import Basics
package import Files

/// Short ranges of a file that is not on this machine, which were requested before they are read.
package struct ExpectedRanges {
    /// In the order of their positions; no two overlap.
    private var ranges: [Range<Int>] = []

    package init() {}

    /// Requests ranges together.
    package mutating func insert(_ new: [Range<Int>], of file: any RandomAccessBytes) {
        let inside = new.map { $0.clamped(to: 0..<file.count) }.filter { !$0.isEmpty }
        file.willRead(inside)
        for range in inside where self.range(with: range.lowerBound) == nil {
            let next = index(after: range.lowerBound)
            let end = next < ranges.count ? min(range.upperBound, ranges[next].lowerBound) : range.upperBound
            ranges.insert(range.lowerBound..<end, at: next)
        }
    }

    /// Returns the range that has a position.
    package func range(with position: Int) -> Range<Int>? {
        let next = index(after: position)
        return next > 0 && ranges[next - 1].contains(position) ? ranges[next - 1] : nil
    }

    /// The first range that begins behind a position.
    private func index(after position: Int) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound > position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Requests the heads of links that are likely to follow in a chain, where each link states the length of the next step.
///
/// Writers divide what is long into links of one length, so where a step is equal to the one before, the next ones are
/// likely to be. Those at a distance of less than a page are read with their neighbors anyway.
package struct ChainAhead {
    /// The bytes at the start of a link that readers look at.
    private let head: Int
    private var last: Int?
    private var step = 0
    /// How many links at this distance were requested and not visited.
    private var left = 0
    private var most = Self.fewest

    /// The bytes that are read together.
    private static let page = 1 << 12
    /// The links that are requested together at first, and at most.
    private static let (fewest, mostLinks) = (8, 256)

    package init(head: Int) { self.head = head }

    /// Visits a link before it is read.
    package mutating func visit(_ position: Int, in bytes: some ContainerBytes) {
        guard bytes.isRemote else { return }
        let (former, isFirst) = (step, last == nil)
        step = position - (last ?? position)
        last = position
        if left > 0, step == former {
            left -= 1
            return
        }
        guard !isFirst, step > Self.page else { return }
        // What is not equal is guessed once more at a time.
        most = step == former ? min(2 * most, Self.mostLinks) : Self.fewest
        left = min(most, (bytes.count - position) / step)
        bytes.expect((0...left).map { (position + $0 * step)..<(position + $0 * step + head) })
    }
}
