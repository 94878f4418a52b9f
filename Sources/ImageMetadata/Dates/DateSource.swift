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
