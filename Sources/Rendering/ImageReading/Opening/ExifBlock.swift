internal import Containers
package import ImageMetadata
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

    /// Adapts the block to a picture that was made of its own.
    mutating func describe(_ change: PictureChange) {
        guard let main = block.main else { return }
        block.set(0x0112, in: main, type: 3, to: change.orientation.rawValue)
        block.set(0x0100, in: main, type: 4, to: change.size.width)
        block.set(0x0101, in: main, type: 4, to: change.size.height)
        if let resolution = change.resolution { block.state(resolution, in: main) }
        if let camera = main.directory(0x8769) { describe(change, in: camera) }
        // The embedded thumbnail shows the other picture.
        let preview = block.main?.following.flatMap(previewRange)
        if let main = block.main { block.endChain(after: main) }
        if let preview { block.erase(preview) }
    }

    /// States a resolution in an existing block, which may be a TIFF; nil for none.
    package mutating func state(_ resolution: Resolution?) {
        guard let main = block.main else { return }
        block.state(resolution, in: main)
    }

    private mutating func describe(_ change: PictureChange, in camera: TIFFDirectory) {
        if let interoperability = camera.directory(0xA005) {
            block.set(0x1001, in: interoperability, type: 4, to: change.size.width)
            block.set(0x1002, in: interoperability, type: 4, to: change.size.height)
            if change.isSRGB { block.replace(0x0001, in: interoperability, "R03", with: "R98") }
        }
        let sides = camera.int(0xA002).flatMap { width in
            camera.int(0xA003).map { (Double(width), Double($0)) }
        }
        block.set(0xA002, in: camera, type: 4, to: change.size.width)
        block.set(0xA003, in: camera, type: 4, to: change.size.height)
        if change.isSRGB { block.set(0xA001, in: camera, type: 3, to: 1) }
        var removed: [UInt16] = change.isSRGB ? [0xA500] : []
        // The area and the location of the subject.
        for tag in [0x9214, 0xA214] as [UInt16] where camera.has(tag) && change.map?.isSame != true {
            let moved = change.map?.subject(camera.ints(tag), in: sides)
            if let moved, block.set(tag, in: camera, toAll: moved) { continue }
            removed.append(tag)
        }
        for tag in removed {
            // Each removal moves the tags behind it.
            if let camera = block.main?.directory(0x8769) { block.remove(tag, in: camera) }
        }
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

extension TIFFEditor {
    /// States a resolution in the tags that there are; nil for none.
    fileprivate mutating func state(_ resolution: Resolution?, in directory: TIFFDirectory) {
        // Without a unit, two equal numbers say that pixels are square.
        let (across, down, unit) = resolution?.tiff ?? ((1, 1), (1, 1), 1)
        set(0x011A, in: directory, to: across)
        set(0x011B, in: directory, to: down)
        set(0x0128, in: directory, type: 3, to: unit)
    }
}
