internal import Basics
internal import Containers
package import ViewportGeometry

/// The EXIF and XMP blocks of a copy for others: without location, maker notes and previews.
///
/// Both are made anew from what is known to be harmless; a position in a tag that this program does not know is not copied.
package struct SharedMetadata: Equatable, Sendable {
    /// From the byte-order mark on.
    package var exif: [UInt8]?
    package var xmp: [UInt8]?

    /// No metadata but the orientation, which the pixels need.
    ///
    /// - Parameter size: the stored size of a JPEG; nil for other formats.
    package init(orientation: Orientation, jpeg size: PixelSize<StoredGrid>? = nil) {
        exif = Self.exif(nil, SidecarEdit(), orientation, size)
    }

    /// - Parameters:
    ///   - exif: the block of the file, from "Exif\0\0" or the byte-order mark on.
    ///   - edit: what the copy states, in XMP and in those tags of EXIF that say the same; its location is not written.
    ///   - orientation: the orientation of the copy's stored pixels.
    ///   - size: the stored size of a JPEG; nil for other formats.
    package init(
        exif: [UInt8]?, stating edit: SidecarEdit, orientation: Orientation,
        jpeg size: PixelSize<StoredGrid>? = nil
    ) {
        self.exif = Self.exif(exif, edit, orientation, size)
        var edit = edit
        edit.location = .keep
        edit.orientation = .keep
        if case .set(let words) = edit.keywords {
            let kept = words.filter { !Self.isPosition($0) }
            edit.keywords = kept.isEmpty ? .keep : .set(kept)
        }
        if !edit.isEmpty { xmp = try? edit.applied(to: nil) }
    }

    /// Whether a keyword is a machine tag with a position, such as geo:lat=46.2.
    ///
    /// Programs write them for services that read no EXIF; hierarchical ones can lack the "geo:".
    static func isPosition(_ keyword: String) -> Bool {
        let word = keyword.lowercased().drop(while: \.isWhitespace)
        if word.hasPrefix("geo:") { return true }
        guard let end = word.firstIndex(of: "=") else { return false }
        let name = word[..<end].split { ":|/".contains($0) }.last ?? ""
        return ["lat", "lon", "lng", "gps"].contains(where: name.hasPrefix)
    }

    /// The tags of the camera's directory, without pointers, maker notes and user comments of any form.
    ///
    /// Source: Exif 3.0, section 4.6.5, of which tags that contain further blocks, such as IPTC, are no part.
    private static func isShared(_ entry: TIFFValue) -> Bool {
        [0x829A...0x829D, 0x8822...0x8835, 0x9000...0x9405, 0xA000...0xA434].contains { tags in
            tags.contains(entry.tag)
        }
            && ![0x8825, 0x927C, 0x9286, 0xA005].contains(entry.tag) && entry.bytes.count <= 4096
    }

    private static func exif(
        _ exif: [UInt8]?, _ edit: SidecarEdit, _ orientation: Orientation, _ jpeg: PixelSize<StoredGrid>?
    ) -> [UInt8]? {
        let bytes = exif.map { FileBytes($0) }
        let main = bytes.flatMap { TIFFBlock($0.extracting(Exif.start(in: $0)...)) }?.main
        var tags = SharedTags(main?.order ?? .big)
        // Without Windows' keywords, which XMP has; they can be machine tags, too.
        tags.main =
            main?.values.filter {
                (MetadataBlocks.described.contains($0.tag) || jpeg != nil && $0.tag == 0x0213)
                    && ![0x0112, 0x9C9E].contains($0.tag)
            }
            ?? []
        if orientation != .up { tags.main.append(tags.number(0x0112, orientation.rawValue)) }
        tags.details = main?.directory(0x8769)?.values.filter(isShared) ?? []
        tags.state(edit)
        if let jpeg { tags.complete(jpeg) }
        return MetadataBlocks.block(
            tags.order, tags.main.sorted { $0.tag < $1.tag },
            tags.details.isEmpty ? [] : [(0x8769, tags.details.sorted { $0.tag < $1.tag })])
    }
}

/// Lossless copies of image files with other metadata.
package enum SharedFile {
    /// Why a file cannot be copied this way.
    package enum Failure: Error, Equatable, Sendable {
        /// Only files of JPEG, PNG and WebP can be.
        case format
        case damaged
    }

    /// Returns the file with the same pixels and this metadata only.
    ///
    /// Other blocks, comments, and further pictures and films in the file are left out. A WebP file without the extended
    /// header has no place for metadata.
    package static func copy(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        switch FileType(head: file) {
        case .jpeg?: try jpeg(file, metadata)
        case .png?: try png(file, metadata)
        case .webp?: try webp(file, metadata)
        default: throw .format
        }
    }

    // MARK: JPEG

    /// Copies the segments of the picture up to its end; of the others only the profile and the color transform.
    private static func jpeg(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        var copy = JPEGSegment.startOfImage
        for (name, block) in [("Exif\0\0", metadata.exif), ("http://ns.adobe.com/xap/1.0/\0", metadata.xmp)] {
            guard let block, block.count + name.utf8.count <= JPEGSegment.longestBody else { continue }
            copy += JPEGSegment.bytes(0xE1, Array(name.utf8) + block)
        }
        var segments = JPEGSegments(file, gaps: .refused)
        // Bytes in memory can always be read.
        while let segment = (try? segments.next()) ?? nil, segment.end <= file.count {
            if segment.marker == 0xD9 { return copy + JPEGSegment.endOfImage }
            copy += kept(segment, of: file)
            if segment.marker == 0xDA, let data = try? segments.passData() { copy += file[data] }
        }
        throw .damaged
    }

    /// Returns what is copied of a segment.
    private static func kept(_ segment: JPEGSegment, of file: [UInt8]) -> [UInt8] {
        let bytes = file[segment.start..<segment.end]
        let body = file[segment.body]
        switch segment.marker {
        // JFIF, in whose header a preview can follow; its extensions are nothing else.
        case 0xE0 where body.starts(with: "JFIF\0".utf8) && body.count >= 14:
            return JPEGSegment.bytes(0xE0, body.prefix(12) + [0, 0])
        case 0xE2 where body.starts(with: "ICC_PROFILE\0".utf8): return Array(bytes)
        case 0xEE where body.starts(with: "Adobe".utf8) && body.count >= 12:
            return JPEGSegment.bytes(0xEE, body.prefix(12))
        // Frames, tables and scans; the others hold no part of the picture.
        case 0xC0...0xCF, 0xDA...0xDF: return Array(bytes)
        default: return []
        }
    }

    // MARK: PNG

    /// The chunks of pixels and colors.
    private static let chunks: Set<FourCC> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "pHYs",
        "bKGD",
        "acTL", "fcTL", "fdAT",
    ]

    private static func png(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        var copy = PNGChunk.signature
        var chunks = PNGChunks(FileBytes(file))
        // Bytes in memory can always be read.
        while let chunk = (try? chunks.next()) ?? nil, chunk.whole.upperBound <= file.count {
            if Self.chunks.contains(chunk.type) { copy += file[chunk.whole] }
            if chunk.type == "IEND" { return copy }
            if chunk.type == "IHDR" {
                if let exif = metadata.exif { copy += PNGChunk.bytes("eXIf", exif) }
                if let xmp = metadata.xmp {
                    copy += PNGChunk.bytes("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
                }
            }
        }
        throw .damaged
    }

    // MARK: WebP

    private static func webp(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        var kept: [(type: FourCC, body: [UInt8])] = []
        var chunks = RIFFChunks(FileBytes(file))
        // Bytes in memory can always be read.
        while let chunk = (try? chunks.next()) ?? nil {
            guard chunk.isWhole else { throw .damaged }
            if ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"].contains(chunk.type) {
                kept.append((chunk.type, Array(file[chunk.body])))
            }
        }
        guard let first = kept.first else { throw .damaged }
        if first.type == "VP8X" {
            guard first.body.count >= 10 else { throw .damaged }
            kept[0].body[0] &= ~0b1100
            for (type, block, flag) in [
                (FourCC("EXIF"), metadata.exif, UInt8(0b1000)), ("XMP ", metadata.xmp, 0b100),
            ] {
                guard let block else { continue }
                kept[0].body[0] |= flag
                kept.append((type, block))
            }
        }
        return RIFFChunk.file("WEBP", kept.flatMap { RIFFChunk.bytes($0.type, $0.body) })
    }
}
