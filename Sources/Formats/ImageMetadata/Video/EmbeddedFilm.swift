internal import Basics
package import Containers
package import Files

/// The film inside of a motion photo.
///
/// It is a whole MP4 or QuickTime file in a range of the photo's file. Sources: Android's Motion Photo format 1.0 and its
/// predecessor MicroVideo; Samsung's trailer as ExifTool describes it.
package struct EmbeddedFilm: Equatable, Sendable {
    /// How the photo refers to the film.
    package enum Kind: String, CaseIterable, Sendable {
        /// A directory of items in XMP.
        case motionPhoto = "motion-photo"
        /// An offset in XMP, counted from the end of the file.
        case microVideo = "micro-video"
        /// A box of a HEIC or AVIF file.
        case box = "mpvd"
        /// A trailer of Samsung's phones.
        case samsung
    }

    package let kind: Kind
    /// The bytes of the film in the photo's file.
    package let range: Range<Int>
    /// MP4 or QuickTime.
    package let format: FileFormat
}

/// A photo refers to a film that its file does not have.
package enum EmbeddedFilmError: Error, Equatable, Sendable {
    /// The stated bytes are not all in the file.
    case outside(EmbeddedFilm.Kind, length: Int, of: Int)
    /// There is something else.
    case noFilm(EmbeddedFilm.Kind, offset: Int)
    /// The file could not be read where the film is stated, or where it is.
    case unreadable(FileError)
}

extension EmbeddedFilmError: CustomStringConvertible {
    /// The cause, as the end of a sentence that begins with the file's name.
    package var description: String {
        switch self {
        case .outside(let kind, let length, let count):
            "states a film (\(kind.rawValue)) of \(length) bytes, but has only \(count) bytes; "
                + "the film was cut off"
        case .noFilm(let kind, let offset):
            "states a film (\(kind.rawValue)) at \(offset), but none begins there; it was removed or damaged"
        case .unreadable(let error): error.description
        }
    }
}

extension EmbeddedFilm {
    /// Finds the film of a JPEG, HEIC or AVIF file; nil where it states none.
    ///
    /// Reads only the headers of the file and of the film.
    ///
    /// - Throws: `EmbeddedFilmError` if the file states a film that it does not have, or cannot be read.
    package static func find(in bytes: FileBytes) throws(EmbeddedFilmError) -> EmbeddedFilm? {
        let found = Result { () throws(EmbeddedFilmError) in try search(bytes) }
        // A film in bytes that cannot be read looks like one that is missing.
        do throws(FileError) { try bytes.check() } catch { throw .unreadable(error) }
        return try found.get()
    }

    private static func search(_ bytes: FileBytes) throws(EmbeddedFilmError) -> EmbeddedFilm? {
        var statements: [Statement] = []
        let type = FileType(bytes)
        if type == .jpeg {
            if let packet = JPEGSummary(bytes).packet { statements += Statement.all(in: packet, bytes) }
        } else if type == .heif || type == .avif {
            statements += Statement.boxes(of: bytes)
            if let range = HEIFItems(bytes)?.xmp, let packet = bytes.slice(range) {
                statements += Statement.all(in: XMPPacket(packet), bytes)
            }
        } else {
            return nil
        }
        statements += Statement.samsung(bytes)
        var failure: EmbeddedFilmError?
        for statement in statements {
            do throws(EmbeddedFilmError) {
                return try statement.film(in: bytes)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// What a file states about its film, which may be wrong.
    private struct Statement {
        var kind: Kind
        var offset: Int
        var length: Int

        func film(in bytes: FileBytes) throws(EmbeddedFilmError) -> EmbeddedFilm {
            guard length > 0, offset >= 0, bytes.contains(length, at: offset) else {
                throw .outside(kind, length: length, of: bytes.count)
            }
            let film = bytes.extracting(offset..<(offset + length))
            guard film.hasBrands, let format = FileFormat(film, name: ""), format.kind == .video
            else {
                throw .noFilm(kind, offset: offset)
            }
            return EmbeddedFilm(kind: kind, range: offset..<(offset + length), format: format)
        }

        static func all(in packet: XMPPacket, _ bytes: FileBytes) -> [Self] {
            var statements: [Self] = []
            // Items are stored after the picture in their order: the last one ends with the file.
            var end = bytes.count
            for item in packet.items.dropFirst().reversed() {
                let length = item["Item:Length"].flatMap { Int($0) } ?? 0
                let padding = item["Item:Padding"].flatMap { Int($0) } ?? 0
                let (start, isBelow) = end.subtractingReportingOverflow(length)
                let isFilm =
                    item["Item:Semantic"] == "MotionPhoto"
                    || item["Item:Mime"]?.hasPrefix("video/") == true && item["Item:Semantic"] == nil
                if isFilm {
                    statements.append(Self(kind: .motionPhoto, offset: isBelow ? -1 : start, length: length))
                }
                guard !isBelow, length >= 0, (0...bytes.count).contains(padding), start - padding >= 0 else {
                    break
                }
                end = start - padding
            }
            if let text = packet.first("GCamera:MicroVideoOffset"), let length = Int(text),
                packet.first("GCamera:MicroVideo") != "0"
            {
                let (start, isBelow) = bytes.count.subtractingReportingOverflow(length)
                statements.append(Self(kind: .microVideo, offset: isBelow ? -1 : start, length: length))
            }
            return statements
        }

        /// The boxes "mpvd", whose length is not cut to that of the file.
        static func boxes(of bytes: FileBytes) -> [Self] {
            var statements: [Self] = []
            var boxes = BoxList(bytes, in: 0..<bytes.count)
            // `find` reports what cannot be read.
            while let box = (try? boxes.next()) ?? nil, statements.count < 4 {
                guard box.type == "mpvd" else { continue }
                let header = box.content.lowerBound - box.whole.lowerBound
                statements.append(
                    Self(
                        kind: .box, offset: box.content.lowerBound, length: box.statedLength - header))
            }
            return statements
        }

        /// The records of Samsung's trailer, which ends with "SEFT" and refers backwards.
        static func samsung(_ bytes: FileBytes) -> [Self] {
            guard bytes.has("SEFT", at: bytes.count - 4),
                let length = bytes.uint32(at: bytes.count - 8, .little),
                bytes.contains(length, at: bytes.count - 8 - length), length >= 12
            else { return [] }
            let head = bytes.count - 8 - length
            guard bytes.has("SEFH", at: head), let count = bytes.uint32(at: head + 8, .little) else {
                return []
            }
            var statements: [Self] = []
            for number in 0..<min(count, (length - 12) / 12) {
                let entry = head + 12 + 12 * number
                guard bytes.uint16(at: entry + 2, .little) == 0x0A30,
                    let back = bytes.uint32(at: entry + 4, .little),
                    let size = bytes.uint32(at: entry + 8, .little)
                else { continue }
                let record = head - back
                guard let name = bytes.uint32(at: record + 4, .little), name <= 256,
                    bytes.has("MotionPhoto_Data", at: record + 8)
                else {
                    statements.append(Self(kind: .samsung, offset: record, length: size))
                    continue
                }
                let data = record + 8 + name
                // The film itself, or the position of a film elsewhere in the file.
                if bytes.has("mpv2", at: data), let offset = bytes.uint32(at: data + 4),
                    let length = bytes.uint32(at: data + 8)
                {
                    statements.append(Self(kind: .samsung, offset: offset, length: length))
                } else {
                    statements.append(Self(kind: .samsung, offset: data, length: size - 8 - name))
                }
            }
            return statements
        }
    }
}
