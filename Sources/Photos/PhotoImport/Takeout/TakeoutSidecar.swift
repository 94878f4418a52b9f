internal import AssetCatalog
internal import Basics
internal import Files
internal import ImageMetadata

/// What Google Photos knows of a file and Takeout writes beside it.
struct TakeoutFacts: Equatable, Sendable {
    /// When it was taken, in seconds since 1970 UTC.
    var taken: Int?
    /// The seconds that the time leaves open: 60 where it has none.
    var precision = 1
    var location: Location?
    var caption: String?
    /// The names of people in it.
    var people: [String] = []
    /// The titles of the albums that hold it.
    var albums: [String] = []
    var isFavorite = false
    var isArchived = false
    var isTrashed = false

    /// A text that differs for different facts, by which the catalog knows that they were written.
    var key: String {
        JSONValue.array([
            JSONValue(taken, JSONValue.int), JSONValue(location) { .numbers($0.latitude, $0.longitude) },
            JSONValue(caption, JSONValue.string), .array(people.map(JSONValue.string)),
            .array(albums.map(JSONValue.string)), .bool(isFavorite),
        ]).description
    }

    /// Adds what another copy of the same file states.
    mutating func add(_ other: Self) {
        if taken == nil { (taken, precision) = (other.taken, other.precision) }
        location = location ?? other.location
        caption = caption ?? other.caption
        people.unite(other.people)
        albums.unite(other.albums)
        isFavorite = isFavorite || other.isFavorite
        isArchived = isArchived || other.isArchived
    }
}

extension [String] {
    /// Appends the texts whose bytes are not those of another one.
    mutating func unite(_ others: [String]) {
        var known = Set(map { FilePath($0) })
        self += others.filter { known.insert(FilePath($0)).inserted }
    }
}

extension TakeoutFacts {
    /// The greatest difference between local time and UTC, in seconds.
    private static let widestZone = 14 * 3600

    /// Returns the date to write for a file that has another date, or none; nil if that of the file stays.
    ///
    /// A camera's date stays if it is the same moment in any time zone, and so does a date of a sidecar. The time in a
    /// file name that is the same moment in a time zone is no guess any more. Everything else gives way to the moment in
    /// UTC that Google states.
    func date(instead own: CaptureDate?) -> CaptureDate? {
        guard let taken, let moment = WallClock(wholeSeconds: taken) else { return nil }
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

/// A JSON file of a Takeout.
enum TakeoutDocument {
    case sidecar(TakeoutSidecar)
    /// The properties of a folder, with the title of its album and what else they state.
    case album(String, unused: [String])
    /// Something else that Google stores.
    case other

    /// The most bytes of a sidecar; real ones have two thousand.
    static let limit = 1 << 20

    /// The members that documents of albums have and sidecars do not, in some exports.
    private static let albumMembers = ["date", "access", "location", "enrichments", "sharedAlbumComments"]
    /// The members that sidecars have and documents of albums do not.
    private static let photoMembers = [
        "creationTime", "modificationTime", "photoLastModifiedTime", "imageViews", "googlePhotosOrigin",
    ]

    /// - Parameters:
    ///   - isOfFile: whether its name is that of the sidecar of a file that is there.
    ///   - isInExport: whether it lies in an export, where what has a title and is no sidecar is of an album.
    init(_ bytes: [UInt8], isOfFile: Bool = false, isInExport: Bool = false) throws(InvalidText) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw InvalidText("is no Takeout sidecar: it is not valid JSON at byte \(error.offset)")
        }
        guard case .object = value else {
            self = .other
            return
        }
        // Exports of 2018 wrap the properties of albums.
        let album = value["albumData"] ?? value
        func has(_ members: [String]) -> Bool { members.contains { album[$0] != nil } }
        if value["photoTakenTime"] != nil {
            self = .sidecar(try TakeoutSidecar(value))
            return
        }
        guard let title = album["title"]?.string.map(TakeoutSidecar.unescaped) else {
            self = .other
            return
        }
        let isAlbum = value["albumData"] != nil || has(Self.albumMembers)
        let isPhoto = isOfFile || has(Self.photoMembers) || FileExtension.isMedia(FilePath(title))
        if isAlbum || !isPhoto && (isInExport || has(["description", "geoData"])) {
            self = .album(title, unused: Self.unused(album))
        } else if isPhoto, isOfFile || has(Self.photoMembers + ["url", "geoData"]) {
            throw Self.lacking("photoTakenTime")
        } else {
            self = .other
        }
    }

    /// Returns the names of the members of an album that state something which an import has no place for.
    private static func unused(_ album: JSONValue) -> [String] {
        guard case .object(let members) = album else { return [] }
        return members.filter { member in
            let (name, value) = (member.name, member.value)
            return switch value {
            case .string(let text): !text.isEmpty && !["title", "access", "url"].contains(name)
            case .array(let list): !list.isEmpty
            case .object: name == "geoData" ? TakeoutSidecar.location(value) != nil : name != "date"
            default: false
            }
        }.map(\.name)
    }

    fileprivate static func lacking(_ name: String) -> InvalidText {
        InvalidText("is no Takeout sidecar: \"\(name)\" is missing")
    }
}

/// The sidecar of a photo or video.
struct TakeoutSidecar {
    /// The name of the file when it was uploaded.
    var title: String?
    var facts = TakeoutFacts()

    fileprivate init(_ value: JSONValue) throws(InvalidText) {
        title = value["title"]?.string.map(Self.unescaped)
        facts.taken = try Self.seconds(value["photoTakenTime"]?["timestamp"])
        facts.location = Self.location(value["geoData"]) ?? Self.location(value["geoDataExif"])
        let caption = value["description"]?.string.map(Self.unescaped) ?? ""
        facts.caption = caption.allSatisfy(\.isWhitespace) ? nil : caption
        for person in value["people"]?.array ?? [] {
            let name = Self.unescaped(person["name"]?.string ?? "")
            if !name.allSatisfy(\.isWhitespace), !facts.people.contains(name) { facts.people.append(name) }
        }
        facts.isFavorite = value["favorited"] == .bool(true)
        facts.isArchived = value["archived"] == .bool(true)
        facts.isTrashed = value["trashed"] == .bool(true)
    }

    /// Reads a time; nil for 0, which stands for an unknown one.
    private static func seconds(_ value: JSONValue?) throws(InvalidText) -> Int? {
        guard let value else { throw TakeoutDocument.lacking("photoTakenTime.timestamp") }
        guard let seconds = value.int ?? value.string.flatMap({ Int($0) }),
            WallClock(wholeSeconds: seconds) != nil
        else {
            throw InvalidText(
                "is no Takeout sidecar: \"photoTakenTime.timestamp\" is no time in the years 1000 to 9999")
        }
        return seconds == 0 ? nil : seconds
    }

    /// Reads a position; 0,0 stands for an unknown one.
    fileprivate static func location(_ value: JSONValue?) -> Location? {
        guard let latitude = number(value?["latitude"]), let longitude = number(value?["longitude"]),
            latitude != 0 || longitude != 0
        else { return nil }
        let altitude = number(value?["altitude"]).flatMap { $0 == 0 ? nil : $0 }
        return Location(latitude: latitude, longitude: longitude, altitude: altitude, source: .sidecar)
    }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .int(let value): Double(value)
        case .number(let text): Double(text)
        default: nil
        }
    }

    /// Google writes some texts with HTML's entities.
    static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            let entity = rest[rest.index(after: start)...].prefix(8)
            if let end = entity.firstIndex(of: ";"), let scalar = scalar(entity[..<end]) {
                result.unicodeScalars.append(scalar)
                rest = rest[rest.index(after: end)...]
            } else {
                result += "&"
                rest = rest[rest.index(after: start)...]
            }
        }
        return result + rest
    }

    private static func scalar(_ entity: Substring) -> Unicode.Scalar? {
        let named: [Substring: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
        ]
        if let scalar = named[entity] { return scalar }
        guard entity.first == "#" else { return nil }
        let digits = entity.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        return UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            .flatMap { $0 >= 0x20 ? Unicode.Scalar($0) : nil }
    }
}
