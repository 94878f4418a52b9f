internal import Assets
internal import Basics
internal import Files
package import ImageMetadata

/// What a photo service knows of a file and its export states beside it.
package struct ExportFacts: Equatable, Sendable {
    /// The name of the service, in messages.
    package var service: String
    /// When it was taken, in seconds since 1970 UTC.
    package var taken: Int?
    /// The seconds that the time leaves open: 60 where it has none.
    package var precision = 1
    /// When it was taken on the clock of its place, where the service states no moment.
    package var local: WallClock?
    package var location: Location?
    package var title: String?
    package var caption: String?
    package var keywords: [String] = []
    /// The names of people in it.
    package var people: [String] = []
    /// The titles of the albums that hold it.
    package var albums: [String] = []
    package var isFavorite = false
    package var isArchived = false
    package var isTrashed = false

    package init(of service: String) { self.service = service }

    /// A text that differs for different facts, by which the catalog knows that they were written.
    package var key: String {
        var values = [
            JSONValue(taken, JSONValue.int), JSONValue(location) { .numbers($0.latitude, $0.longitude) },
            JSONValue(caption, JSONValue.string), .array(people.map(JSONValue.string)),
            .array(albums.map(JSONValue.string)), .bool(isFavorite),
        ]
        // Catalogs have the keys of facts without these.
        if local != nil || title != nil || !keywords.isEmpty {
            values += [
                JSONValue(local) { .string("\($0)") }, JSONValue(title, JSONValue.string),
                .array(keywords.map(JSONValue.string)),
            ]
        }
        return JSONValue.array(values).description
    }

    /// Adds what another copy of the same file states.
    package mutating func add(_ other: Self) {
        if taken == nil { (taken, precision) = (other.taken, other.precision) }
        local = local ?? other.local
        location = location ?? other.location
        title = title ?? other.title
        caption = caption ?? other.caption
        keywords.unite(other.keywords)
        people.unite(other.people)
        albums.unite(other.albums)
        isFavorite = isFavorite || other.isFavorite
        isArchived = isArchived || other.isArchived
    }
}

extension [String] {
    /// Appends the texts whose bytes are not those of another one.
    package mutating func unite(_ others: [String]) {
        var known = Set(map { FilePath($0) })
        self += others.filter { known.insert(FilePath($0)).inserted }
    }
}

extension ExportFacts {
    /// The greatest difference between local time and UTC, in seconds.
    private static let widestZone = 14 * 3600

    /// Returns the date to write for a file that has another date, or none; nil if that of the file stays.
    ///
    /// A camera's date stays if it is the same moment in any time zone, and so does a date of a sidecar. The time in a
    /// file name that is the same moment in a time zone is no guess any more. Everything else gives way to the moment in
    /// UTC that Google states.
    ///
    /// A local time without a moment only takes the place of no date, or of a guess.
    package func date(instead own: CaptureDate?) -> CaptureDate? {
        guard let taken, let moment = WallClock(wholeSeconds: taken) else {
            guard let local, own?.source.isGuess != false else { return nil }
            return CaptureDate(
                local: local, offset: nil, source: .sidecarDateTimeOriginal, zoneSource: nil)
        }
        let inUTC = CaptureDate(
            local: moment, offset: .utc, source: .sidecarDateTimeOriginal, zoneSource: .inText)
        guard let own else { return inUTC }
        if own.source.isOfSidecar { return nil }
        let difference = own.local.wholeSeconds - taken
        guard own.hasTime, difference.magnitude <= UInt(Self.widestZone) else {
            // A day, a month or a year without a time is no contradiction within the same zones.
            let isSameDay =
                !own.hasTime && (-Self.widestZone...own.seconds + Self.widestZone).contains(-difference)
            return isSameDay && !own.source.isGuess ? nil : inUTC
        }
        guard own.source.isGuess else { return nil }
        // Offsets are multiples of a quarter of an hour.
        let quarter = 900
        let offset = Int((Double(difference) / Double(quarter)).rounded()) * quarter
        guard own.source == .fileName, (-2...(precision + 1)).contains(difference - offset) else {
            return inUTC
        }
        var date = own
        (date.source, date.offset, date.zoneSource) = (.sidecarDateTimeOriginal, nil, nil)
        // Google takes local times without a zone for UTC: equal times tell no zone.
        if offset != 0, let zone = UTCOffset(minutes: offset / 60) {
            (date.offset, date.zoneSource) = (zone, .inText)
        }
        return date
    }
}
