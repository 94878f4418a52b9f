internal import Basics
internal import Containers

/// The EXIF metadata of an image: orientation, camera, date and location.
///
/// Tags that are damaged are nil. Source: CIPA DC-008 (EXIF 2.32).
public struct Exif: Hashable, Codable, Sendable {
    /// The Orientation tag, 1 to 8; nil for other values.
    public var orientation: Int?
    /// The maker of the camera, as it writes itself: "NIKON CORPORATION".
    public var make: String?
    /// The model of the camera, often with its maker: "NIKON D800".
    public var model: String?
    /// The model of the lens; nil if the camera does not know it.
    public var lens: String?
    /// The software that wrote the file.
    public var software: String?
    /// The time of capture, or else of digitization.
    public var date: CaptureDate?
    /// The time of the GPS position, in UTC.
    public var gpsDate: CaptureDate?
    /// The position of the GPS tags; nil if they are incomplete.
    public var location: Location?
    /// The UserComment tag; iOS writes "Screenshot".
    public var userComment: String?
    /// The ImageDescription tag.
    public var caption: String?
    /// The Rating tag, 0 to 5 stars, or else RatingPercent; nil for other values.
    public var rating: Int?
    /// The time of digitization.
    var digitized: CaptureDate?
    /// The time of capture in the note of the camera's maker.
    var makerDate: CaptureDate?
    /// The words that Windows writes.
    var windows = WindowsWords()
    /// The Copyright tag.
    var copyright: String?
    /// The resolution, as in `FileMetadata`.
    var pixelsPerMillimeter: Double?
    var resolution: Resolution?
    /// How the photo was exposed.
    var exposure = Exposure()
    /// Whether the colors are those of Adobe RGB (1998).
    var isAdobeRGB = false
    /// Apple's identifiers of bursts and live photos.
    var apple = AppleMakerNote()
    /// The range of the embedded JPEG, from the byte-order mark on.
    var preview: Range<Int>?

    /// Parses a block that begins with "Exif\0\0" or with the TIFF byte-order mark; nil if it does not.
    public init?(_ bytes: [UInt8]) {
        self.init(FileBytes(bytes))
    }

    /// Reads a block that begins with "Exif\0\0" or with the TIFF byte-order mark; nil if it does not.
    init?(_ bytes: FileBytes) {
        let start = Self.start(in: bytes)
        guard let block = TIFFBlock(bytes.extracting(start...)), let main = block.main else { return nil }
        self.init(block, main)
    }

    /// The offset of the byte-order mark: after "Exif\0\0", if present.
    static func start(in bytes: FileBytes) -> Int { bytes.has("Exif\0\0") ? 6 : 0 }

    /// Reads IFD0 and the directories that it refers to.
    init(_ block: TIFFBlock, _ main: TIFFDirectory) {
        orientation = main.int(0x0112).flatMap { (1...8).contains($0) ? $0 : nil }
        make = main.string(0x010F)
        model = main.string(0x0110)
        software = main.string(0x0131)
        caption = main.string(0x010E)
        copyright = main.string(0x8298)
        if let across = main.rationals(0x011A)?.first, let down = main.rationals(0x011B)?.first {
            // Inches, unless it is centimeters; 1 stands for no unit.
            let unit = main.int(0x0128) ?? 2
            pixelsPerMillimeter =
                unit == 1 ? nil : FileMetadata.density(across, down, millimeters: unit == 3 ? 10 : 25.4)
        }
        resolution = Resolution(main)
        rating =
            main.int(0x4746).flatMap { (0...5).contains($0) ? $0 : nil }
            ?? main.int(0x4749).flatMap(RatingPercent.stars)
        windows = WindowsWords(main)
        // TIFF/EP and DNG have the dates here.
        date = CaptureDate(takenIn: main)
        digitized = CaptureDate(digitizedIn: main)
        if let next = main.next, let thumbnail = TIFFDirectory(block, at: next) {
            preview = thumbnail.jpegRange
        }
        if let details = main.directory(0x8769) { read(details: details) }
        date = date ?? digitized
        if let gps = main.directory(0x8825) { read(gps: gps) }
    }

    /// Empty metadata, for formats that store EXIF's directories separately.
    init() {}

    /// Returns the metadata with the values of another block where it has none.
    func completed(by other: Exif) -> Exif {
        var exif = self
        exif.orientation = orientation ?? other.orientation
        exif.make = make ?? other.make
        exif.model = model ?? other.model
        exif.lens = lens ?? other.lens
        exif.software = software ?? other.software
        exif.date = date ?? other.date
        exif.digitized = digitized ?? other.digitized
        exif.makerDate = makerDate ?? other.makerDate
        exif.windows = windows.completed(by: other.windows)
        exif.gpsDate = gpsDate ?? other.gpsDate
        exif.location = location ?? other.location
        exif.userComment = userComment ?? other.userComment
        exif.caption = caption ?? other.caption
        exif.rating = rating ?? other.rating
        exif.copyright = copyright ?? other.copyright
        exif.pixelsPerMillimeter = pixelsPerMillimeter ?? other.pixelsPerMillimeter
        exif.resolution = resolution ?? other.resolution
        exif.exposure = exposure.completed(by: other.exposure)
        exif.isAdobeRGB = isAdobeRGB || other.isAdobeRGB
        return exif
    }

    mutating func read(gps: TIFFDirectory) {
        location = Location(gps)
        gpsDate = CaptureDate(gps: gps)
    }

    mutating func read(details: TIFFDirectory) {
        digitized = CaptureDate(digitizedIn: details) ?? digitized
        date = CaptureDate(takenIn: details) ?? date ?? digitized
        lens = details.string(0xA434)
        exposure = Exposure(details: details)
        // Some cameras write the color space as a number, others only the option of DCF ("R03").
        let space = details.int(0xA001)
        isAdobeRGB = space == 2 || space != 1 && details.directory(0xA005)?.string(1) == "R03"
        if let comment = details.bytes(0x9286) { userComment = Self.comment(comment) }
        guard let note = details.bytes(0x927C) else { return }
        apple = AppleMakerNote(note)
        makerDate = MakerDate.reconyx(note, make: make)
    }

    /// The text after the eight bytes of its character code; only ASCII and UTF-8 are read.
    private static func comment(_ bytes: FileBytes) -> String? {
        guard bytes.has("ASCII\0\0\0") || bytes.uint64(at: 0) == 0 else { return nil }
        return bytes.extracting(8...).text
    }
}

extension Exif: CustomStringConvertible {
    /// Camera, date and location: "FUJIFILM, X100S, 2014-05-25T10:00:00, 48.8577,2.295".
    public var description: String {
        let parts = [make, model, date?.description, location?.description].compactMap(\.self)
        return parts.isEmpty ? "EXIF without camera and date" : parts.joined(separator: ", ")
    }
}

extension TIFFDirectory {
    /// The range of the directory's JPEG.
    var jpegRange: Range<Int>? {
        guard let offset = int(0x0201), let length = int(0x0202), length > 0 else { return nil }
        return offset..<(offset + length)
    }
}

/// The bytes of ImageMagick's text form of a profile: lines of its name, its length and hexadecimal digits.
func rawProfileBytes(_ text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: 0x0A, maxSplits: 2)
    guard lines.count == 3, let length = Int(String(decoding: lines[1].drop { $0 == 0x20 }, as: UTF8.self))
    else {
        return nil
    }
    let digits = String(decoding: lines[2].filter { $0 > 0x20 }, as: UTF8.self)
    guard let bytes = [UInt8](hexadecimal: digits) else { return nil }
    return bytes.count == length ? bytes : nil
}

/// Numbers and identifiers in Apple's MakerNote: pictures that belong together, and the headroom of gain maps.
///
/// A big-endian TIFF directory after 14 bytes, with offsets from the note's start. Source: ExifTool's tag names of
/// Apple.
struct AppleMakerNote: Hashable, Codable, Sendable {
    /// Shared by the pictures of one burst.
    var burst: String?
    /// Shared by a live photo's picture and video.
    var content: String?
    /// Tags 33 and 48, from which the headroom of a gain map is computed.
    var headroom: Double?
    var gain: Double?

    init() {}

    init(_ note: FileBytes) {
        guard note.has("Apple iOS\0"), let directory = TIFFDirectory(TIFFBlock(note, order: .big), at: 14)
        else { return }
        burst = directory.string(0x000B)
        content = directory.string(0x0011)
        headroom = directory.rationals(0x0021)?.first
        gain = directory.rationals(0x0030)?.first
    }
}
