internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the headers of a Matroska or WebM file.
    ///
    /// Source: RFC 8794 (EBML), RFC 9559 (Matroska).
    mutating func readMatroska(_ bytes: FileBytes) {
        var tags = MatroskaTags()
        readElements(bytes, 0..<bytes.count, depth: 0, &tags)
        add(tags)
    }

    /// Adds what tags state; times of capture are more than the date of the file, which may be that of a copy.
    private mutating func add(_ tags: MatroskaTags) {
        let dates = [
            CaptureDate(tags["COM.APPLE.QUICKTIME.CREATIONDATE"], source: .quickTimeCreationDate),
            CaptureDate(tags["DATE_RECORDED"], source: .dateTimeOriginal),
            CaptureDate(tags["CREATION_TIME"], source: .matroskaDateUTC),
        ].compactMap(\.self)
        for date in dates where date.hasTime || self.date == nil { offer(date) }
        let place = tags["COM.APPLE.QUICKTIME.LOCATION.ISO6709"] ?? tags["LOCATION"]
        if let place = place.flatMap({ Location(iso6709: $0, source: .quickTime) }),
            place.latitude != 0 || place.longitude != 0
        {
            offer(place)
        }
        make = make ?? tags["COM.APPLE.QUICKTIME.MAKE"] ?? tags["MAKE"] ?? tags["COM.ANDROID.MANUFACTURER"]
        model = model ?? tags["COM.APPLE.QUICKTIME.MODEL"] ?? tags["MODEL"] ?? tags["COM.ANDROID.MODEL"]
        title = title ?? tags["TITLE"]
        livePhotoIdentifier = livePhotoIdentifier ?? tags["COM.APPLE.QUICKTIME.CONTENT.IDENTIFIER"]
    }

    private mutating func readElements(
        _ bytes: FileBytes, _ range: Range<Int>, depth: Int, _ tags: inout MatroskaTags
    ) {
        var elements = EBMLList(bytes, in: range)
        var scale = 1_000_000
        var ticks: Double?
        while let element = elements.next() {
            let content = element.content
            switch element.type {
            // Segment, Info, Tracks, TrackEntry, Video; Tags, Tag.
            case 0x1853_8067, 0x1549_A966, 0x1654_AE6B, 0xAE, 0xE0, 0x1254_C367, 0x7373:
                if depth < 5 { readElements(bytes, content, depth: depth + 1, &tags) }
            case _ where !element.isWhole: break
            case 0x67C8: tags.read(bytes, content)
            case 0x2AD7B1: scale = bytes.unsigned(min(content.count, 7), at: content.lowerBound) ?? scale
            case 0x4489: ticks = Self.float(bytes, content)
            case 0x4461 where content.count == 8:
                // Nanoseconds since 2001 UTC.
                guard let bits = bytes.bits(8, at: content.lowerBound) else { continue }
                offer(
                    CaptureDate(
                        secondsSince1970: Int(truncatingIfNeeded: bits) / 1_000_000_000 + 978_307_200,
                        source: .matroskaDateUTC))
            case 0x7BA9: title = bytes.slice(content)?.text
            case 0x5741: software = bytes.slice(content)?.text
            case 0xB0: setSide(bytes, content) { PixelSize(width: $1, height: $0.height) }
            case 0xBA: setSide(bytes, content) { PixelSize(width: $0.width, height: $1) }
            default: break
            }
        }
        if let ticks, ticks.isFinite, ticks > 0 { duration = ticks * Double(scale) / 1_000_000_000 }
    }

    private mutating func setSide(
        _ bytes: FileBytes, _ content: Range<Int>,
        _ change: (PixelSize<StoredGrid>, Int) -> PixelSize<StoredGrid>
    ) {
        guard let value = bytes.unsigned(min(content.count, 4), at: content.lowerBound) else { return }
        storedSize = change(storedSize ?? PixelSize(width: 0, height: 0), value)
    }

    private static func float(_ bytes: FileBytes, _ content: Range<Int>) -> Double? {
        switch content.count {
        case 4: bytes.uint32(at: content.lowerBound).map { Double(Float(bitPattern: UInt32($0))) }
        case 8: bytes.bits(8, at: content.lowerBound).map(Double.init(bitPattern:))
        default: nil
        }
    }
}

/// The tags of a Matroska file, by their names in capitals; programs copy those of other containers.
///
/// Source: RFC 9559, section 5.1.8; ffmpeg 5.1 writes names of other containers in capitals.
private struct MatroskaTags {
    private var texts: [String: String] = [:]

    subscript(_ name: String) -> String? { texts[name] }

    /// Reads a name and its text.
    mutating func read(_ bytes: FileBytes, _ range: Range<Int>) {
        var elements = EBMLList(bytes, in: range)
        var (name, text) = (String?.none, String?.none)
        while let element = elements.next(), element.isWhole {
            switch element.type {
            case 0x45A3: name = bytes.slice(element.content)?.text
            case 0x4487: text = bytes.slice(element.content)?.text
            default: break
            }
        }
        if let name = name?.uppercased(), texts.count < 256 { texts[name] = texts[name] ?? text }
    }
}
