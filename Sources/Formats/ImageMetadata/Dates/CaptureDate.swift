internal import Basics

#if canImport(FoundationEssentials)
internal import Containers
public import FoundationEssentials
#else
public import Foundation
#endif

/// The time at which a picture was taken: local time, its offset from UTC where known, and their sources.
public struct CaptureDate: Hashable, Codable, Sendable {
    /// The local time at the place of capture.
    public var local: WallClock
    /// Whether the time of day is known; otherwise it is 00:00:00.
    public var hasTime: Bool
    /// The offset of the local time from UTC; nil if the zone is unknown, which does not mean UTC.
    public var offset: UTCOffset?
    /// The tag, sidecar or name that the local time is from.
    public var source: DateSource
    /// The source of the offset; nil if there is none.
    public var zoneSource: ZoneSource?

    /// Creates a date; without an offset its zone is unknown, which does not mean UTC.
    public init(
        local: WallClock, hasTime: Bool = true, offset: UTCOffset? = nil, source: DateSource,
        zoneSource: ZoneSource? = nil
    ) {
        self.local = local
        self.hasTime = hasTime
        self.offset = offset
        self.source = source
        self.zoneSource = zoneSource
    }

    /// The seconds since 1970-01-01T00:00:00 UTC without the fraction; nil if the zone is unknown.
    package var instant: Int? { offset.map { local.wholeSeconds - $0.minutes * 60 } }

    /// The point in time, with fractions of a second; nil if the zone is unknown.
    ///
    /// For an unknown zone, `local` with a `UTCOffset` of your choice gives one.
    public var date: Date? {
        instant.map { Date(timeIntervalSince1970: Double($0) + (Double("0.\(local.fraction)0") ?? 0)) }
    }

    /// A date in a text; nil if it is invalid, such as 0000:00:00 or a time alone.
    init?(_ text: String?, source: DateSource) {
        guard let text, let read = DateText.read(text) else { return nil }
        self.init(
            local: read.clock, hasTime: read.hasTime, offset: read.offset, source: source,
            zoneSource: read.offset == nil ? nil : .inText)
    }

    /// A date that a user states, "2014-05-25T10:00:00+02:00"; nil if it is invalid.
    package init?(edited text: String) {
        self.init(text, source: .sidecarDateTimeOriginal)
    }

    /// A moment in UTC.
    init?(secondsSince1970 seconds: Int, source: DateSource) {
        guard let local = WallClock(wholeSeconds: seconds) else { return nil }
        self.init(local: local, offset: .utc, source: source, zoneSource: .definition)
    }

    /// The modification time of a file, in seconds since 1970 UTC; nil outside of the years 1000 to 9999.
    package init?(fileTime seconds: Int) {
        self.init(secondsSince1970: seconds, source: .fileTime)
    }

    /// The date of an EXIF directory: of capture, or else of digitization.
    ///
    /// OffsetTime is ignored: it is the zone of the modification time.
    init?(exif: TIFFDirectory) {
        if let date = Self(
            exif, date: 0x9003, fraction: 0x9291, offset: (0x9011, "OffsetTimeOriginal"),
            .dateTimeOriginal, .subSecDateTimeOriginal)
            ?? Self(
                exif, date: 0x9004, fraction: 0x9292, offset: (0x9012, "OffsetTimeDigitized"),
                .createDate, .subSecCreateDate)
        {
            self = date
        } else {
            return nil
        }
    }

    private init?(
        _ exif: TIFFDirectory, date: UInt16, fraction: UInt16, offset: (tag: UInt16, name: String),
        _ source: DateSource, _ subSecSource: DateSource
    ) {
        self.init(exif.string(date), source: source)
        guard hasTime else { return nil }
        if let digits = exif.string(fraction), digits.utf8.allSatisfy(\.isDigit) {
            local.fraction = String(digits.prefix(9))
            self.source = subSecSource
        }
        if let zone = exif.string(offset.tag).flatMap(UTCOffset.init) {
            self.offset = zone
            zoneSource = .tag(offset.name)
        }
    }
}

extension CaptureDate: CustomStringConvertible {
    /// ISO 8601, with what is known: "2014-05-25T10:00:00+02:00", "2014-05-25T10:00:00" or "2014-05-25".
    public var description: String {
        hasTime ? "\(local)\(offset?.description ?? "")" : String(local.description.prefix(10))
    }
}

/// The source of a capture date; sources are compared by trust, the most trusted first.
///
/// The raw values are the names of the tags as ExifTool writes them, but for `fileTime`.
public enum DateSource: String, CaseIterable, Codable, Sendable {
    /// The sidecar: time of capture.
    case sidecarDateTimeOriginal = "Sidecar:exif:DateTimeOriginal"
    /// The sidecar: time at which the content was created.
    case sidecarDateCreated = "Sidecar:photoshop:DateCreated"
    /// The sidecar: time at which the file was created.
    case sidecarCreateDate = "Sidecar:xmp:CreateDate"
    /// The sidecar: time of digitization.
    case sidecarDateTimeDigitized = "Sidecar:exif:DateTimeDigitized"

    /// EXIF: time of capture with fractions of a second.
    case subSecDateTimeOriginal = "SubSecDateTimeOriginal"
    /// EXIF: time of capture.
    case dateTimeOriginal = "DateTimeOriginal"
    /// EXIF: time of digitization with fractions of a second.
    case subSecCreateDate = "SubSecCreateDate"
    /// EXIF: time of digitization.
    case createDate = "CreateDate"
    /// QuickTime: local time with its offset.
    case quickTimeCreationDate = "QuickTime:CreationDate"
    /// AVI: time of capture.
    case riffDateTimeOriginal = "RIFF:DateTimeOriginal"

    /// XMP: time of capture.
    case xmpDateTimeOriginal = "XMP-exif:DateTimeOriginal"
    /// XMP: time at which the content was created.
    case xmpDateCreated = "XMP-photoshop:DateCreated"
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
