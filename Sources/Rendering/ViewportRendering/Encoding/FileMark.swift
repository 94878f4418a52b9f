internal import Basics
package import Checksums
package import Files
internal import ImageMetadata
internal import PNGEncoding

/// A mark in files that this program wrote, with a checksum: a later run replaces a marked file only while it is
/// unchanged.
///
/// It is stored where decoders ignore it: a PNG text chunk, a JPEG or GIF comment, a WebP chunk, free space of
/// AVIF, JPEG 2000, MP4 and Matroska, a ZIP comment, or after the end of a TIFF or PDF. It does not depend on when or where
/// the file was written.
package enum FileMark {
    private static let name = "viewport-made"
    /// Returns the name, a version and a checksum of the rest: 24 characters.
    private static func text(_ sum: UInt32) -> [UInt8] {
        let digits = String(sum, radix: 16)
        return Array("\(name) 1 \(String(repeating: "0", count: 8 - digits.count))\(digits)".utf8)
    }
    package static let length = 24

    /// Returns the file with the mark; kinds that cannot hold one are returned unchanged.
    package static func added(to file: [UInt8], _ kind: OutputKind) -> [UInt8] {
        switch kind {
        case .gif, .tiff, .heif, .jp2, .movie, .matroska, .zip, .pdf:
            let end = file.count - ending(kind).count
            return file[..<end] + mark(kind, sum(file, 0..<end)) + ending(kind)
        case .webp:
            let body = WebPFile.extended(file)
            let marked = body[12...] + webp(sum(body, 12..<body.count))
            let count = marked.count + 4
            return body[..<4] + UInt32(count).bytes(.little) + body[8..<12] + marked
        case .jpeg, .png:
            let offset = kind == .png ? headerEnd : commentOffset(FileBytes(file))
            guard offset <= file.count else { return file }
            // The index of further pictures has the positions behind the mark.
            let file = kind == .jpeg ? file.movingPictures(after: offset, by: mark(kind, 0).count) : file
            return file[..<offset] + mark(kind, sum(file, 0..<offset, offset..<file.count)) + file[offset...]
        case .xml, .lines, .sidecar, .other: return file
        }
    }

    /// Appends the mark to a large file of a kind that has its mark at the end.
    package static func append(to path: String, _ kind: OutputKind) throws(FileError) {
        guard let sum = CRC32.of(fileAt: path) else { throw .unwritable("it is gone") }
        try OutputFile.append(trailer(kind, sum), to: path)
    }

    /// Returns whether the file at a path has a mark and is unchanged since it was marked.
    package static func isOn(_ path: String, _ kind: OutputKind) -> Bool {
        guard let file = try? OpenFile(path) else { return false }
        return (try? isOn(file, kind)) ?? false
    }

    private static func isOn(_ file: OpenFile, _ kind: OutputKind) throws(FileError) -> Bool {
        let (size, end) = (mark(kind, 0).count, ending(kind))
        let isInFront = kind == .jpeg || kind == .png
        let front = kind == .png ? headerEnd : commentOffset(FileBytes(file))
        let offset = isInFront ? front : file.count - end.count - size
        // The header of a WebP contains the size of the file.
        let start = kind == .webp ? 12 : 0
        // The first bytes at the mark's position identify most foreign files.
        guard offset >= start, offset + size <= file.count,
            try has(file, Array(mark(kind, 0).prefix(4)), at: offset)
        else { return false }
        if !isInFront, !(try has(file, end, at: offset + size)) { return false }
        var sum = try CRC32.of(file, start..<offset)
        if isInFront { sum = try CRC32.of(file, (offset + size)..<file.count, after: sum) }
        return try has(file, mark(kind, sum), at: offset)
    }

    private static func has(_ file: OpenFile, _ bytes: [UInt8], at offset: Int) throws(FileError) -> Bool {
        guard offset >= 0, offset + bytes.count <= file.count else { return false }
        return try file.bytes(offset..<(offset + bytes.count)) == bytes
    }

    // MARK: The mark in each format

    private static func mark(_ kind: OutputKind, _ sum: UInt32) -> [UInt8] {
        switch kind {
        case .png: png(sum)
        case .gif: [0x21, 0xFE, UInt8(length)] + text(sum) + [0]
        case .webp: webp(sum)
        case .jpeg: comment(sum)
        default: trailer(kind, sum)
        }
    }

    /// Returns the bytes between the mark and the end of the file.
    private static func ending(_ kind: OutputKind) -> [UInt8] {
        switch kind {
        case .gif: [0x3B]
        default: []
        }
    }

    private static func png(_ sum: UInt32) -> [UInt8] {
        var words = text(sum)
        words[name.utf8.count] = 0
        return PNGText.chunk("tEXt", words)
    }

    private static func webp(_ sum: UInt32) -> [UInt8] {
        Array("VPMK".utf8) + [UInt8(length), 0, 0, 0] + text(sum)
    }

    private static func comment(_ sum: UInt32) -> [UInt8] {
        [0xFF, 0xFE, 0, UInt8(length + 2)] + text(sum)
    }

    /// Source: ISO/IEC 14496-12 and 15444-1 (boxes), RFC 8794 (EBML's Void).
    private static func trailer(_ kind: OutputKind, _ sum: UInt32) -> [UInt8] {
        switch kind {
        case .heif, .jp2, .movie: [0, 0, 0, UInt8(length + 8)] + Array("free".utf8) + text(sum)
        case .matroska: [0xEC, 0x80 | UInt8(length)] + text(sum)
        case .pdf: Array("%".utf8) + text(sum) + [0x0A]
        default: text(sum)
        }
    }

    /// The offset after the first chunk of a PNG, whose length is fixed.
    private static let headerEnd = 33

    /// Returns the offset after the application segments at the start of a JPEG.
    private static func commentOffset(_ file: FileBytes) -> Int {
        var at = 2
        while at + 4 <= file.count, file[at] == 0xFF, (0xE0...0xEF).contains(file[at + 1]),
            let length = file.uint16(at: at + 2)
        {
            at += 2 + length
        }
        return min(at, file.count)
    }

    private static func sum(_ file: [UInt8], _ ranges: Range<Int>...) -> UInt32 {
        ranges.reduce(0) { CRC32.of(file.span.extracting($1), after: $0) }
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

extension CRC32 {
    /// Returns the checksum of a part of a file, read in pieces.
    static func of(
        _ file: OpenFile, _ range: Range<Int>, after previous: UInt32 = 0
    ) throws(FileError) -> UInt32 {
        var sum = previous
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            // On a separate line: Swift 6.3 crashes where a span of a throwing call's result is passed on.
            let piece = try file.bytes(start..<min(start + (1 << 20), range.upperBound))
            sum = of(piece.span, after: sum)
        }
        return sum
    }

    /// Returns the checksum of a file; nil where it cannot be read.
    package static func of(fileAt path: String) -> UInt32? {
        guard let file = try? OpenFile(path) else { return nil }
        return try? of(file, 0..<file.count)
    }
}

extension PictureFormat {
    /// What its files are.
    package var fileKind: OutputKind {
        switch self {
        case .png: .png
        case .jpg: .jpeg
        case .webp: .webp
        case .avif: .heif
        case .tif: .tiff
        case .gif: .gif
        case .jp2: .jp2
        }
    }
}
