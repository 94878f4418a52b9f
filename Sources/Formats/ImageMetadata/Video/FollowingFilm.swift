internal import Basics
internal import Containers

/// Films behind a picture whose place nothing states.
///
/// Such a film is recognized by its boxes: brands of films, a movie with a picture track, and samples, all of them whole.
enum FollowingFilm {
    /// Finds the film behind a JPEG, HEIC or AVIF file.
    ///
    /// - Parameter isAnnounced: Whether the file states that it has a film. Others are searched only if they end with
    ///   something else than a picture.
    static func find(in bytes: FileBytes, isAnnounced: Bool) -> EmbeddedFilm? {
        if bytes.hasBrands { return afterBoxes(bytes) }
        // Other phones' pictures may have Samsung's trailer, too.
        let end = SamsungTrailer(bytes)?.start ?? bytes.count
        guard isAnnounced || !JPEGSegment.isImageEnd(end, in: bytes), !bytes.isRemote else { return nil }
        var from = 0
        for _ in 0..<mostCandidates {
            guard let start = Box.firstBrands(in: bytes, from: from, before: end) else { return nil }
            if let film = film(bytes, start..<end) { return film }
            from = start + 8
        }
        return nil
    }

    /// The most places where a film may begin, and the most boxes of one: each place is read on from there.
    private static let mostCandidates = 16
    private static let mostBoxes = 1 << 14

    /// A film after the boxes of a picture.
    private static func afterBoxes(_ bytes: FileBytes) -> EmbeddedFilm? {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        var left = mostCandidates
        // The caller reports what cannot be read.
        while left > 0, let box = (try? boxes.next()) ?? nil {
            guard box.hasBrands, box.whole.lowerBound > 0 else { continue }
            left -= 1
            if let film = film(bytes, box.whole.lowerBound..<bytes.count) { return film }
        }
        return nil
    }

    /// The film that begins with a range, and ends with its last box in the range.
    private static func film(_ bytes: FileBytes, _ range: Range<Int>) -> EmbeddedFilm? {
        let rest = bytes.extracting(range)
        guard let format = FileFormat(rest, name: ""), format.kind == .video else { return nil }
        var boxes = BoxList(rest, in: rest.indices)
        var (hasPictures, hasSamples, end, count) = (false, false, 0, 0)
        while count < mostBoxes, let box = (try? boxes.next()) ?? nil, box.type.isPrintable,
            box.statedLength <= rest.count - box.whole.lowerBound, !box.hasBrands || end == 0
        {
            switch box.type {
            case "moov": hasPictures = (try? MovieHeader(rest, in: box.content))?.size != nil
            case "mdat", "moof": hasSamples = true
            default: break
            }
            end = box.whole.upperBound
            count += 1
        }
        guard hasPictures, hasSamples else { return nil }
        let found = range.lowerBound..<(range.lowerBound + end)
        return EmbeddedFilm(kind: .appended, range: found, format: format)
    }
}

extension FourCC {
    /// Whether it consists of ASCII letters, digits and signs, as the types of boxes at the top of a film do.
    fileprivate var isPrintable: Bool { bytes.allSatisfy { (0x20...0x7E).contains($0) } }
}
