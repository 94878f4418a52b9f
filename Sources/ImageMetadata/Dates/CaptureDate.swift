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
