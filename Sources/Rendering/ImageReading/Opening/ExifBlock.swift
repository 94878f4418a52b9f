internal import Containers
internal import ImageMetadata
package import ViewportGeometry

/// An EXIF block whose tags are changed in place: everything else, including maker notes, keeps its offset.
///
/// The block is not trusted: offsets that point outside are ignored. Source: CIPA DC-008, TIFF 6.0.
package struct ExifBlock {
    private var block: TIFFEditor

    package var bytes: [UInt8] { block.bytes }

    /// Creates a block from its byte-order mark or the name "Exif" on; nil for other data.
    package init?(_ bytes: [UInt8]) {
        let name = Array("Exif\0\0".utf8)
        guard let block = TIFFEditor(bytes.starts(with: name) ? Array(bytes.dropFirst(name.count)) : bytes)
        else { return nil }
        self.block = block
    }

    /// Adapts the block to a picture that was cropped, scaled or turned.
    ///
    /// - Parameters:
    ///   - size: the pixels of the new picture.
    ///   - isSRGB: whether its colors were converted.
    package mutating func describe(
        _ size: (width: Int, height: Int), _ orientation: Orientation, isSRGB: Bool
    ) {
        guard let main = block.main else { return }
        block.set(0x0112, in: main, type: 3, to: orientation.rawValue)
        block.set(0x0100, in: main, type: 4, to: size.width)
        block.set(0x0101, in: main, type: 4, to: size.height)
        if let camera = main.directory(0x8769) {
            block.set(0xA002, in: camera, type: 4, to: size.width)
            block.set(0xA003, in: camera, type: 4, to: size.height)
            if isSRGB { block.set(0xA001, in: camera, type: 3, to: 1) }
        }
        // The embedded thumbnail shows the other picture.
        let preview = main.following.flatMap(previewRange)
        block.endChain(after: main)
        if let preview { block.erase(preview) }
    }

    /// The embedded thumbnail, a JPEG, and the orientation of its directory; nil where there is none.
    package var preview: (jpeg: [UInt8], orientation: Orientation?)? {
        guard let directory = block.main?.following, let range = previewRange(in: directory) else {
            return nil
        }
        return (Array(bytes[range]), directory.int(0x0112).map { Orientation(exif: $0) })
    }

    /// The bytes of the embedded thumbnail; nil where its directory names no JPEG.
    private func previewRange(in directory: TIFFDirectory) -> Range<Int>? {
        guard let start = directory.int(0x0201), let length = directory.int(0x0202), length > 2,
            let jpeg = FileBytes(bytes).slice(start, length), FileType(jpeg) == .jpeg
        else { return nil }
        return start..<(start + length)
    }
}

/// Changes orientation and sizes in an XMP packet.
package enum XMPChange {
    /// Returns the packet with existing properties set to the values of the new picture, which has no gain map.
    package static func describing(
        _ packet: [UInt8], _ size: (width: Int, height: Int), _ orientation: Orientation,
        _ panorama: PanoramaChange
    ) -> [UInt8] {
        let values = [
            ("tiff:Orientation", orientation.rawValue), ("tiff:ImageWidth", size.width),
            ("tiff:ImageLength", size.height), ("exif:PixelXDimension", size.width),
            ("exif:PixelYDimension", size.height),
        ]
        return values.reduce(panorama.made(in: XMPPacket.withoutGainMap(packet))) {
            replaced($0, $1.0, $1.1)
        }
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
