internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

/// The structures in which camera makers store previews.
extension FileMetadata {
    /// Offers the JPEGs of the directories and of the maker note of a raw file.
    ///
    /// Source: ExifTool's tag names of EXIF, Nikon, Olympus, PanasonicRaw and Sony.
    mutating func offerPreviews(of block: TIFFBlock, in bytes: FileBytes) {
        for directory in block.directories where !directory.isMask {
            offer(preview: directory.jpegRange, stated: directory.size, in: bytes)
            offer(preview: directory.jpegStrip, stated: directory.size, in: bytes)
        }
        guard let main = block.main else { return }
        if format == .rw2 {
            for tag: UInt16 in [0x002E, 0x0127] { offer(preview: main.range(tag), in: bytes) }
        }
        if let note = main.directory(0x8769)?.range(0x927C) { offerPreview(ofNote: note, block, in: bytes) }
    }

    /// Offers the JPEG that a maker note refers to.
    private mutating func offerPreview(ofNote note: Range<Int>, _ file: TIFFBlock, in bytes: FileBytes) {
        let rest = bytes.extracting(note.lowerBound..<bytes.count)
        if rest.has("Nikon\0"), rest.uint8(at: 6) == 2, rest.count > 18 {
            // A TIFF inside of the note; its tag 0x11 refers to a directory with the JPEG.
            guard let block = TIFFBlock(rest.extracting(10..<rest.count)),
                let range = block.main?.directory(0x0011)?.jpegRange
            else { return }
            return offer(preview: range, movedBy: note.lowerBound + 10, in: bytes)
        }
        // The first directory of Olympus' note, and the base of its offsets.
        let main: TIFFDirectory?
        let isOwn = !rest.has("OLYMP\0")
        let base = isOwn ? note.lowerBound : 0
        if rest.has("OLYMPUS\0") {
            main = TIFFDirectory(Self.block(rest, markedAt: 8), at: 12)
        } else if rest.has("OM SYSTEM\0\0\0") {
            main = TIFFDirectory(Self.block(rest, markedAt: 12), at: 16)
        } else if rest.has("OLYMP\0") {
            main = TIFFDirectory(file, at: note.lowerBound + 8)
        } else {
            return
        }
        // The camera settings are a directory at an offset, or in place as bytes.
        guard let main, let place = main.range(0x2020),
            let start = place.count > 4 ? place.lowerBound : main.int(0x2020),
            let settings = TIFFDirectory(
                isOwn ? Self.block(rest, markedAt: rest.has("OLYMPUS\0") ? 8 : 12) : file, at: start),
            let offset = settings.int(0x0101), let length = settings.int(0x0102), length > 0
        else { return }
        offer(preview: offset..<(offset + length), movedBy: base, in: bytes)
    }

    /// Returns a block with the byte order that a mark in it states.
    private static func block(_ bytes: FileBytes, markedAt offset: Int) -> TIFFBlock {
        TIFFBlock(bytes, order: TIFFBlock.order(at: offset, in: bytes))
    }

    private mutating func offer(preview range: Range<Int>, movedBy base: Int, in bytes: FileBytes) {
        offer(preview: (range.lowerBound + base)..<(range.upperBound + base), in: bytes)
    }
}

extension FileMetadata {
    /// Offers the JPEGs of Canon's CR3: the thumbnail, the preview, and the sample of the track with a JPEG entry.
    ///
    /// Source: Laurent Clévy, Describing the Canon Raw v3 format.
    mutating func offerCR3Previews(in bytes: FileBytes) throws(FileError) {
        let whole = 0..<bytes.count
        if let movie = try BoxList.first("moov", in: whole, of: bytes) {
            if let canon = try BoxList.first("uuid", in: movie, of: bytes), canon.count > 16,
                let thumbnail = try BoxList.first(
                    "THMB", in: (canon.lowerBound + 16)..<canon.upperBound, of: bytes)
            {
                offerCanon(thumbnail.lowerBound, sizeAt: 4, lengthAt: 8, in: bytes)
            }
            var boxes = BoxList(bytes, in: movie)
            while let box = try boxes.next() {
                if box.type == "trak" { try offerTrack(box.content, in: bytes) }
            }
        }
        var boxes = BoxList(bytes, in: whole)
        while let box = try boxes.next() {
            guard box.type == "uuid", box.content.count > 24,
                bytes.bits(8, at: box.content.lowerBound) == 0xEAF4_2B5E_1C98_4B88,
                let preview = try BoxList.first(
                    "PRVW", in: (box.content.lowerBound + 24)..<box.content.upperBound, of: bytes)
            else { continue }
            offerCanon(preview.lowerBound, sizeAt: 6, lengthAt: 12, in: bytes)
        }
    }

    /// Offers the JPEG after the sixteen bytes of Canon's header at an offset.
    private mutating func offerCanon(
        _ start: Int, sizeAt size: Int, lengthAt length: Int, in bytes: FileBytes
    ) {
        guard let width = bytes.uint16(at: start + size), let height = bytes.uint16(at: start + size + 2),
            let length = bytes.uint32(at: start + length)
        else { return }
        let stated = PixelSize<StoredGrid>(width: width, height: height)
        offer(preview: (start + 16)..<(start + 16 + length), stated: stated, in: bytes)
    }

    /// Offers the only sample of a track whose sample entry has a box "JPEG".
    private mutating func offerTrack(_ track: Range<Int>, in bytes: FileBytes) throws(FileError) {
        guard let inner = try BoxList.first("mdia", "minf", "stbl", in: track, of: bytes),
            let entries = try BoxList.first("stsd", in: inner, of: bytes), entries.count > 8,
            let entry = try BoxList.first(
                "CRAW", in: (entries.lowerBound + 8)..<entries.upperBound, of: bytes),
            entry.count > 82,
            try BoxList.first("JPEG", in: (entry.lowerBound + 82)..<entry.upperBound, of: bytes) != nil,
            let width = bytes.uint16(at: entry.lowerBound + 24),
            let height = bytes.uint16(at: entry.lowerBound + 26),
            let sizes = try BoxList.first("stsz", in: inner, of: bytes)?.lowerBound,
            let common = bytes.uint32(at: sizes + 4),
            let length = common > 0 ? common : bytes.uint32(at: sizes + 12), length > 0
        else { return }
        let long = try BoxList.first("co64", in: inner, of: bytes).flatMap {
            bytes.uint64(at: $0.lowerBound + 8)
        }
        let short = try BoxList.first("stco", in: inner, of: bytes).flatMap {
            bytes.uint32(at: $0.lowerBound + 8)
        }
        guard let offset = long ?? short, offset < 1 << 48 else { return }
        offer(
            preview: offset..<(offset + length), stated: PixelSize(width: width, height: height), in: bytes)
    }
}
