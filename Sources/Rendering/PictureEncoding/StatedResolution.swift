internal import Basics
internal import Containers
internal import ImageMetadata
internal import ImageReading

/// The resolution that encoded files state, which is that of the source or none: libvips writes one of its own.
enum StatedResolution {
    /// Returns a TIFF of libvips that states a resolution; nil for none.
    static func tiff(_ file: [UInt8], _ resolution: Resolution?) -> [UInt8] {
        guard var block = ExifBlock(file) else { return file }
        block.state(resolution)
        return block.bytes
    }

    /// Returns a JPEG that states a resolution; nil for none.
    static func jpeg(_ file: [UInt8], _ resolution: Resolution?) -> [UInt8] {
        var result = JPEGFile(file)
        result.state(resolution)
        return result.bytes
    }

    /// Returns a JPEG 2000 that states a resolution where it is known.
    ///
    /// Source: ISO/IEC 15444-1, I.5.3.
    static func jp2(_ file: [UInt8], _ resolution: Resolution?) -> [UInt8] {
        guard let resolution else { return file }
        var at = 0
        while let length = file.uint32(at: at), length >= 8, at + length <= file.count {
            if file.fourCC(at: at + 4) == "jp2h" {
                let box = resolution.jp2
                var result = file
                result.replaceSubrange(at..<(at + 4), with: UInt32(length + box.count).bytes(.big))
                result.insert(contentsOf: box, at: at + length)
                return result
            }
            at += length
        }
        return file
    }
}

extension JPEGFile {
    /// States a resolution in JFIF, if there is a segment of it; nil for none.
    mutating func state(_ resolution: Resolution?) {
        guard let index = segments.firstIndex(where: { $0.marker == 0xE0 && $0.begins(with: "JFIF\0") }),
            segments[index].body.count >= 12
        else { return }
        segments[index].body.replaceSubrange(7..<12, with: resolution?.jfif ?? [0, 0, 1, 0, 1])
    }
}
