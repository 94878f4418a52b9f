/// When a picture was taken: the wall clock as the camera showed it, its offset where known, and the sources.
public struct CaptureDate: Equatable, Sendable {
    /// What the clock on the wall showed.
    public var local: WallClock
    /// False where only the day is known; the time is then 00:00:00.
    public var hasTime: Bool
    /// How far the wall clock was ahead of UTC, or nil where the zone is unknown; unknown is not UTC.
    public var offset: UTCOffset?
    /// Where the wall clock came from.
    public var source: DateSource
    /// Where the offset came from; nil where there is none.
    public var zoneSource: ZoneSource?

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

    /// The seconds since 1970-01-01T00:00:00 UTC without the fraction; nil where the zone is unknown.
    public var instant: Int? { offset.map { local.wholeSeconds - $0.minutes * 60 } }

    /// A date as texts have it; nil where it is none, as 0000:00:00 or a time alone.
    init?(_ text: String?, source: DateSource) {
        guard let text, let read = DateText.read(text) else { return nil }
        self.init(
            local: read.clock, hasTime: read.hasTime, offset: read.offset, source: source,
            zoneSource: read.offset == nil ? nil : .inText)
    }

    /// A moment that is counted in UTC.
    init?(secondsSince1970 seconds: Int, source: DateSource) {
        guard let local = WallClock(wholeSeconds: seconds) else { return nil }
        self.init(local: local, offset: .utc, source: source, zoneSource: .definition)
    }

    /// The time of a file's last change, in seconds since 1970 UTC; nil outside years 1000 to 9999.
    package init?(fileTime seconds: Int) {
        self.init(secondsSince1970: seconds, source: .fileTime)
    }

    /// The best date of an EXIF directory: when the shutter opened, else when the picture was digitised.
    ///
    /// OffsetTime is not looked at: it belongs to the time of the last change.
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

/// Where a capture date came from; the order of the cases is the order of trust.
///
/// The raw values are the names of the tags as ExifTool writes them, but for `fileTime`.
public enum DateSource: String, CaseIterable, Sendable {
    case sidecarDateTimeOriginal = "Sidecar:exif:DateTimeOriginal"
    case sidecarDateCreated = "Sidecar:photoshop:DateCreated"
    case sidecarCreateDate = "Sidecar:xmp:CreateDate"
    case sidecarDateTimeDigitized = "Sidecar:exif:DateTimeDigitized"

    case subSecDateTimeOriginal = "SubSecDateTimeOriginal"
    case dateTimeOriginal = "DateTimeOriginal"
    case subSecCreateDate = "SubSecCreateDate"
    case createDate = "CreateDate"
    /// Of films: local, with its offset.
    case quickTimeCreationDate = "QuickTime:CreationDate"
    case riffDateTimeOriginal = "RIFF:DateTimeOriginal"

    case xmpDateTimeOriginal = "XMP-exif:DateTimeOriginal"
    case xmpDateCreated = "XMP-photoshop:DateCreated"
    case xmpCreateDate = "XMP-xmp:CreateDate"
    case xmpDateTimeDigitized = "XMP-exif:DateTimeDigitized"

    /// Of films, in UTC: the movie header.
    case quickTimeCreateDate = "QuickTime:CreateDate"
    /// Of films, in UTC.
    case matroskaDateUTC = "Matroska:DateTimeOriginal"
    /// In UTC.
    case gpsDateTime = "GPSDateTime"

    case iptcDateCreated = "IPTC:DateCreated"
    case iptcDigitalCreationDate = "IPTC:DigitalCreationDate"
    case pngCreationTime = "PNG:CreationTime"

    case fileName = "FileName"
    /// The time of the file's last change, which is used only on request: a copy has the time of copying.
    case fileTime = "FileTime"

    /// Whether it is a guess: from the name, or the time of the last change.
    public var isGuess: Bool { self >= .fileName }
}

extension DateSource: Comparable {
    /// What is trusted more comes first.
    public static func < (a: Self, b: Self) -> Bool { order[a, default: 0] < order[b, default: 0] }

    private static let order = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))
}

/// What told the offset of a capture date.
public enum ZoneSource: Equatable, Sendable {
    /// The tag of that name.
    case tag(String)
    /// The date's own text.
    case inText
    /// The tag is in UTC by definition.
    case definition
    /// The user, who named this zone.
    case assumed(String)
}

extension ZoneSource: CustomStringConvertible {
    /// One word for tables: "OffsetTimeOriginal", "in text", "UTC", "assumed Europe/Paris".
    public var description: String {
        switch self {
        case .tag(let name): name
        case .inText: "in text"
        case .definition: "UTC"
        case .assumed(let name): "assumed \(name)"
        }
    }
}
