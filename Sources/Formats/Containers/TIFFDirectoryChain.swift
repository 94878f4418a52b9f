internal import Basics
package import Files

/// The positions of the directories of a TIFF that follow each other, such as those of its pages.
///
/// Each states where the next one is. Writers put those of equal pages at equal distances, so of a file that is not on this
/// machine, those that are likely to follow are requested together; each is checked when it is read. Where the distances
/// differ by little, as those of compressed pages, so much around each is requested, too. Others are requested one after the
/// other.
package struct TIFFDirectoryChain {
    package private(set) var offsets: [Int] = []

    private let file: any RandomAccessBytes
    private let order: ByteOrder
    private let offsetSize: Int
    /// The entries of the last directory.
    private var entries = 0
    /// The distance of the last two, and how many that were requested follow at this distance.
    private var lastStep = 0
    private var expected = 0
    private var guesses = 0
    /// What was requested together, whatever the distances are.
    private var requested: [Range<Int>] = []
    /// The last distances.
    private var steps: [Int] = []

    /// The most directories that are read.
    package static let mostDirectories = 1 << 16

    /// Reads the chain up to its end, to a directory that is outside of the file, or one that was there before.
    ///
    /// - Throws: `FileError` where the file cannot be read.
    package init(_ block: TIFFBlock, in file: any RandomAccessBytes) throws(FileError) {
        (self.file, order, offsetSize) = (file, block.order, block.offsetSize)
        var seen: Set<Int> = []
        var next = block.mainOffset ?? 0
        while next > 0, offsets.count < Self.mostDirectories, seen.insert(next).inserted {
            if file.isRemote { announce(next) }
            guard let following = try read(next) else { break }
            offsets.append(next)
            next = following
        }
    }

    /// The size of a directory without the values that do not fit into its entries.
    private func size(_ entries: Int) -> Int { countSize + entries * (4 + 2 * offsetSize) + offsetSize }

    private var countSize: Int { offsetSize == 8 ? 8 : 2 }

    /// Reads a directory, and returns the offset of the next one; nil where it is not inside of the file.
    private mutating func read(_ offset: Int) throws(FileError) -> Int? {
        guard offset <= file.count - size(0) else { return nil }
        // Most have as many entries as the one before.
        let bytes = try file.bytes(offset..<min(offset + size(entries), file.count))
        guard let count = bytes.unsigned(countSize, at: 0, order), (1...65535).contains(count),
            size(count) <= file.count - offset
        else { return nil }
        let link = size(count) - offsetSize
        if size(count) <= bytes.count {
            entries = count
            return bytes.unsigned(offsetSize, at: link, order)
        }
        let rest = try file.bytes((offset + link)..<(offset + size(count)))
        entries = count
        return rest.unsigned(offsetSize, at: 0, order)
    }

    /// The directories that are requested together, before and after two distances were equal.
    private static let (fewAhead, mostAhead) = (16, 400)
    /// The guesses of few directories, most of which may be wrong.
    private static let mostGuesses = 3
    /// The entries of a directory that is not known: few pages have more.
    private static let usualEntries = 24
    /// The bytes that are requested together where directories lie side by side.
    private static let block = 1 << 16

    /// Requests a directory that will be read, and those that are likely to follow.
    private mutating func announce(_ offset: Int) {
        let length = size(entries == 0 ? Self.usualEntries : entries)
        let wanted = range(offset, length)
        let step = offset - (offsets.last ?? offset)
        if step != 0 { steps = steps.suffix(Self.mostSteps - 1) + [step] }
        let isEqual = step == lastStep
        lastStep = step
        if isEqual, expected > 1 {
            expected -= 1
            return
        }
        guard !requested.contains(where: { $0.lowerBound <= offset && $0.upperBound >= wanted.upperBound })
        else { return }
        guard step != 0, isEqual || guesses < Self.mostGuesses else {
            requested = likely(from: offset, length)
            return file.willRead([wanted] + requested)
        }
        // Up to the end of the file, or its start.
        let room = step > 0 ? (file.count - offset) / step : offset / -step
        if abs(step) <= Self.block / Self.fewAhead {
            // Side by side, whatever their distances are.
            let count = step > 0 ? Self.block : length
            let start = max(0, offset - (Self.block - count))
            requested = [range(start, offset + count - start)]
            return file.willRead(requested)
        }
        if !isEqual { guesses += 1 }
        expected = min(room, isEqual ? Self.mostAhead : Self.fewAhead)
        // The directory itself, and those that follow it.
        file.willRead((0...expected).map { range(offset + $0 * step, length) })
    }

    /// The distances that are compared, and the bytes that are requested for directories whose place is not known.
    private static let (mostSteps, mostLikely) = (8, 1 << 17)

    /// Returns where the directories after one are likely to be, by the mean and the differences of the last distances.
    private func likely(from offset: Int, _ length: Int) -> [Range<Int>] {
        guard let least = steps.min(), let most = steps.max(), least > 0 || most < 0 else { return [] }
        let mean = Double(steps.reduce(0, +)) / Double(steps.count)
        // Of independent lengths, differences grow by the root of their number.
        let spread = Double(max(abs(Double(most) - mean), abs(mean - Double(least)))) * 1.2
        var (places, total): ([Range<Int>], Int) = ([], 0)
        for number in 1...Self.fewAhead * 4 {
            let around = Int(spread * Double(number).squareRoot())
            let start = offset + Int(mean * Double(number)) - around
            total += 2 * around + length
            guard total <= Self.mostLikely, start > 0, start < file.count else { break }
            places.append(range(start, 2 * around + length))
        }
        return places
    }

    private func range(_ offset: Int, _ length: Int) -> Range<Int> {
        offset..<max(offset, min(offset + length, file.count))
    }
}
