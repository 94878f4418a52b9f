internal import Basics
internal import Containers
internal import Files

/// What makers of cameras state in films in forms of their own: the local time, often its zone, and the camera.
///
/// Source: ExifTool's tag names of QuickTime, RIFF, Nikon, Canon, Panasonic, Casio, FujiFilm, Ricoh, Samsung and Olympus;
/// version 12.57 reads the same of each form.
extension Exif {
    /// Reads a box in the user data of a QuickTime or MP4 file; nil for others than these.
    init?(makerBox type: FourCC, _ body: FileBytes) throws(FileError) {
        switch type {
        case "NCDT":
            guard let tags = try BoxList.first("NCTG", in: body.indices, of: body) else { return nil }
            self.init(nikon: body.extracting(tags))
        case "CNTH":
            guard let picture = try BoxList.first("CNDA", in: body.indices, of: body) else { return nil }
            self.init(jpeg: body.extracting(picture))
        case "PANA":
            // What surrounds EXIF looks like a JPEG, but is none.
            let start = body.extracting(0..<min(64, body.count)).firstIndex(of: "Exif\0\0")
            guard let start else { return nil }
            self.init(body.extracting(start...))
        case "QVMI": self.init(directoryIn: body, .big, at: 10)
        case "MVTG": self.init(directoryIn: body.slice(16..<max(16, body.count)), .little)
        case "RMKN": self.init(body)
        case "@sec": self.init(jpeg: body.slice(0x20C..<max(0x20C, body.count)))
        default: return nil
        }
    }

    /// Reads a chunk of an AVI; nil for others than these.
    init?(makerChunk type: FourCC, _ body: FileBytes) {
        switch type {
        case "strd" where body.has("AVIF"):
            self.init(directoryIn: body.slice(8..<max(8, body.count)), .little)
        case "JUNK" where body.has("QVMI"): self.init(directoryIn: body, .big, at: 10)
        case "JUNK" where body.has("OLYMDigital Camera") || body.has("PENTDigital Camera"):
            self.init()
            make = body.slice(0x12, 24)?.text
            model = body.slice(0x2C, 24)?.text
            date = CaptureDate(avi: body.slice(0x83, 24)?.text, source: .dateTimeOriginal)
        case "nctg": self.init(nikonAVI: body)
        default: return nil
        }
    }

    /// Reads a directory without the header of a TIFF.
    private init?(directoryIn body: FileBytes?, _ order: ByteOrder, at offset: Int = 0) {
        guard let body else { return nil }
        let block = TIFFBlock(body, order: order)
        guard let main = TIFFDirectory(block, at: offset, isWithoutHeader: true) else { return nil }
        self.init(block, main)
    }

    private init?(jpeg: FileBytes?) {
        guard let jpeg, let range = JPEGSummary(jpeg).exif else { return nil }
        self.init(jpeg.extracting(range))
    }

    /// Reads Nikon's records: a tag, a type and a count as in EXIF, and the value.
    private init(nikon body: FileBytes) {
        self.init()
        var (zone, position) = (UTCOffset?.none, NikonPosition())
        var at = 0
        while let tag = body.uint32(at: at), let type = body.uint16(at: at + 4),
            let count = body.uint16(at: at + 6), let size = TIFFDirectory.size(of: type),
            let value = body.slice(at + 8, count * size)
        {
            at += 8 + count * size
            switch tag {
            case 0x01: make = value.text
            case 0x02: model = value.text
            case 0x03: software = value.text
            case 0x11: date = date ?? CaptureDate(value.text, source: .createDate)
            case 0x12: date = CaptureDate(value.text, source: .dateTimeOriginal) ?? date
            case 0x19: zone = value.text.flatMap { UTCOffset($0) }
            default: position.read(tag, value)
            }
        }
        if let zone, date?.hasTime == true, date?.offset == nil {
            date?.offset = zone
            date?.zoneSource = .tag("TimeZone")
        }
        location = position.location
    }

    /// Reads Nikon's records in an AVI: a tag, a length and the value.
    private init(nikonAVI body: FileBytes) {
        self.init()
        var at = 0
        while let tag = body.uint16(at: at, .little), let length = body.uint16(at: at + 2, .little),
            let value = body.slice(at + 4, length)
        {
            at += 4 + length
            switch tag {
            case 0x03: make = value.text
            case 0x04: model = value.text
            case 0x13: date = CaptureDate(value.text, source: .dateTimeOriginal)
            default: break
            }
        }
    }

    /// Returns what the XML of Sony's professional discs states, which its cameras write, too; nil for other XML.
    ///
    /// Source: ExifTool's tag names of XML.
    static func nonRealTime(_ bytes: FileBytes) -> Exif? {
        var exif = Exif()
        var reader = XMLReader(count: bytes.count) { bytes.extracting($0).array }
        var isOfSony = false
        while let token = try? reader.next() {
            guard case .open(let name, let attributes, _) = token else { continue }
            func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
            switch name.split(separator: ":").last {
            case "NonRealTimeMeta": isOfSony = true
            case "CreationDate": exif.date = CaptureDate(value("value"), source: .quickTimeCreationDate)
            case "Device": (exif.make, exif.model) = (value("manufacturer"), value("modelName"))
            default: break
            }
        }
        return isOfSony ? exif : nil
    }
}

/// The position in Nikon's records, whose tags are those of EXIF's GPS directory with a prefix.
private struct NikonPosition {
    private var texts: [Int: String] = [:]
    private var numbers: [Int: [Double]] = [:]

    mutating func read(_ tag: Int, _ value: FileBytes) {
        switch tag - 0x120_0000 {
        case 1, 3: texts[tag - 0x120_0000] = value.text
        case 2, 4, 6:
            numbers[tag - 0x120_0000] = stride(from: 0, to: value.count - 7, by: 8).map { at in
                Double(value.uint32(at: at) ?? 0) / Double(value.uint32(at: at + 4) ?? 0)
            }
        default: break
        }
    }

    var location: Location? {
        func degrees(_ reference: Int, _ negative: String) -> Double? {
            guard let parts = numbers[reference + 1], parts.count == 3, let text = texts[reference] else {
                return nil
            }
            return (parts[0] + parts[1] / 60 + parts[2] / 3600) * (text.hasPrefix(negative) ? -1 : 1)
        }
        guard let latitude = degrees(1, "S"), let longitude = degrees(3, "W") else { return nil }
        return Location(
            latitude: latitude, longitude: longitude, altitude: numbers[6]?.first, source: .exif)
    }
}
