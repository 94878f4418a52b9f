internal import Basics
internal import Checksums
package import ViewportGeometry

/// The EXIF and XMP blocks of a copy for others: without location, maker notes and previews.
///
/// Both are made anew from what is known to be harmless; a position in a tag that this program does not know is not copied.
package struct SharedMetadata: Equatable, Sendable {
    /// From the byte-order mark on.
    package var exif: [UInt8]?
    package var xmp: [UInt8]?

    /// No metadata but the orientation, which the pixels need.
    package init(orientation: Orientation) {
        exif = Self.exif(nil, orientation)
    }

    /// - Parameters:
    ///   - exif: the block of the file, from "Exif\0\0" or the byte-order mark on.
    ///   - edit: what the copy states in XMP; its location is not written.
    ///   - orientation: the orientation of the copy's stored pixels.
    package init(exif: [UInt8]?, stating edit: SidecarEdit, orientation: Orientation) {
        self.exif = Self.exif(exif, orientation)
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
    private static func isShared(_ entry: TIFFDirectory.RawEntry) -> Bool {
        [0x829A...0x829D, 0x8822...0x8835, 0x9000...0x9405, 0xA000...0xA434].contains { tags in
            tags.contains(entry.tag)
        }
            && ![0x8825, 0x927C, 0x9286, 0xA005].contains(entry.tag) && entry.value.count <= 4096
    }

    private static func exif(_ exif: [UInt8]?, _ orientation: Orientation) -> [UInt8]? {
        let bytes = exif.map { FileBytes($0) }
        let main = bytes.flatMap { TIFFBlock($0.extracting(Exif.start(in: $0)...)) }?.main
        let order = main?.order ?? .big
        // Without Windows' keywords, which XMP has; they can be machine tags, too.
        var tags =
            main?.entries.filter {
                RawMetadata.described.contains($0.tag) && ![0x0112, 0x9C9E].contains($0.tag)
            }
            ?? []
        if orientation != .up {
            tags.append(
                .init(tag: 0x0112, type: 3, count: 1, value: orientation.rawValue.bytes(order, size: 2)))
        }
        let details = main?.directory(0x8769)?.entries.filter(isShared) ?? []
        return RawMetadata.block(
            order, tags.sorted { $0.tag < $1.tag }, details.isEmpty ? [] : [(0x8769, details)])
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
        if file.starts(with: [0xFF, 0xD8, 0xFF]) { return try jpeg(file, metadata) }
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            return try png(file, metadata)
        }
        if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) {
            return try webp(file, metadata)
        }
        throw .format
    }

    // MARK: JPEG

    /// Copies the segments of the picture up to its end; of the others only the profile and the color transform.
    private static func jpeg(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        var copy: [UInt8] = [0xFF, 0xD8]
        for (name, block) in [("Exif\0\0", metadata.exif), ("http://ns.adobe.com/xap/1.0/\0", metadata.xmp)] {
            guard let block, block.count + name.utf8.count <= 65_533 else { continue }
            let length = 2 + name.utf8.count + block.count
            copy += [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + Array(name.utf8) + block
        }
        var at = 2
        while true {
            while at < file.count, file[at] == 0xFF, at + 1 < file.count, file[at + 1] == 0xFF { at += 1 }
            guard at + 1 < file.count, file[at] == 0xFF else { throw .damaged }
            let marker = file[at + 1]
            if marker == 0xD9 { return copy + [0xFF, 0xD9] }
            guard at + 4 <= file.count else { throw .damaged }
            let end = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
            guard end >= at + 4, end <= file.count else { throw .damaged }
            copy += segment(marker, file[at..<end])
            at = end
            guard marker == 0xDA else { continue }
            // Compressed data, up to a marker that is no restart and no stuffed byte.
            let start = at
            while at + 1 < file.count,
                file[at] != 0xFF || file[at + 1] == 0 || (0xD0...0xD7).contains(file[at + 1])
            {
                at += 1
            }
            copy += file[start..<at]
        }
    }

    /// Returns what is copied of a segment.
    private static func segment(_ marker: UInt8, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let body = bytes.dropFirst(4)
        switch marker {
        // JFIF, in whose header a preview can follow; its extensions are nothing else.
        case 0xE0 where body.starts(with: "JFIF\0".utf8) && body.count >= 14:
            return [0xFF, 0xE0, 0, 16] + body.prefix(12) + [0, 0]
        case 0xE2 where body.starts(with: "ICC_PROFILE\0".utf8): return Array(bytes)
        case 0xEE where body.starts(with: "Adobe".utf8) && body.count >= 12:
            return [0xFF, 0xEE, 0, 14] + body.prefix(12)
        // Frames, tables and scans; the others hold no part of the picture.
        case 0xC0...0xCF, 0xDA...0xDF: return Array(bytes)
        default: return []
        }
    }

    // MARK: PNG

    /// The chunks of pixels and colors.
    private static let chunks: Set = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "pHYs",
        "bKGD",
        "acTL", "fcTL", "fdAT",
    ]

    private static func png(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        var copy = Array(file[..<8])
        var at = 8
        while at + 12 <= file.count {
            let count = file[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            let end = at + 12 + count
            guard end <= file.count else { throw .damaged }
            let name = String(decoding: file[(at + 4)..<(at + 8)], as: UTF8.self)
            if chunks.contains(name) { copy += file[at..<end] }
            if name == "IEND" { return copy }
            if name == "IHDR" {
                if let exif = metadata.exif { copy += chunk("eXIf", exif) }
                if let xmp = metadata.xmp {
                    copy += chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
                }
            }
            at = end
        }
        throw .damaged
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + body
        return body.count.bytes(.big, size: 4) + content + Int(CRC32.of(content.span)).bytes(.big, size: 4)
    }

    // MARK: WebP

    private static func webp(_ file: [UInt8], _ metadata: SharedMetadata) throws(Failure) -> [UInt8] {
        var chunks: [(name: String, bytes: [UInt8])] = []
        var at = 12
        while at + 8 <= file.count {
            let count = file[(at + 4)..<(at + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = at + 8 + count
            guard end <= file.count else { throw .damaged }
            let name = String(decoding: file[at..<(at + 4)], as: UTF8.self)
            if ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"].contains(name) {
                chunks.append((name, file[at..<end] + [UInt8](repeating: 0, count: count & 1)))
            }
            at = end + count & 1
        }
        guard let first = chunks.first else { throw .damaged }
        if first.name == "VP8X" {
            guard first.bytes.count >= 18 else { throw .damaged }
            chunks[0].bytes[8] &= ~0b1100
            for (name, block, flag) in [
                ("EXIF", metadata.exif, UInt8(0b1000)), ("XMP ", metadata.xmp, 0b100),
            ] {
                guard let block else { continue }
                chunks[0].bytes[8] |= flag
                chunks.append(
                    (
                        name,
                        Array(name.utf8) + block.count.bytes(.little, size: 4) + block
                            + [UInt8](repeating: 0, count: block.count & 1)
                    ))
            }
        }
        let body = Array("WEBP".utf8) + chunks.flatMap(\.bytes)
        return Array("RIFF".utf8) + body.count.bytes(.little, size: 4) + body
    }
}
