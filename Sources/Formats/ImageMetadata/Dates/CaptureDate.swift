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
    /// What is known of the local time; the rest is that of the beginning: of 1978, 1978-01-01T00:00:00.
    public var precision: DatePrecision
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
        self.init(
            local: local, precision: hasTime ? .second : .day, offset: offset, source: source,
            zoneSource: zoneSource)
    }

    /// Creates a date of which only a part may be known.
    public init(
        local: WallClock, precision: DatePrecision, offset: UTCOffset? = nil, source: DateSource,
        zoneSource: ZoneSource? = nil
    ) {
        self.local = precision.beginning(of: local)
        self.precision = precision
        self.offset = offset
        self.source = source
        self.zoneSource = zoneSource
    }

    /// Whether the time of day is known; otherwise it is 00:00:00.
    public var hasTime: Bool {
        get { precision >= .minute }
        set { if newValue != hasTime { precision = newValue ? .second : .day } }
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
        guard let text, let read = DateText(text) else { return nil }
        self.init(
            local: read.clock, precision: read.precision, offset: read.offset, source: source,
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

    /// The time of capture in an EXIF directory.
    ///
    /// OffsetTime is ignored: it is the zone of the modification time.
    init?(takenIn exif: TIFFDirectory) {
        self.init(
            exif, date: 0x9003, fraction: 0x9291, offset: (0x9011, "OffsetTimeOriginal"),
            .dateTimeOriginal, .subSecDateTimeOriginal)
    }

    /// The time of digitization in an EXIF directory.
    init?(digitizedIn exif: TIFFDirectory) {
        self.init(
            exif, date: 0x9004, fraction: 0x9292, offset: (0x9012, "OffsetTimeDigitized"),
            .createDate, .subSecCreateDate)
    }

    private init?(
        _ exif: TIFFDirectory, date: UInt16, fraction: UInt16, offset: (tag: UInt16, name: String),
        _ source: DateSource, _ subSecSource: DateSource
    ) {
        self.init(exif.string(date), source: source)
        guard hasTime else {
            // Blanks stand for what is unknown; a shorter text is damaged.
            guard exif.bytes(date).map({ $0.count >= 19 }) == true else { return nil }
            return
        }
        if precision == .second, let digits = exif.string(fraction), digits.utf8.allSatisfy(\.isDigit) {
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
    /// ISO 8601, with what is known: "2014-05-25T10:00:00+02:00", "2014-05-25T10:00:00", "2014-05-25", "2014-05" or "2014".
    public var description: String { localText + (hasTime ? offset?.description ?? "" : "") }

    /// The description without the zone; seconds that are unknown are 00.
    package var localText: String {
        switch precision {
        case .year, .month, .day: storedText
        case .minute, .second: local.description
        }
    }

    /// The description without the zone, with nothing that is unknown: "2014-05-25T10:00" without seconds.
    package var storedText: String { String(local.description.prefix(precision.length ?? .max)) }
}

/// Coded with `hasTime`, which earlier versions read, and with the precision where that says less.
extension CaptureDate {
    private enum CodingKeys: String, CodingKey {
        case local, hasTime, precision, offset, source, zoneSource
    }

    /// Decodes a date, also one of earlier versions, which has no precision.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let hasTime = try values.decode(Bool.self, forKey: .hasTime)
        self.init(
            local: try values.decode(WallClock.self, forKey: .local),
            precision: try values.decodeIfPresent(DatePrecision.self, forKey: .precision)
                ?? (hasTime ? .second : .day),
            offset: try values.decodeIfPresent(UTCOffset.self, forKey: .offset),
            source: try values.decode(DateSource.self, forKey: .source),
            zoneSource: try values.decodeIfPresent(ZoneSource.self, forKey: .zoneSource))
    }

    /// Encodes the date.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(local, forKey: .local)
        try values.encode(hasTime, forKey: .hasTime)
        if precision != .second, precision != .day { try values.encode(precision, forKey: .precision) }
        try values.encodeIfPresent(offset, forKey: .offset)
        try values.encode(source, forKey: .source)
        try values.encodeIfPresent(zoneSource, forKey: .zoneSource)
    }
}
