package import Basics
package import Files

/// A directory of tags in a TIFF block, as used by EXIF; no number in it is trusted.
///
/// Values that are outside of the block, cannot be read, overflow or loop are treated as missing; the `check` of the
/// block's bytes tells those that cannot be read. Source: TIFF 6.0, section 2; BigTIFF.
package struct TIFFDirectory {
    private let block: TIFFBlock
    private let start: Int
    /// The number of entries that are inside of the block.
    package let count: Int
    /// The number of entries according to the directory.
    package let statedCount: Int
    private let entrySize: Int

    /// A tag as the directory states it: its values may be outside of the block.
    package struct Entry: Sendable {
        package let tag: Int
        package let type: Int
        /// The number of values.
        package let count: Int
        /// The position of the entry itself.
        package let position: Int
        /// The position of the first value: in the entry where all values fit.
        package let offset: Int
        /// The size of a value in bytes; nil for unknown types.
        package var size: Int? { TIFFDirectory.size(of: type) }
    }

    /// Returns nil if the block ends before `offset`.
    ///
    /// A truncated directory has fewer tags.
    ///
    /// - Parameter isWithoutHeader: Whether the block may begin with the directory; otherwise 0 stands for none.
    package init?(_ block: TIFFBlock, at offset: Int, isWithoutHeader: Bool = false) {
        let countSize = block.offsetSize == 8 ? 8 : 2
        guard offset > 0 || isWithoutHeader,
            let count = block.bytes.unsigned(countSize, at: offset, block.order), count >= 0,
            block.isReadable
        else {
            return nil
        }
        self.block = block
        statedCount = count
        start = offset + countSize
        entrySize = 4 + 2 * block.offsetSize
        self.count = min(count, 65535, (block.bytes.count - start) / entrySize)
    }

    /// The offset of the next directory; nil after the last.
    package var next: Int? { nextOffset.flatMap { $0 == 0 ? nil : $0 } }

    /// The offset of the next directory as it is stored, 0 after the last; nil if it cannot be read.
    package var nextOffset: Int? { block.offset(link).flatMap { block.isReadable ? $0 : nil } }

    /// The next directory.
    package var following: TIFFDirectory? { next.flatMap { TIFFDirectory(block, at: $0) } }

    /// The position of the offset of the next directory.
    var link: Int { start + entrySize * count }

    package var order: ByteOrder { block.order }

    /// Whether all entries are inside of the block.
    package var isWhole: Bool { count == statedCount }

    /// The tags in ascending order with their bytes, without damaged and repeated ones and those with more than 64 kB.
    package var values: [TIFFValue] {
        var tags: Set<Int> = []
        for index in 0..<count { block.uint16(at: start + entrySize * index).map { _ = tags.insert($0) } }
        return tags.sorted().compactMap { tag in
            guard let entry = entry(UInt16(tag)), let size = entry.size, entry.count * size < 1 << 16,
                let value = block.bytes.slice(entry.offset, entry.count * size)
            else { return nil }
            return TIFFValue(tag: tag, type: entry.type, count: entry.count, bytes: value.array)
        }
    }

    /// Returns the entries in the order of the directory, also damaged ones.
    ///
    /// - Throws: `FileError` where they cannot be read.
    package func entries() throws(FileError) -> [Entry] {
        let entries = (0..<count).compactMap { statedEntry($0) }
        try block.bytes.check()
        return entries
    }

    /// Whether it is a smaller form of the picture of another directory.
    ///
    /// Source: TIFF 6.0, "NewSubfileType" and "SubfileType".
    package var isReduced: Bool { (int(0x00FE) ?? 0) & 1 != 0 || int(0x00FF) == 2 }

    /// Whether it is no picture but a mask, or a map of depths.
    ///
    /// Source: TIFF 6.0; Adobe DNG 1.7, "NewSubFileType" and "PhotometricInterpretation".
    package var isMask: Bool {
        (int(0x00FE) ?? 0) & Self.maskBits != 0 || [4, 51177, 52527].contains(int(0x0106))
    }

    /// The bits of NewSubfileType for masks and maps of depths.
    package static let maskBits = 0b1100

    package func has(_ tag: UInt16) -> Bool { entry(tag) != nil }

    /// An integer; other types are treated as missing.
    package func int(_ tag: UInt16) -> Int? { entry(tag).flatMap { int($0, 0) } }

    /// Integers, at most 16.
    package func ints(_ tag: UInt16) -> [Int] {
        guard let entry = entry(tag), entry.count <= 16 else { return [] }
        return (0..<entry.count).compactMap { int(entry, $0) }
    }

    private static let mostRemoteText = 1 << 16

    /// Text up to the first NUL, without surrounding spaces; nil if it is empty.
    package func string(_ tag: UInt16) -> String? {
        guard let entry = entry(tag), entry.type == 2 || entry.type == 129 else { return nil }
        // A longer text of a remote file takes more than all else.
        let length = block.bytes.isRemote ? min(entry.count, Self.mostRemoteText) : entry.count
        let range = entry.offset..<(entry.offset + length)
        if length > FileBytes.remotePageSize { block.bytes.expect([range]) }
        return block.bytes.slice(range)?.text
    }

    /// Fractions; nil if one has the denominator 0.
    package func rationals(_ tag: UInt16) -> [Double]? {
        guard let entry = entry(tag), entry.type == 5 || entry.type == 10, entry.count <= 16 else {
            return nil
        }
        var values: [Double] = []
        for index in 0..<entry.count {
            guard let above = block.uint32(at: entry.offset + 8 * index),
                let below = block.uint32(at: entry.offset + 8 * index + 4), below != 0
            else { return nil }
            let signed = entry.type == 10
            let numerator = signed ? Double(Int32(truncatingIfNeeded: above)) : Double(above)
            let denominator = signed ? Double(Int32(truncatingIfNeeded: below)) : Double(below)
            values.append(numerator / denominator)
        }
        return values
    }

    /// The range of a tag's values in the block.
    package func range(_ tag: UInt16) -> Range<Int>? {
        guard let entry = entry(tag), let size = Self.size(of: entry.type) else { return nil }
        return entry.offset..<(entry.offset + entry.count * size)
    }

    /// The bytes of a tag's values, of any type.
    package func bytes(_ tag: UInt16) -> FileBytes? {
        guard let range = range(tag) else { return nil }
        return block.bytes.slice(range)
    }

    /// The first byte of a tag's values.
    package func byte(_ tag: UInt16) -> Int? { entry(tag).flatMap { block.bytes.uint8(at: $0.offset) } }

    /// The directory that a tag refers to.
    package func directory(_ tag: UInt16) -> TIFFDirectory? {
        guard let offset = int(tag) else { return nil }
        return TIFFDirectory(block, at: offset)
    }

    private func int(_ entry: Entry, _ index: Int) -> Int? {
        switch entry.type {
        case 1, 7: block.bytes.uint8(at: entry.offset + index)
        case 3: block.uint16(at: entry.offset + 2 * index)
        case 4, 13: block.uint32(at: entry.offset + 4 * index)
        // No file is longer, and sums of these do not overflow.
        case 16, 18:
            block.bytes.uint64(at: entry.offset + 8 * index, block.order).flatMap { $0 < 1 << 48 ? $0 : nil }
        default: nil
        }
    }

    /// The first entry of a tag whose values are inside of the block.
    ///
    /// Directories are short and few tags are read: a linear search is faster than a table.
    package func entry(_ tag: UInt16) -> Entry? {
        for index in 0..<count where block.uint16(at: start + entrySize * index) == Int(tag) {
            guard let entry = statedEntry(index), entry.count > 0, entry.count <= block.bytes.count,
                let size = entry.size, block.bytes.contains(entry.count * size, at: entry.offset),
                block.isReadable
            else { continue }
            return entry
        }
        return nil
    }

    private func statedEntry(_ index: Int) -> Entry? {
        let at = start + entrySize * index
        let inPlace = at + 4 + block.offsetSize
        guard let tag = block.uint16(at: at), let type = block.uint16(at: at + 2),
            let count = block.offset(at + 4)
        else { return nil }
        let (length, overflow) = count.multipliedReportingOverflow(by: Self.size(of: type) ?? 0)
        let isInPlace = !overflow && length <= block.offsetSize
        // Impossible offsets are outside of every block.
        let offset = isInPlace ? inPlace : block.offset(inPlace) ?? .max
        return Entry(tag: tag, type: type, count: count, position: at, offset: offset)
    }

    /// The bytes of one value of a TIFF type; nil for unknown types.
    package static func size(of type: Int) -> Int? {
        switch type {
        // 129 is UTF-8. Source: CIPA DC-008 (EXIF 3.0), section 4.6.2.
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12, 16, 17, 18: 8
        default: nil
        }
    }
}

/// A tag with the bytes of its values.
package struct TIFFValue: Equatable, Sendable {
    package let tag: Int
    package let type: Int
    /// The number of values, as the type counts them.
    package let count: Int
    package let bytes: [UInt8]

    package init(tag: Int, type: Int, count: Int, bytes: [UInt8]) {
        (self.tag, self.type, self.count, self.bytes) = (tag, type, count, bytes)
    }

    /// Creates a tag with integers; those of type 5, RATIONAL, are pairs.
    package init(tag: Int, type: Int, _ numbers: [Int], _ order: ByteOrder) {
        let size = type == 5 ? 4 : TIFFDirectory.size(of: type) ?? 1
        var writer = ByteWriter(order)
        for number in numbers { writer.append(number, size: size) }
        self.init(
            tag: tag, type: type, count: type == 5 ? numbers.count / 2 : numbers.count, bytes: writer.bytes)
    }
}

/// A TIFF structure: bytes in the order that its first bytes state, with offsets from its start.
package struct TIFFBlock {
    package let bytes: FileBytes
    package let order: ByteOrder
    /// The size of an offset: 8 bytes in BigTIFF, otherwise 4.
    package let offsetSize: Int

    package init(_ bytes: FileBytes, order: ByteOrder, offsetSize: Int = 4) {
        self.bytes = bytes
        self.order = order
        self.offsetSize = offsetSize
    }

    /// A block of EXIF from the byte-order mark on ("II*\0" or "MM\0*"); nil if it starts differently.
    package init?(_ bytes: FileBytes) {
        guard [0x4949_2A00, 0x4D4D_002A].contains(bytes.uint32(at: 0)), (try? bytes.check()) != nil else {
            return nil
        }
        self.init(file: bytes)
    }

    /// A TIFF or a BigTIFF; nil if the file starts differently.
    package init?(tiff file: FileBytes) {
        guard [0x4949_2A00, 0x4D4D_002A, 0x4949_2B00, 0x4D4D_002B].contains(file.uint32(at: 0)) else {
            return nil
        }
        self.init(file: file)
    }

    /// A file with the structure of TIFF, whatever follows its byte-order mark.
    package init(file: FileBytes) {
        let order = Self.order(at: 0, in: file)
        self.init(file, order: order, offsetSize: file.uint16(at: 2, order) == 43 ? 8 : 4)
    }

    /// The byte order that a mark states; little-endian if there is none.
    package static func order(at offset: Int, in bytes: FileBytes) -> ByteOrder {
        bytes.uint16(at: offset) == 0x4D4D ? .big : .little
    }

    /// Whether everything so far could be read.
    fileprivate var isReadable: Bool { (try? bytes.check()) != nil }

    package func uint16(at offset: Int) -> Int? { bytes.uint16(at: offset, order) }
    package func uint32(at offset: Int) -> Int? { bytes.uint32(at: offset, order) }

    /// A count or an offset, with the block's size of offsets.
    package func offset(_ at: Int) -> Int? { offsetSize == 8 ? bytes.uint64(at: at, order) : uint32(at: at) }

    /// Returns the integers of an entry, all of which must be inside of the block; larger ones are `Int.max`.
    ///
    /// - Throws: `FileError` where they cannot be read.
    package func numbers(_ entry: TIFFDirectory.Entry) throws(FileError) -> [Int] {
        guard entry.count <= bytes.count, let size = entry.size,
            let values = bytes.slice(entry.offset, entry.count * size)
        else {
            return []
        }
        let copy = values.array
        try bytes.check()
        return (0..<entry.count).map { copy.unsigned(size, at: $0 * size, order) ?? .max }
    }

    /// The first directory.
    package var main: TIFFDirectory? {
        guard let start = mainOffset else { return nil }
        return TIFFDirectory(self, at: start)
    }

    /// The position of the first directory.
    package var mainOffset: Int? { offset(offsetSize) }
}
