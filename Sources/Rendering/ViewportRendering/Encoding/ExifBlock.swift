internal import Basics
internal import ImageMetadata
internal import ViewportGeometry

/// An EXIF block whose tags are changed in place: everything else, including maker notes, keeps its offset.
///
/// The block is not trusted: offsets that point outside are ignored. Source: CIPA DC-008, TIFF 6.0.
struct ExifBlock {
    private(set) var bytes: [UInt8]
    private let order: ByteOrder

    /// Creates a block from its byte-order mark or the name "Exif" on; nil for other data.
    init?(_ block: [UInt8]) {
        let name = Array("Exif\0\0".utf8)
        bytes = block.starts(with: name) ? Array(block.dropFirst(name.count)) : block
        order = bytes.first == 0x4D ? .big : .little
        guard bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else {
            return nil
        }
    }

    /// Adapts the block to a picture that was cropped, scaled or turned.
    ///
    /// - Parameters:
    ///   - size: the pixels of the new picture.
    ///   - isSRGB: whether its colors were converted.
    mutating func describe(_ size: (width: Int, height: Int), _ orientation: Orientation, isSRGB: Bool) {
        guard let main = number(4, 4) else { return }
        set(0x0112, in: main, type: 3, to: orientation.rawValue)
        set(0x0100, in: main, type: 4, to: size.width)
        set(0x0101, in: main, type: 4, to: size.height)
        if let camera = entry(0x8769, in: main).flatMap({ number($0 + 8, 4) }) {
            set(0xA002, in: camera, type: 4, to: size.width)
            set(0xA003, in: camera, type: 4, to: size.height)
            if isSRGB { set(0xA001, in: camera, type: 3, to: 1) }
        }
        removePreview(of: main)
    }

    /// The embedded thumbnail, a JPEG, and the orientation of its directory; nil where there is none.
    var preview: (jpeg: [UInt8], orientation: Orientation?)? {
        guard let main = number(4, 4), let next = previewDirectory(of: main)?.directory,
            let range = previewRange(in: next)
        else { return nil }
        let orientation = entry(0x0112, in: next).flatMap { number($0 + 8, 2) }.map { Orientation(exif: $0) }
        return (Array(bytes[range]), orientation)
    }

    /// The directory of the embedded thumbnail, and the offset of the link to it.
    private func previewDirectory(of main: Int) -> (link: Int, directory: Int)? {
        guard let count = number(main, 2), case let link = main + 2 + 12 * count, let next = number(link, 4),
            next > 0
        else { return nil }
        return (link, next)
    }

    /// The bytes of the embedded thumbnail; nil where its directory names no JPEG.
    private func previewRange(in directory: Int) -> Range<Int>? {
        guard let start = entry(0x0201, in: directory).flatMap({ number($0 + 8, 4) }),
            let length = entry(0x0202, in: directory).flatMap({ number($0 + 8, 4) }), length > 2,
            start + length <= bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xD8
        else { return nil }
        return start..<(start + length)
    }

    /// Removes the embedded thumbnail, which shows the other picture.
    private mutating func removePreview(of main: Int) {
        guard let (link, next) = previewDirectory(of: main) else { return }
        write(0, at: link, 4)
        guard let range = previewRange(in: next) else { return }
        if range.upperBound == bytes.count {
            bytes.removeLast(range.count)
        } else {
            bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
    }

    /// Sets an existing tag to one number.
    private mutating func set(_ tag: Int, in directory: Int, type: Int, to value: Int) {
        guard let entry = entry(tag, in: directory), let count = number(entry + 4, 4), count == 1,
            let old = number(entry + 2, 2), old == 3 || old == 4
        else { return }
        write(type, at: entry + 2, 2)
        write(0, at: entry + 8, 4)
        write(value, at: entry + 8, type == 3 ? 2 : 4)
    }

    /// Returns the offset of a tag's twelve bytes.
    private func entry(_ tag: Int, in directory: Int) -> Int? {
        guard let count = number(directory, 2) else { return nil }
        let entries = (0..<count).lazy.map { directory + 2 + 12 * $0 }
        return entries.first { number($0, 2) == tag && $0 + 12 <= bytes.count }
    }

    private func number(_ offset: Int, _ count: Int) -> Int? { bytes.unsigned(count, at: offset, order) }

    private mutating func write(_ value: Int, at offset: Int, _ count: Int) {
        bytes.replaceSubrange(offset..<(offset + count), with: value.bytes(order, size: count))
    }
}

/// Changes orientation and sizes in an XMP packet.
enum XMPChange {
    /// Returns the packet with existing properties set to the values of the new picture, which has no gain map.
    static func describing(
        _ packet: [UInt8], _ size: (width: Int, height: Int), _ orientation: Orientation
    ) -> [UInt8] {
        let values = [
            ("tiff:Orientation", orientation.rawValue), ("tiff:ImageWidth", size.width),
            ("tiff:ImageLength", size.height), ("exif:PixelXDimension", size.width),
            ("exif:PixelYDimension", size.height),
        ]
        return values.reduce(XMPPacket.withoutGainMap(packet)) { replaced($0, $1.0, $1.1) }
    }

    /// Replaces the digits in `name="6"` and in `<name>6</`.
    private static func replaced(_ packet: [UInt8], _ name: String, _ value: Int) -> [UInt8] {
        let name = Array(name.utf8)
        var result: [UInt8] = []
        var at = 0
        while at < packet.count {
            guard packet[at] == name[0], packet[at...].starts(with: name) else {
                result.append(packet[at])
                at += 1
                continue
            }
            let start = packet[(at + name.count)...].drop { [0x20, 0x3D, 0x22, 0x27, 0x3E].contains($0) }
            let digits = start.prefix { (0x30...0x39).contains($0) }
            result += packet[at..<start.startIndex]
            if start.startIndex > at + name.count, !digits.isEmpty {
                result += Array("\(value)".utf8)
                at = digits.endIndex
            } else {
                at = start.startIndex
            }
        }
        return result
    }
}

/// EXIF in a TIFF: the block follows the picture, and the first directory has the tags of both.
///
/// Values move, so maker notes with offsets from the start of the block are read only by software that
/// corrects them. Source: TIFF 6.0, section 2; CIPA DC-008.
struct TIFFExif {
    private var bytes: [UInt8]
    private let order: ByteOrder
    private let resultOrder: ByteOrder
    private let base: Int
    private var seen: Set<Int> = []

    /// Returns the file with an EXIF block; nil where one of the two is invalid.
    static func added(_ exif: [UInt8], to file: [UInt8]) -> [UInt8]? {
        let picture = file + [UInt8](repeating: 0, count: file.count & 1)
        let order: ByteOrder = picture.first == 0x4D ? .big : .little
        var moving = TIFFExif(
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
    /// The size of a value and of its parts that have a byte order, by the number of the type.
    private static let types: [Int: (size: Int, part: Int)] = [
        1: (1, 1), 2: (1, 1), 3: (2, 2), 4: (4, 4), 5: (8, 4), 6: (1, 1), 7: (1, 1), 8: (2, 2), 9: (4, 4),
        10: (8, 4), 11: (4, 4), 12: (8, 8), 13: (4, 4),
    ]

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
                let kind = Self.types[type], let old = number(offset + 8, 4)
            else { return nil }
            let size = kind.size * values
            if Self.pointers.contains(tag) {
                guard move(old) != nil else { return nil }
                write(old + base, at: offset + 8, 4)
            } else if size > 4 {
                guard old + size <= bytes.count else { return nil }
                if seen.insert(-1 - old).inserted { turn(old, size, kind.part) }
                write(old + base, at: offset + 8, 4)
            } else {
                turn(offset + 8, size, kind.part)
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
