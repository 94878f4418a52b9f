internal import Basics
package import Containers

extension FileGap {
    /// Returns what is missing of a picture or a film by the structure of its file; nil where nothing is, or for formats
    /// that are not checked.
    ///
    /// A PNG is read as a whole, for its checksums; of others, only as much as tells where their parts end.
    package static func find(_ bytes: FileBytes, name: String) -> FileGap? {
        guard let format = FileFormat(bytes, name: name) else { return nil }
        switch format {
        case .jpeg: return jpeg(bytes)
        case .png: return png(bytes)
        case .gif: return gif(bytes).flatMap { $0.isWhole ? nil : $0 }
        case .webp, .avi: return riff(bytes)
        case .tiff: return tiff(bytes) ?? TIFFBlock(tiff: bytes).flatMap(blocks)
        case .dng, .nef, .arw, .cr2, .orf, .pef, .srw, .rw2: return blocks(of: TIFFBlock(file: bytes))
        case .raf: return raf(bytes)
        case .heif, .avif: return boxes(bytes, isFilm: false) ?? items(bytes)
        case .cr3: return boxes(bytes, isFilm: false)
        // Both are also there without boxes.
        case .jxl, .jp2: return bytes.uint32(at: 0) == 12 ? boxes(bytes, isFilm: false) : nil
        case .mp4, .mov: return boxes(bytes, isFilm: true)
        case .mkv, .webm: return matroska(bytes)
        case .bmp, .svg, .pdf, .xmp: return nil
        }
    }

    /// Finds data of pictures that is not in the file, which has no more bytes than its boxes say where the last of them
    /// extends to the end.
    private static func items(_ bytes: FileBytes) -> FileGap? {
        guard let items = HEIFItems(bytes), let primary = items.primary.flatMap({ items[$0] }) else {
            return nil
        }
        let parts = [primary] + primary.references("dimg").compactMap { items[$0] }
        let missing = parts.count { $0.data.isEmpty && $0.type != "iden" && $0.type != "iovl" }
        guard missing > 0 else { return nil }
        return FileGap(
            parts.count == 1
                ? "the file ends in the data of its picture"
                : "\(grouped(missing)) of the \(grouped(parts.count)) parts of its picture are not in the file"
        )
    }

    /// Source: RFC 8794, 6, and RFC 9559, 4.5.
    private static func matroska(_ bytes: FileBytes) -> FileGap? {
        var elements = EBMLList(bytes, in: 0..<bytes.count)
        while let element = elements.next() {
            guard element.type == 0x1853_8067 else { continue }
            if let missing = element.missing {
                return FileGap("\(grouped(missing)) of its bytes are missing")
            }
            // What was recorded live has segments and clusters without a length.
            var clusters = EBMLList(bytes, in: element.content)
            while let cluster = clusters.next() {
                if let missing = cluster.missing {
                    return FileGap("the file ends in a part of which \(grouped(missing)) bytes are missing")
                }
            }
            return nil
        }
        return FileGap("the file ends in its headers")
    }

    /// Source: ExifTool, FujiFilm.pm: offset and length of the JPEG, of the directory, and of the sensor's data.
    private static func raf(_ bytes: FileBytes) -> FileGap? {
        for at in [84, 92, 100] {
            guard let offset = bytes.uint32(at: at), let length = bytes.uint32(at: at + 4) else {
                return FileGap("the file ends in its headers")
            }
            if offset + length > bytes.count {
                return FileGap("\(grouped(offset + length - bytes.count)) of its bytes are missing")
            }
        }
        return nil
    }
}
