internal import Basics
internal import Containers

/// All that a file states about its film.
struct FilmAnnouncements {
    private(set) var statements: [FilmStatement] = []
    /// Whether XMP states that there is a film, wherever it is.
    private(set) var isMotionPhoto = false

    /// Nil for other files than JPEG, HEIC and AVIF.
    init?(_ bytes: FileBytes) {
        let type = FileType(bytes)
        if type == .jpeg {
            if let packet = JPEGSummary(bytes).packet { add(packet, bytes) }
        } else if type == .heif || type == .avif {
            statements += FilmStatement.boxes(of: bytes)
            if let range = HEIFItems(bytes)?.xmp, let packet = bytes.slice(range) {
                add(XMPPacket(packet), bytes)
            }
        } else {
            return nil
        }
        statements += SamsungTrailer(bytes)?.statements ?? []
    }

    private mutating func add(_ packet: XMPPacket, _ bytes: FileBytes) {
        statements += FilmStatement.all(in: packet, bytes)
        isMotionPhoto =
            ["GCamera:MotionPhoto", "GCamera:MicroVideo"].contains { packet.first($0) == "1" }
            || packet.items.contains(where: FilmStatement.isFilm)
    }
}

/// What a file states about its film, which may be wrong.
struct FilmStatement {
    var kind: EmbeddedFilm.Kind
    var offset: Int
    var length: Int

    /// Returns the film, if one begins where it is stated.
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

    /// Those in XMP.
    static func all(in packet: XMPPacket, _ bytes: FileBytes) -> [Self] {
        var statements: [Self] = []
        // Items are stored after the picture in their order: the last one ends with the file.
        var end = bytes.count
        for item in packet.items.dropFirst().reversed() {
            let length = item["Item:Length"].flatMap { Int($0) } ?? 0
            let padding = item["Item:Padding"].flatMap { Int($0) } ?? 0
            let (start, isBelow) = end.subtractingReportingOverflow(length)
            if isFilm(item), item["Item:Length"] != nil {
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

    static func isFilm(_ item: [String: String]) -> Bool {
        item["Item:Semantic"] == "MotionPhoto"
            || item["Item:Mime"]?.hasPrefix("video/") == true && item["Item:Semantic"] == nil
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
}
