internal import Basics

/// Adds EXIF to a TIFF: the block follows the picture, and the first directory gets the tags of both.
///
/// Values move, so maker notes with offsets from the start of the block are read only by software that
/// corrects them. Source: TIFF 6.0, section 2; CIPA DC-008.
package struct TIFFMerger {
    private var bytes: [UInt8]
    private let order: ByteOrder
    private let resultOrder: ByteOrder
    private let base: Int
    private var seen: Set<Int> = []

    /// Returns the file with a block of EXIF; nil where one of the two is invalid.
    package static func adding(_ exif: [UInt8], to file: [UInt8]) -> [UInt8]? {
        let picture = file + [UInt8](repeating: 0, count: file.count & 1)
        let order: ByteOrder = picture.first == 0x4D ? .big : .little
        var moving = TIFFMerger(
            bytes: exif, order: exif.first == 0x4D ? .big : .little, resultOrder: order, base: picture.count)
        guard picture.uint16(at: 2, order) == 42, let main = picture.uint32(at: 4, order),
            let count = picture.uint16(at: main, order), main + 6 + 12 * count <= picture.count,
            let first = exif.uint32(at: 4, moving.order), let added = moving.move(first)
        else { return nil }
        var entries: [Int: ArraySlice<UInt8>] = [:]
        for entry in added where !structure.contains(entry.tag) {
            entries[entry.tag] = moving.bytes[entry.offset..<(entry.offset + 12)]
        }
        for index in 0..<count {
            let offset = main + 2 + 12 * index
            entries[picture.uint16(at: offset, order) ?? 0] = picture[offset..<(offset + 12)]
        }
        var result = picture + moving.bytes + [UInt8](repeating: 0, count: moving.bytes.count & 1)
        let next = picture[(main + 2 + 12 * count)..<(main + 6 + 12 * count)]
        let start = result.count.bytes(order, size: 4)
        result += entries.count.bytes(order, size: 2)
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) { result += entry }
        result += next
        result.replaceSubrange(4..<8, with: start)
        return result
    }

    private init(bytes: [UInt8], order: ByteOrder, resultOrder: ByteOrder, base: Int) {
        (self.bytes, self.order, self.resultOrder, self.base) = (bytes, order, resultOrder, base)
    }

    /// Tags that describe how pixels are stored, which are kept from the picture.
    private static let structure: Set<Int> = [
        0x00FE, 0x00FF, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0111, 0x0112, 0x0115, 0x0116, 0x0117,
        0x011C,
        0x013D, 0x0140, 0x0142, 0x0143, 0x0144, 0x0145, 0x014A, 0x0152, 0x0153, 0x0200, 0x0201, 0x0202,
        0x0211,
        0x0212, 0x0213, 0x0214, 0x8773,
    ]
    private static let pointers: Set<Int> = [0x8769, 0x8825, 0xA005]
    /// The size of a value's parts that have a byte order: those of fractions are two.
    private static func partSize(of type: Int) -> Int? {
        type == 5 || type == 10 ? 4 : (1...13).contains(type) ? TIFFDirectory.size(of: type) : nil
    }

    /// Converts a directory and its children to their new offset and byte order; returns the offsets of its tags.
    private mutating func move(_ directory: Int) -> [(tag: Int, offset: Int)]? {
        guard seen.insert(directory).inserted, let count = number(directory, 2),
            directory + 6 + 12 * count <= bytes.count
        else { return nil }
        write(count, at: directory, 2)
        write(0, at: directory + 2 + 12 * count, 4)
        var entries: [(tag: Int, offset: Int)] = []
        for index in 0..<count {
            let offset = directory + 2 + 12 * index
            guard let tag = number(offset, 2), let type = number(offset + 2, 2),
                let values = number(offset + 4, 4),
                let part = Self.partSize(of: type), let size = TIFFDirectory.size(of: type),
                let old = number(offset + 8, 4)
            else { return nil }
            let length = size * values
            if Self.pointers.contains(tag) {
                guard move(old) != nil else { return nil }
                write(old + base, at: offset + 8, 4)
            } else if length > 4 {
                guard old + length <= bytes.count else { return nil }
                if seen.insert(-1 - old).inserted { turn(old, length, part) }
                write(old + base, at: offset + 8, 4)
            } else {
                turn(offset + 8, length, part)
            }
            write(tag, at: offset, 2)
            write(type, at: offset + 2, 2)
            write(values, at: offset + 4, 4)
            entries.append((tag, offset))
        }
        return entries
    }

    /// Reverses the bytes of values where the byte order changes.
    private mutating func turn(_ offset: Int, _ size: Int, _ part: Int) {
        guard order != resultOrder, part > 1 else { return }
        for start in stride(from: offset, to: offset + size - part + 1, by: part) {
            bytes[start..<(start + part)].reverse()
        }
    }

    private func number(_ offset: Int, _ count: Int) -> Int? { bytes.unsigned(count, at: offset, order) }

    private mutating func write(_ value: Int, at offset: Int, _ count: Int) {
        bytes.replaceSubrange(offset..<(offset + count), with: value.bytes(resultOrder, size: count))
    }
}
