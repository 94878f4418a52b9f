internal import Files

/// A video, told by its first bytes; no loader of pictures ever gets to see it.
struct VideoFile {
    /// What holds its streams, by ffmpeg's name.
    enum Container: String, Sendable {
        case mov, matroska, avi
    }

    let path: String
    let container: Container

    /// Nil where the file is none, or cannot be read.
    init?(_ path: String) {
        guard let head = try? InputFile.prefix(12, of: path), let container = Container(head) else {
            return nil
        }
        self.path = path
        self.container = container
    }
}

extension VideoFile.Container {
    /// Source: ISO/IEC 14496-12 (boxes and brands), RFC 8794 (EBML), the RIFF specification of 1991.
    init?(_ head: [UInt8]) {
        guard head.count == 12 else { return nil }
        func name(_ start: Int) -> String { String(decoding: head[start..<(start + 4)], as: UTF8.self) }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .matroska
        } else if name(0) == "RIFF", name(8) == "AVI " {
            self = .avi
        } else if name(4) == "ftyp", !Self.pictureBrands.contains(name(8)) {
            self = .mov
        } else if ["moov", "mdat", "wide"].contains(name(4)) {
            // QuickTime before brands.
            self = .mov
        } else {
            return nil
        }
    }

    /// Brands of files that have the boxes of MP4 and are pictures: HEIF, AVIF, JPEG 2000, JPEG XL, Canon's RAW.
    private static let pictureBrands: Set = [
        "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "miaf",
        "avif",
        "avis", "avio", "MA1A", "MA1B", "jp2 ", "jpx ", "jpm ", "jxl ", "crx ",
    ]
}
