internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the directories of a TIFF, or of a raw format with the same structure.
    ///
    /// Source: TIFF 6.0; Adobe DNG 1.7; ExifTool's tag names of the makers.
    mutating func readTIFF(_ bytes: FileBytes) throws(FileError) {
        let block = TIFFBlock(file: bytes)
        guard let main = block.main else { return }
        add(Exif(block, main))
        if let slide = main.string(0x010E).flatMap(Resolution.init(slide:)) {
            resolution = resolution ?? slide
            pixelsPerMillimeter =
                pixelsPerMillimeter ?? Self.density(slide.across, slide.down, millimeters: 1000)
        }
        keep(exif: MetadataBlocks.exif(main, main.directory(0x8769), main.directory(0x8825)))
        if format == .rw2 { try readPanasonic(main, in: bytes) }
        readText(main)
        // The picture is in the first directory or a subdirectory; further directories have small versions.
        var largest = pictureSize(main)
        for offset in main.ints(0x014A) {
            guard let below = TIFFDirectory(block, at: offset) else { continue }
            if let size = pictureSize(below), size.area > largest?.area ?? 0 { largest = size }
            if !format.isRaw { offer(preview: below.jpegRange, in: bytes) }
        }
        if format.isRaw {
            offerPreviews(of: block, in: bytes)
        } else {
            offer(preview: main.jpegRange, in: bytes)
        }
        storedSize = storedSize ?? largest
    }

    /// The size of the directory's picture after DNG's crop, if it is a full-size picture.
    private func pictureSize(_ directory: TIFFDirectory) -> PixelSize<StoredGrid>? {
        guard !directory.isReduced, !directory.isMask else { return nil }
        let crop = directory.rationals(0xC620)?.map { Int($0) } ?? directory.ints(0xC620)
        if crop.count == 2, crop[0] > 0, crop[1] > 0 { return PixelSize(width: crop[0], height: crop[1]) }
        guard let width = directory.int(0x0100), let height = directory.int(0x0101) else { return nil }
        guard max(width, height) <= Int(Int32.max) else { return nil }
        return PixelSize(width: width, height: height)
    }

    private mutating func readText(_ main: TIFFDirectory) {
        if let packet = main.bytes(0x02BC) { readXMP(packet) }
        if let record = main.bytes(0x83BB) { readIPTC(Self.inOrder(record)) }
        if let resources = main.bytes(0x8649) { readIPTC(resources) }
    }

    /// Returns an IPTC record in its own order: some programs write it as numbers, whose bytes are reversed.
    private static func inOrder(_ record: FileBytes) -> FileBytes {
        guard record.uint8(at: 0) != 0x1C, record.uint8(at: 3) == 0x1C, record.count % 4 == 0 else {
            return record
        }
        let bytes = record.array
        return FileBytes(bytes.indices.map { bytes[$0 ^ 3] })
    }

    /// Panasonic has private tags for the sensor's borders, and a JPEG with the full EXIF.
    private mutating func readPanasonic(_ main: TIFFDirectory, in bytes: FileBytes) throws(FileError) {
        if let top = main.int(4), let left = main.int(5), let bottom = main.int(6), let right = main.int(7),
            right > left, bottom > top
        {
            storedSize = PixelSize(width: right - left, height: bottom - top)
        }
        let own = main.int(0x0112).map { _ in orientation }
        try readEmbeddedJPEG(main.range(0x002E), in: bytes)
        orientation = own ?? orientation
    }
}

extension FileMetadata {
    /// Reads the metadata of the JPEG inside of a raw file, which is also the preview.
    mutating func readEmbeddedJPEG(_ range: Range<Int>?, in bytes: FileBytes) throws(FileError) {
        guard let range, let body = bytes.slice(range), FileType(body) == .jpeg else { return }
        var inner = self
        try inner.readJPEG(body)
        inner.preview = nil
        inner.embedded = embedded
        inner.storedSize = storedSize
        self = inner
        offer(preview: range, in: bytes)
    }

    /// Reads Fujifilm's raw format: a JPEG with the full EXIF, and a list of tags with the size.
    ///
    /// Source: ExifTool's tag names of FujiFilm.
    mutating func readRAF(_ bytes: FileBytes) throws(FileError) {
        if let offset = bytes.uint32(at: 84), let length = bytes.uint32(at: 88) {
            try readEmbeddedJPEG(offset..<(offset + length), in: bytes)
        }
        guard let start = bytes.uint32(at: 92), let count = bytes.uint32(at: start), count < 256 else {
            return
        }
        var at = start + 4
        for _ in 0..<count {
            guard let tag = bytes.uint16(at: at), let length = bytes.uint16(at: at + 2) else { return }
            // The cropped size: height, then width.
            if tag == 0x0111, let height = bytes.uint16(at: at + 4), let width = bytes.uint16(at: at + 6) {
                storedSize = PixelSize(width: width, height: height)
            }
            at += 4 + length
        }
    }
}

extension FileMetadata {
    /// Reads Canon's CR3: boxes, and in one of them a TIFF block for each of EXIF's directories.
    ///
    /// Source: ExifTool's tag names of Canon; Laurent Clévy, Describing the Canon Raw v3 format.
    mutating func readCR3(_ bytes: FileBytes) throws(FileError) {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        while let box = try boxes.next() {
            if box.type == "uuid" { readUUID(box.content, in: bytes) }
            guard box.type == "moov",
                let canon = try BoxList.first("uuid", in: box.content, of: bytes),
                bytes.bits(8, at: canon.lowerBound) == 0x85C0_B687_820F_11E0
            else { continue }
            try readCanon((canon.lowerBound + 16)..<max(canon.lowerBound + 16, canon.upperBound), in: bytes)
        }
        try offerCR3Previews(in: bytes)
    }

    private mutating func readCanon(_ range: Range<Int>, in bytes: FileBytes) throws(FileError) {
        var exif = Exif()
        var directories: [FourCC: TIFFDirectory] = [:]
        var boxes = BoxList(bytes, in: range)
        while let box = try boxes.next() {
            guard let block = TIFFBlock(bytes.extracting(box.content)), let main = block.main else {
                continue
            }
            directories[box.type] = main
            switch box.type {
            case "CMT1":
                exif = Exif(block, main)
                if let width = main.int(0x0100), let height = main.int(0x0101) {
                    storedSize = PixelSize(width: width, height: height)
                }
            case "CMT2": exif.read(details: main)
            case "CMT4": exif.read(gps: main)
            default: break
            }
        }
        add(exif)
        if let main = directories["CMT1"] {
            keep(exif: MetadataBlocks.exif(main, directories["CMT2"], directories["CMT4"]))
        }
    }
}
