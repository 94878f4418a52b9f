internal import ViewportGeometry

/// A block of EXIF whose tags are changed in place: everything else, makers' notes included, stays where it is.
///
/// Nothing in the block is trusted; what points out of it is left alone. Source: CIPA DC-008, TIFF 6.0.
struct ExifBlock {
    private(set) var bytes: [UInt8]
    private let isBig: Bool

    /// Takes a block from its byte-order mark on, or from the name "Exif" on; nil where it is none.
    init?(_ block: [UInt8]) {
        let name = Array("Exif\0\0".utf8)
        bytes = block.starts(with: name) ? Array(block.dropFirst(name.count)) : block
        isBig = bytes.first == 0x4D
        guard bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else {
            return nil
        }
    }

    /// What changes when a picture is cut, scaled or turned.
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

    /// Takes away the embedded thumbnail, which shows the other picture.
    private mutating func removePreview(of main: Int) {
        guard let count = number(main, 2), case let link = main + 2 + 12 * count, let next = number(link, 4),
            next > 0
        else { return }
        write(0, at: link, 4)
        guard let start = entry(0x0201, in: next).flatMap({ number($0 + 8, 4) }),
            let length = entry(0x0202, in: next).flatMap({ number($0 + 8, 4) }), length > 2,
            start + length <= bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xD8
        else { return }
        if start + length == bytes.count {
            bytes.removeLast(length)
        } else {
            bytes.replaceSubrange(start..<(start + length), with: repeatElement(0, count: length))
        }
    }

    /// Gives a tag that is there one number.
    private mutating func set(_ tag: Int, in directory: Int, type: Int, to value: Int) {
        guard let entry = entry(tag, in: directory), let count = number(entry + 4, 4), count == 1,
            let old = number(entry + 2, 2), old == 3 || old == 4
        else { return }
        write(type, at: entry + 2, 2)
        write(0, at: entry + 8, 4)
        write(value, at: entry + 8, type == 3 ? 2 : 4)
    }

    /// Where a tag's twelve bytes are.
    private func entry(_ tag: Int, in directory: Int) -> Int? {
        guard let count = number(directory, 2) else { return nil }
        let entries = (0..<count).lazy.map { directory + 2 + 12 * $0 }
        return entries.first { number($0, 2) == tag && $0 + 12 <= bytes.count }
    }

    private func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place + count <= bytes.count else { return nil }
        let part = bytes[place..<(place + count)]
        return (isBig ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func write(_ value: Int, at place: Int, _ count: Int) {
        for index in 0..<count {
            let shift = 8 * (isBig ? count - 1 - index : index)
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }
}

/// A packet of XMP whose orientation and sizes are changed.
enum XMPChange {
    /// The packet with the numbers of the new picture in those properties that it has.
    static func describing(
        _ packet: [UInt8], _ size: (width: Int, height: Int), _ orientation: Orientation
    ) -> [UInt8] {
        let values = [
            ("tiff:Orientation", orientation.rawValue), ("tiff:ImageWidth", size.width),
            ("tiff:ImageLength", size.height), ("exif:PixelXDimension", size.width),
            ("exif:PixelYDimension", size.height),
        ]
        return values.reduce(packet) { replaced($0, $1.0, $1.1) }
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
