internal import Basics
internal import Files

/// What is missing of a picture or a film by the structure of its file, without decoding.
package struct FileGap: Equatable, Sendable {
    /// A clause, such as "its end marker is missing".
    package let text: String
    /// Whether a decoder can show the rest.
    package var isShowable = false
    /// Whether the whole picture can be decoded nevertheless.
    package var isWhole = false

    package init(_ text: String, isShowable: Bool = false, isWhole: Bool = false) {
        (self.text, self.isShowable, self.isWhole) = (text, isShowable, isWhole)
    }

    /// Returns a number with a comma before every three digits.
    package static func grouped(_ number: Int) -> String {
        let digits = Array("\(number)")
        return digits.indices.reduce("") { text, index in
            let isGroup = index > 0 && (digits.count - index) % 3 == 0
            return text + (isGroup ? "," : "") + String(digits[index])
        }
    }

    /// Cameras append previews and films: an end marker anywhere behind the start of the first scan is enough.
    package static func jpeg(_ bytes: FileBytes) -> FileGap? {
        var segments = JPEGSegments(bytes)
        while let segment = (try? segments.next()) ?? nil {
            guard segment.marker == 0xDA else { continue }
            return JPEGSegment.lastEnd(in: bytes, from: segment.end) == nil
                ? FileGap("its end marker is missing, so that the picture is cut", isShowable: true) : nil
        }
        return FileGap("the file ends in its headers")
    }

    /// Source: ISO/IEC 14496-12, 4.2 and 8.2.
    package static func boxes(_ bytes: FileBytes, isFilm: Bool) -> FileGap? {
        var list = BoxList(bytes, in: 0..<bytes.count)
        var (hasIndex, isFirst) = (false, true)
        while let box = (try? list.next()) ?? nil {
            if box.statedLength > box.whole.count {
                let name = String(decoding: box.type.bytes, as: UTF8.self)
                return FileGap(
                    "the file ends in its box \(name), of which "
                        + "\(grouped(box.statedLength - box.whole.count)) bytes are missing")
            }
            if ["moov", "moof"].contains(box.type) { hasIndex = true }
            isFirst = false
        }
        return isFilm && !hasIndex && !isFirst
            ? FileGap("it has no index (moov), without which its frames are not found") : nil
    }

    /// Source: PNG (third edition), 5.
    package static func png(_ bytes: FileBytes) -> FileGap? {
        var chunks = PNGChunks(bytes)
        var at = chunks.position
        var isInterlaced = false
        // What cannot be read is missing: the check of the file reports it.
        while at + 12 <= bytes.count, let chunk = (try? chunks.next()) ?? nil {
            let method = chunk.body.lowerBound + 12
            if chunk.type == "IHDR", method < bytes.count { isInterlaced = bytes[method] != 0 }
            guard chunk.whole.upperBound <= bytes.count else { break }
            guard (try? chunks.isIntact(chunk)) ?? false else {
                let name = String(decoding: chunk.type.bytes, as: UTF8.self)
                return FileGap(
                    "its chunk \(name) at byte \(grouped(at)) fails its checksum",
                    isShowable: !isInterlaced)
            }
            at = chunk.whole.upperBound
            if chunk.type == "IEND" { return nil }
        }
        return FileGap(
            "the file ends in the chunk that begins at byte \(grouped(at)), before its end chunk",
            isShowable: !isInterlaced)
    }

    /// Source: RFC 9649, 2.4, and Microsoft's description of AVI.
    package static func riff(_ bytes: FileBytes) -> FileGap? {
        guard let length = RIFFChunk.statedLength(of: bytes), bytes.count < length else { return nil }
        return FileGap(
            "only \(grouped(bytes.count)) of its \(grouped(length)) bytes are there")
    }

    /// Source: GIF89a, appendix A.
    package static func gif(_ bytes: FileBytes) -> FileGap? {
        guard bytes.count > 13 else { return FileGap("the file ends in its header") }
        var at = 13 + bytes.colorTable(10)
        var frames = 0
        while at < bytes.count, bytes[at] != 0x3B {
            let isFrame = bytes[at] == 0x2C
            guard isFrame || bytes[at] == 0x21 else {
                return FileGap(
                    "there is no block where one should begin, at byte \(grouped(at))",
                    isShowable: frames > 0)
            }
            at += isFrame && at + 9 < bytes.count ? 11 + bytes.colorTable(at + 9) : 2
            while at < bytes.count, bytes[at] != 0 { at += 1 + Int(bytes[at]) }
            guard at < bytes.count else {
                return FileGap(
                    isFrame ? "the file ends in frame \(frames + 1)" : "the file ends in an extension",
                    isShowable: frames > 0 || isFrame)
            }
            at += 1
            if isFrame { frames += 1 }
        }
        // A file without its last byte, the end mark, has all frames.
        return at < bytes.count
            ? nil
            : FileGap(
                "its end mark is missing; all frames are there", isShowable: true, isWhole: true)
    }
}

extension FileBytes {
    /// The size of a GIF's color table in bytes, from the flags at an offset.
    fileprivate func colorTable(_ at: Int) -> Int { self[at] & 0x80 == 0 ? 0 : 3 << (Int(self[at] & 7) + 1) }
}
