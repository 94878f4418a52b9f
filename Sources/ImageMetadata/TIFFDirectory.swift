/// One directory of tags of a TIFF block, as EXIF has them: read without trusting a single number in it.
///
/// Source: TIFF 6.0, section 2. Whatever points outside the block, overflows or loops reads as missing.
struct TIFFDirectory {
    private let block: TIFFBlock
    private let entries: [UInt16: Entry]

    private struct Entry {
        var type: Int
        var count: Int
        /// Where the values begin.
        var offset: Int
    }

    init?(_ block: TIFFBlock, at offset: Int) {
        guard let count = block.uint16(offset) else { return nil }
        var entries: [UInt16: Entry] = [:]
        for index in 0..<count {
            let at = offset + 2 + 12 * index
            guard let tag = block.uint16(at), let type = block.uint16(at + 2),
                let count = block.uint32(at + 4)
            else { break }
            guard let size = Self.size(of: type) else { continue }
            let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
            guard !overflow, let values = bytes <= 4 ? at + 8 : block.uint32(at + 8),
                block.holds(values, bytes), entries[UInt16(tag)] == nil
            else { continue }
            entries[UInt16(tag)] = Entry(type: type, count: count, offset: values)
        }
        self.block = block
        self.entries = entries
    }

    /// The bytes of one value of a TIFF type; nil for foreign types.
    private static func size(of type: Int) -> Int? {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }

    /// A whole number; numbers of another type read as missing.
    func int(_ tag: UInt16) -> Int? {
        guard let entry = entries[tag], entry.count >= 1 else { return nil }
        return switch entry.type {
        case 1, 7: block.uint8(entry.offset)
        case 3: block.uint16(entry.offset)
        case 4, 13: block.uint32(entry.offset)
        default: nil
        }
    }

    /// Text up to the first NUL, without spaces around it; nil where nothing is left.
    func string(_ tag: UInt16) -> String? {
        guard let entry = entries[tag], entry.type == 2 else { return nil }
        let bytes = block.bytes(entry.offset, entry.count).prefix { $0 != 0 }
        let trimmed = bytes.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    }

    /// Fractions; one with denominator 0 makes the whole list missing.
    func rationals(_ tag: UInt16) -> [Double]? {
        guard let entry = entries[tag], entry.type == 5 || entry.type == 10, entry.count <= 16 else {
            return nil
        }
        var values: [Double] = []
        for index in 0..<entry.count {
            guard let above = block.uint32(entry.offset + 8 * index),
                let below = block.uint32(entry.offset + 8 * index + 4), below != 0
            else { return nil }
            let signed = entry.type == 10
            let numerator = signed ? Double(Int32(truncatingIfNeeded: above)) : Double(above)
            let denominator = signed ? Double(Int32(truncatingIfNeeded: below)) : Double(below)
            values.append(numerator / denominator)
        }
        return values
    }

    /// The directory that a tag points to.
    func directory(_ tag: UInt16) -> TIFFDirectory? {
        int(tag).flatMap { TIFFDirectory(block, at: $0) }
    }

    /// The first byte of a tag's values.
    func byte(_ tag: UInt16) -> Int? {
        entries[tag].flatMap { $0.count >= 1 ? block.uint8($0.offset) : nil }
    }
}
