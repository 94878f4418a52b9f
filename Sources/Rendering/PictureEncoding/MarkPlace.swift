internal import Basics
internal import Containers
internal import ImageMetadata
internal import PNGEncoding

/// Where the marks of this program lie in a file, so that decoders ignore them: a PNG text chunk, a JPEG or GIF comment, a
/// behind the data of WebP's last picture, free space of AVIF, JPEG 2000, MP4 and in the segment of Matroska, a ZIP comment, or after the end of a TIFF or PDF.
enum MarkPlace {
    /// Returns the block that holds an ASCII text; that of kinds with short blocks is as long as a `FileMark`.
    ///
    /// Source: ISO/IEC 14496-12 and 15444-1 (boxes), RFC 8794 (EBML's Void).
    static func block(_ text: [UInt8], _ kind: OutputKind, webpName: FourCC) -> [UInt8] {
        switch kind {
        case .png: PNGChunk.bytes("tEXt", text)
        case .jpeg: JPEGSegment.bytes(JPEGSegment.comment, text)
        case .gif: [0x21, 0xFE, UInt8(text.count)] + text + [0]
        case .webp: RIFFChunk.bytes(webpName, text)
        case .heif, .jp2, .movie: Box.bytes("free", text)
        case .matroska: [0xEC, 0x80 | UInt8(text.count)] + text
        case .pdf: Array("%".utf8) + text + [0x0A]
        case .tiff, .zip, .xml, .lines, .sidecar, .other: text
        }
    }

    /// Returns the bytes between the mark and the end of the file, where it is not at its front.
    static func ending(_ kind: OutputKind) -> [UInt8] { kind == .gif ? [0x3B] : [] }

    /// Returns the offset of a mark at the front: behind the application segments of a JPEG, or the header of a PNG.
    static func front(_ file: FileBytes, _ kind: OutputKind) -> Int {
        guard kind == .jpeg else { return PNGChunk.headerEnd }
        var end = 2
        var segments = JPEGSegments(file, gaps: .refused)
        // What cannot be read has no mark.
        while let segment = (try? segments.next()) ?? nil, segment.isApplication { end = segment.end }
        return min(end, file.count)
    }

    /// The place of former versions in a thumbnail's JPEG: behind the JFIF segment.
    private static func formerFront(_ file: [UInt8]) -> Int {
        var segments = JPEGSegments(file, gaps: .refused)
        // Bytes in memory can always be read.
        let first = (try? segments.next()) ?? nil
        return min(first.map { $0.marker == 0xE0 ? $0.end : 2 } ?? 2, file.count)
    }
}

/// The marks of thumbnails, whose texts have any length.
extension MarkPlace {
    private static let webpName: FourCC = "VPTN"

    /// Returns the file with a text inserted, which starts with a name and a space.
    static func inserting(_ text: String, into file: [UInt8], _ kind: OutputKind) -> [UInt8] {
        var bytes = Array(text.utf8)
        switch kind {
        case .jpeg, .png:
            if kind == .png, let space = bytes.firstIndex(of: UInt8(ascii: " ")) { bytes[space] = 0 }
            let place = front(FileBytes(file), kind)
            guard place <= file.count else { return file }
            let block = block(bytes, kind, webpName: webpName)
            let file = kind == .jpeg ? file.movingPictures(after: place, by: block.count) : file
            return file[..<place] + block + file[place...]
        case .webp:
            guard let tail = WebPTail(FileBytes(file)) else { return file }
            let text = tailed(bytes)
            let file = tail.lengthened(file, by: text.count)
            return file[..<tail.end] + text + file[tail.end...]
        case .heif:
            return file + block(bytes, kind, webpName: webpName)
        case .gif, .tiff, .jp2, .movie, .matroska, .zip, .pdf, .xml, .lines, .sidecar, .other:
            return file
        }
    }

    /// Returns the text that starts with a name, and the range of the inserted bytes.
    static func find(
        _ name: String, in file: [UInt8], _ kind: OutputKind
    ) -> (text: String, place: Range<Int>)? {
        let found: [(ArraySlice<UInt8>, Range<Int>)?]
        switch kind {
        case .jpeg:
            found = [front(FileBytes(file), kind), formerFront(file)].map { comment(in: file, at: $0) }
        case .png:
            return PNGText.read(file).first { $0.text.keyword == name }
                .map { ("\(name) \($0.text.value)", $0.chunk) }
        case .webp:
            found = [tail(of: file), lastChunk(of: file)]
        case .heif:
            found = [lastBox(of: file)]
        case .gif, .tiff, .jp2, .movie, .matroska, .zip, .pdf, .xml, .lines, .sidecar, .other:
            return nil
        }
        for case let (bytes, place)? in found {
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasPrefix(name + " ") { return (text, place) }
        }
        return nil
    }

    /// Returns a text with its length and its name behind it, by which it is found from its end.
    private static func tailed(_ text: [UInt8]) -> [UInt8] {
        let text = text + [UInt8](repeating: 0x20, count: text.count & 1)
        return text + UInt32(text.count).bytes(.little) + webpName.bytes
    }

    /// Returns the text behind the last picture of a WebP.
    private static func tail(of file: [UInt8]) -> (ArraySlice<UInt8>, Range<Int>)? {
        guard let end = WebPTail(FileBytes(file))?.end, file.fourCC(at: end - 4) == webpName,
            let length = file.uint32(at: end - 8, .little), length <= end - 20
        else { return nil }
        let start = end - 8 - length
        return (file[start..<(end - 8)], start..<end)
    }

    // Bytes in memory can always be read.

    private static func comment(in file: [UInt8], at place: Int) -> (ArraySlice<UInt8>, Range<Int>)? {
        var segments = JPEGSegments(file, at: place, gaps: .refused)
        guard let segment = (try? segments.next()) ?? nil, segment.marker == JPEGSegment.comment,
            segment.end <= file.count
        else { return nil }
        return (file[segment.body], segment.start..<segment.end)
    }

    /// Returns the contents of the last chunk of a WebP, if it is a mark of former versions.
    private static func lastChunk(of file: [UInt8]) -> (ArraySlice<UInt8>, Range<Int>)? {
        var chunks = RIFFChunks(FileBytes(file))
        while let chunk = (try? chunks.next()) ?? nil {
            // Chunks are padded to an even size.
            let end = chunk.end + chunk.body.count & 1
            guard end == file.count else { continue }
            return chunk.type == webpName ? (file[chunk.body], chunk.start..<end) : nil
        }
        return nil
    }

    /// Returns the contents of the last box of an AVIF, if it is free space.
    private static func lastBox(of file: [UInt8]) -> (ArraySlice<UInt8>, Range<Int>)? {
        var boxes = BoxList(FileBytes(file), in: 0..<file.count)
        while let box = (try? boxes.next()) ?? nil {
            guard box.whole.upperBound == file.count else { continue }
            return box.type == "free" && box.statedLength == box.whole.count
                ? (file[box.content], box.whole) : nil
        }
        return nil
    }
}

extension [UInt8] {
    /// Returns a JPEG whose index of pictures is right after bytes were inserted into its first picture.
    ///
    /// - Parameter offset: the place of the bytes, which are not inserted here.
    package func movingPictures(after offset: Int, by count: Int) -> [UInt8] {
        guard let index = MultiPictureIndex(FileBytes(self)) else { return self }
        var writer = ByteWriter(index.order, self)
        for entry in stride(from: index.entries.lowerBound, to: index.entries.upperBound - 15, by: 16) {
            let isFirst = entry == index.entries.lowerBound
            guard isFirst || index.base < offset else { continue }
            let place = entry + (isFirst ? 4 : 8)
            if let value = uint32(at: place, index.order) {
                writer.replace(4, at: place, with: value + count)
            }
        }
        return writer.bytes
    }
}
