internal import Basics

/// A directory of tags in a TIFF block, as used by EXIF; no number in it is trusted.
///
/// Values that are outside of the block, overflow or loop are treated as missing. Source: TIFF 6.0, section 2.
struct TIFFDirectory {
    private let block: TIFFBlock
    private let start: Int
    private let count: Int
    private let entrySize: Int

    /// The location of a tag's values.
    private struct Entry {
        var type: Int
        var count: Int
        var offset: Int
    }

    /// Returns nil if the block ends before `offset`.
    ///
    /// A truncated directory has fewer tags.
    init?(_ block: TIFFBlock, at offset: Int) {
        let countSize = block.offsetSize == 8 ? 8 : 2
        guard offset > 0, let count = block.bytes.unsigned(countSize, at: offset, block.order), count >= 0
        else {
            return nil
        }
        self.block = block
        start = offset + countSize
        entrySize = 4 + 2 * block.offsetSize
        self.count = min(count, 65535, (block.bytes.count - start) / entrySize)
    }

    /// The offset of the next directory; nil after the last.
    var next: Int? {
        block.offset(start + entrySize * count).flatMap { $0 == 0 ? nil : $0 }
    }

    var order: ByteOrder { block.order }

    /// A tag with its bytes, in the byte order of the block.
    struct RawEntry {
        var tag: Int
        var type: Int
        var count: Int
        var value: [UInt8]
    }

    /// The tags in ascending order, without damaged and repeated ones and those with more than 64 kB.
    var entries: [RawEntry] {
        var tags: Set<Int> = []
        for index in 0..<count { block.uint16(at: start + entrySize * index).map { _ = tags.insert($0) } }
        return tags.sorted().compactMap { tag in
            guard let entry = entry(UInt16(tag)), let size = Self.size(of: entry.type),
                entry.count * size < 1 << 16,
                let value = block.bytes.slice(entry.offset, entry.count * size)
            else { return nil }
            return RawEntry(tag: tag, type: entry.type, count: entry.count, value: value.array)
        }
    }

    func has(_ tag: UInt16) -> Bool { entry(tag) != nil }

    /// An integer; other types are treated as missing.
    func int(_ tag: UInt16) -> Int? { entry(tag).flatMap { int($0, 0) } }

    /// Integers, at most 16.
    func ints(_ tag: UInt16) -> [Int] {
        guard let entry = entry(tag), entry.count <= 16 else { return [] }
        return (0..<entry.count).compactMap { int(entry, $0) }
    }

    /// Text up to the first NUL, without surrounding spaces; nil if it is empty.
    func string(_ tag: UInt16) -> String? {
        guard let entry = entry(tag), entry.type == 2 else { return nil }
        return block.bytes.slice(entry.offset, entry.count)?.text
    }

    /// Fractions; nil if one has the denominator 0.
    func rationals(_ tag: UInt16) -> [Double]? {
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
    func range(_ tag: UInt16) -> Range<Int>? {
        guard let entry = entry(tag), let size = Self.size(of: entry.type) else { return nil }
        return entry.offset..<(entry.offset + entry.count * size)
    }

    /// The bytes of a tag's values, of any type.
    func bytes(_ tag: UInt16) -> FileBytes? {
        guard let range = range(tag) else { return nil }
        return block.bytes.slice(range)
    }

    /// The first byte of a tag's values.
    func byte(_ tag: UInt16) -> Int? { entry(tag).flatMap { block.bytes.uint8(at: $0.offset) } }

    /// The directory that a tag refers to.
    func directory(_ tag: UInt16) -> TIFFDirectory? {
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
    private func entry(_ tag: UInt16) -> Entry? {
        for index in 0..<count {
            let at = start + entrySize * index
            guard block.uint16(at: at) == Int(tag) else { continue }
            let inPlace = at + 4 + block.offsetSize
            guard let type = block.uint16(at: at + 2), let count = block.offset(at + 4), count > 0,
                count <= block.bytes.count, let size = Self.size(of: type),
                let values = count * size <= block.offsetSize ? inPlace : block.offset(inPlace),
                block.bytes.contains(count * size, at: values)
            else { continue }
            return Entry(type: type, count: count, offset: values)
        }
        return nil
    }

    /// The bytes of one value of a TIFF type; nil for unknown types.
    private static func size(of type: Int) -> Int? {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12, 16, 18: 8
        default: nil
        }
    }
}

/// A TIFF structure: bytes in the order that its first bytes state, with offsets from its start.
struct TIFFBlock {
    let bytes: FileBytes
    let order: ByteOrder
    /// The size of an offset: 8 bytes in BigTIFF, otherwise 4.
    let offsetSize: Int

    init(_ bytes: FileBytes, order: ByteOrder, offsetSize: Int = 4) {
        self.bytes = bytes
        self.order = order
        self.offsetSize = offsetSize
    }

    /// A block of EXIF from the byte-order mark on ("II*\0" or "MM\0*"); nil if it starts differently.
    init?(_ bytes: FileBytes) {
        guard [0x4949_2A00, 0x4D4D_002A].contains(bytes.uint32(at: 0)) else { return nil }
        self.init(file: bytes)
    }

    /// A file with the structure of TIFF, whatever follows its byte-order mark.
    init(file: FileBytes) {
        let order: ByteOrder = file.uint16(at: 0) == 0x4D4D ? .big : .little
        self.init(file, order: order, offsetSize: file.uint16(at: 2, order) == 43 ? 8 : 4)
    }

    func uint16(at offset: Int) -> Int? { bytes.uint16(at: offset, order) }
    func uint32(at offset: Int) -> Int? { bytes.uint32(at: offset, order) }

    /// A count or an offset, with the block's size of offsets.
    func offset(_ at: Int) -> Int? { offsetSize == 8 ? bytes.uint64(at: at, order) : uint32(at: at) }

    /// The first directory.
    var main: TIFFDirectory? {
        guard let start = offset(offsetSize) else { return nil }
        return TIFFDirectory(self, at: start)
    }
}
