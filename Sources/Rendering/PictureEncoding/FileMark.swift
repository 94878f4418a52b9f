package import Checksums
package import Containers
package import Files

/// A mark in files that this program wrote, with a checksum: a later run replaces a marked file only while it is
/// unchanged.
///
/// It does not depend on when or where the file was written. `MarkPlace` knows where it lies.
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
        parts(of: file, kind).reduce(into: []) { $0 += $1 }
    }

    /// Returns the file with the mark as consecutive parts, so that it need not be copied.
    static func parts(of file: [UInt8], _ kind: OutputKind) -> [ArraySlice<UInt8>] {
        switch kind {
        case .gif, .tiff, .heif, .jp2, .movie, .matroska, .zip, .pdf:
            let end = file.count - MarkPlace.ending(kind).count
            return [file[..<end], mark(kind, sum(file, 0..<end))[...], MarkPlace.ending(kind)[...]]
        case .webp:
            guard let tail = WebPTail(FileBytes(file)) else { return [file[...]] }
            let file = tail.lengthened(file, by: length)
            let sum = sum(file, 12..<tail.end, tail.end..<file.count)
            return [file[..<tail.end], text(sum)[...], file[tail.end...]]
        case .jpeg, .png:
            let offset = MarkPlace.front(FileBytes(file), kind)
            guard offset <= file.count else { return [file[...]] }
            // The index of further pictures has the positions behind the mark.
            let file = kind == .jpeg ? file.movingPictures(after: offset, by: mark(kind, 0).count) : file
            let mark = mark(kind, sum(file, 0..<offset, offset..<file.count))
            return [file[..<offset], mark[...], file[offset...]]
        case .xml, .lines, .sidecar, .other: return [file[...]]
        }
    }

    /// Appends the mark to a large file of a kind that has its mark at the end.
    package static func append(to path: String, _ kind: OutputKind) throws(FileError) {
        if kind == .matroska, let file = try? OpenFile(path),
            let size = MatroskaFile.segmentSize(of: FileBytes(file), with: mark(kind, 0).count)
        {
            try OutputFile.replace(size.bytes, at: size.place, in: path)
        }
        guard let sum = CRC32.of(fileAt: path) else { throw .unwritable("it is gone") }
        try OutputFile.append(mark(kind, sum), to: path)
    }

    /// Returns whether the file at a path has a mark and is unchanged since it was marked.
    package static func isOn(_ path: String, _ kind: OutputKind) -> Bool {
        guard let file = try? OpenFile(path) else { return false }
        return (try? isOn(file, kind)) ?? false
    }

    /// Returns whether the file at a path is unchanged since this program wrote it, as a thumbnail or as anything else.
    package static func isOnOwn(_ path: String, _ kind: OutputKind) -> Bool {
        isOn(path, kind) || (try? InputFile.contents(path)).flatMap { ThumbnailMark(of: $0, kind) } != nil
    }

    private static func isOn(_ file: OpenFile, _ kind: OutputKind) throws(FileError) -> Bool {
        if kind == .webp, try isInTail(of: file) { return true }
        let (size, end) = (mark(kind, 0).count, MarkPlace.ending(kind))
        let isInFront = kind == .jpeg || kind == .png
        let offset = isInFront ? MarkPlace.front(FileBytes(file), kind) : file.count - end.count - size
        // Former versions had a chunk at the end of a WebP, whose header contains the size of the file.
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

    /// Returns whether a WebP has its mark behind its last picture.
    private static func isInTail(of file: OpenFile) throws(FileError) -> Bool {
        guard let end = WebPTail(FileBytes(file))?.end, end >= 12 + length,
            try has(file, Array(name.utf8), at: end - length)
        else { return false }
        let before = try CRC32.of(file, 12..<(end - length))
        return try has(file, text(CRC32.of(file, end..<file.count, after: before)), at: end - length)
    }

    private static func has(_ file: OpenFile, _ bytes: [UInt8], at offset: Int) throws(FileError) -> Bool {
        guard offset >= 0, offset + bytes.count <= file.count else { return false }
        return try file.bytes(offset..<(offset + bytes.count)) == bytes
    }

    /// Returns the block of a file's kind with the mark.
    private static func mark(_ kind: OutputKind, _ sum: UInt32) -> [UInt8] {
        var words = text(sum)
        // The keyword of a PNG's text ends with 0.
        if kind == .png { words[name.utf8.count] = 0 }
        return MarkPlace.block(words, kind, webpName: "VPMK")
    }

    private static func sum(_ file: [UInt8], _ ranges: Range<Int>...) -> UInt32 {
        ranges.reduce(0) { CRC32.of(file.span.extracting($1), after: $0) }
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
        OutputKind(FileType.ofExtension(rawValue))
    }
}
