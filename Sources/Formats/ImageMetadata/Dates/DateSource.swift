internal import Basics

/// The source of a capture date; sources are compared by trust, the most trusted first.
///
/// What states the time of capture counts more than what states that of digitization, so that a scan keeps the date of the
/// photo. Source: Metadata Working Group, Guidelines 2.0, section 5.3.
///
/// The raw values are the names of the tags as ExifTool writes them, but for `fileTime`.
public enum DateSource: String, CaseIterable, Codable, Sendable {
    /// The sidecar: time of capture.
    case sidecarDateTimeOriginal = "Sidecar:exif:DateTimeOriginal"
    /// The sidecar: time at which the content was created.
    case sidecarDateCreated = "Sidecar:photoshop:DateCreated"
    /// EXIF: time of capture with fractions of a second.
    case subSecDateTimeOriginal = "SubSecDateTimeOriginal"
    /// EXIF: time of capture.
    case dateTimeOriginal = "DateTimeOriginal"
    /// QuickTime: local time with its offset.
    case quickTimeCreationDate = "QuickTime:CreationDate"
    /// AVI: time of capture.
    case riffDateTimeOriginal = "RIFF:DateTimeOriginal"
    /// XMP: time of capture.
    case xmpDateTimeOriginal = "XMP-exif:DateTimeOriginal"
    /// XMP: time at which the content was created.
    case xmpDateCreated = "XMP-photoshop:DateCreated"
    /// Time of capture in a segment or note of the camera's maker.
    case makerDateTimeOriginal = "MakerNotes:DateTimeOriginal"

    /// The sidecar: time at which the file was created.
    case sidecarCreateDate = "Sidecar:xmp:CreateDate"
    /// The sidecar: time of digitization.
    case sidecarDateTimeDigitized = "Sidecar:exif:DateTimeDigitized"
    /// EXIF: time of digitization with fractions of a second.
    case subSecCreateDate = "SubSecCreateDate"
    /// EXIF: time of digitization.
    case createDate = "CreateDate"
    /// XMP: time at which the file was created.
    case xmpCreateDate = "XMP-xmp:CreateDate"
    /// XMP: time of digitization.
    case xmpDateTimeDigitized = "XMP-exif:DateTimeDigitized"

    /// QuickTime and MP4: the movie header, in UTC.
    case quickTimeCreateDate = "QuickTime:CreateDate"
    /// Matroska and WebM, in UTC.
    case matroskaDateUTC = "Matroska:DateTimeOriginal"
    /// EXIF: time of the GPS position, in UTC.
    case gpsDateTime = "GPSDateTime"
    /// IPTC: time at which the content was created.
    case iptcDateCreated = "IPTC:DateCreated"
    /// IPTC: time of digitization.
    case iptcDigitalCreationDate = "IPTC:DigitalCreationDate"
    /// PNG: a text with the time of creation.
    case pngCreationTime = "PNG:CreationTime"

    /// A date in the file name.
    case fileName = "FileName"
    /// The modification time of the file, used only on request: a copy may have the time of copying.
    case fileTime = "FileTime"

    /// Whether the date is a guess: from the file name or the modification time.
    public var isGuess: Bool { self >= .fileName }

    /// Whether it states the time of capture, not that of digitization, of a file or of a position.
    package var isOfCapture: Bool { self < .sidecarCreateDate || self == .iptcDateCreated }

    /// Whether it states the time of digitization.
    package var isOfDigitization: Bool {
        self >= .sidecarCreateDate && self < .quickTimeCreateDate || self == .iptcDigitalCreationDate
    }

    /// Whether it is in the sidecar.
    package var isOfSidecar: Bool {
        switch self {
        case .sidecarDateTimeOriginal, .sidecarDateCreated, .sidecarCreateDate, .sidecarDateTimeDigitized:
            true
        default: false
        }
    }
}

extension DateSource: Comparable {
    /// Whether `a` is trusted more than `b`.
    public static func < (a: Self, b: Self) -> Bool { order[a, default: 0] < order[b, default: 0] }

    private static let order = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))
}

/// The source of a capture date's offset from UTC.
public enum ZoneSource: Hashable, Sendable {
    /// A metadata tag, by its name.
    case tag(String)
    /// The text of the date itself.
    case inText
    /// The date is in UTC by definition of its source.
    case definition
    /// An `AssumedZone`, by its name.
    case assumed(String)
}

extension ZoneSource: CustomStringConvertible {
    /// A short name: "OffsetTimeOriginal", "in text", "UTC", "assumed Europe/Paris".
    public var description: String {
        switch self {
        case .tag(let name): name
        case .inText: "in text"
        case .definition: "UTC"
        case .assumed(let name): "assumed \(name)"
        }
    }
}

/// Coded as a text: "tag:OffsetTimeOriginal", "text", "UTC" or "assumed:Europe/Paris".
extension ZoneSource: Codable {
    /// The text, which catalogs store, too.
    package var stored: String {
        switch self {
        case .tag(let name): "tag:\(name)"
        case .inText: "text"
        case .definition: "UTC"
        case .assumed(let name): "assumed:\(name)"
        }
    }

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("the source of a time zone") { text in
            let name = String(text.drop { $0 != ":" }.dropFirst())
            return switch text.prefix(while: { $0 != ":" }) {
            case "tag": .tag(name)
            case "assumed": .assumed(name)
            case "text": .inText
            case "UTC": .definition
            default: nil
            }
        }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: stored) }
}
