internal import Assets
package import Basics
internal import Files
internal import ImageMetadata

/// What Flickr states of a photo or film, in the document "photo_ID.json".
package struct FlickrPhoto: Sendable {
    /// The most bytes of a document: a photo with thousands of comments.
    package static let limit = 1 << 24

    package let id: String
    package let title: String?
    private let caption: String?
    private let taken: WallClock?
    private let location: Location?
    private let tags: [String]
    private let people: [String]
    private let albums: [String]
    /// The members that state something for which libraries have no place.
    package let unused: [String]

    /// Reads a document; nil for JSON of other programs.
    package init?(_ bytes: [UInt8]) throws(InvalidText) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw InvalidText("is no document of Flickr: it is not valid JSON at byte \(error.offset)")
        }
        guard let id = value["id"]?.string ?? value["id"]?.int.map(String.init),
            value["photopage"] != nil || value["date_imported"] != nil
        else { return nil }
        self.id = id
        title = Self.text(value["name"])
        caption = Self.text(value["description"])
        // Without a date in the file, Flickr takes that of the upload for the date of the photo.
        let date = value["date_taken"]?.string
        taken = date == value["date_imported"]?.string ? nil : date.flatMap(Self.clock)
        location = Self.location(value["geo"])
        tags = (value["tags"]?.array ?? []).compactMap { Self.text($0["tag"] ?? $0) }
        people = (value["people"]?.array ?? []).compactMap {
            Self.text($0["name"] ?? $0["screen_name"] ?? $0)
        }
        albums = (value["albums"]?.array ?? []).compactMap { Self.text($0["title"]) }
        unused = ["comments", "groups", "notes"].filter { value[$0]?.array?.isEmpty == false }
    }

    /// What is stated about a file; its title is left out where it only repeats the name that a camera gave.
    package func facts(of service: String) -> ExportFacts {
        var facts = ExportFacts(of: service)
        (facts.local, facts.location, facts.caption) = (taken, location, caption)
        (facts.keywords, facts.people, facts.albums) = (tags, people, albums)
        facts.title = title.flatMap { Self.isOfCamera($0) ? nil : $0 }
        return facts
    }

    /// Whether a title is a name like "DSC_0026", "IMG_20190102_123456" or "P1000001".
    private static func isOfCamera(_ title: String) -> Bool {
        let letters = title.prefix { $0.isASCII && $0.isLetter }
        let rest = title.dropFirst(letters.count)
        return (1...5).contains(letters.count) && rest.count(where: \.isNumber) >= 3
            && rest.allSatisfy { $0.isNumber || $0 == "_" || $0 == "-" }
    }

    /// Reads a text: Flickr keeps HTML's entities and some of its tags; nil without a word.
    package static func text(_ value: JSONValue?) -> String? {
        guard let text = value?.string else { return nil }
        let plain = TakeoutSidecar.unescaped(
            text.replacing(
                /<\/?(a|b|i|u|s|em|strong|img|br|p|blockquote)(\s[^<>]*)?\/?>/.ignoresCase(), with: ""))
        return plain.allSatisfy(\.isWhitespace) ? nil : plain
    }

    /// Reads "2008-07-01 13:04:18", the time on the clock of the camera.
    private static func clock(_ text: String) -> WallClock? {
        let numbers = text.split { !("0"..."9").contains($0) }.map { Int($0) ?? -1 }
        guard numbers.count == 6, numbers[1] > 0 else { return nil }
        return WallClock(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
    }

    /// Reads a position, in an object or the first of a list: whole numbers are millionths of a degree.
    private static func location(_ value: JSONValue?) -> Location? {
        guard let place = value?.array?.first ?? value, let latitude = degrees(place["latitude"]),
            let longitude = degrees(place["longitude"]), latitude != 0 || longitude != 0,
            abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        return Location(latitude: latitude, longitude: longitude, source: .sidecar)
    }

    private static func degrees(_ value: JSONValue?) -> Double? {
        let text: String? =
            switch value {
            case .int(let number): "\(number)"
            case .number(let text), .string(let text): text
            default: nil
            }
        guard let text else { return nil }
        if let millionths = Int(text) { return Double(millionths) / 1_000_000 }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

/// An album in "albums.json".
package struct FlickrAlbum: Sendable {
    /// The most bytes of the list of albums.
    package static let limit = 1 << 26

    package let title: String
    package let hasDescription: Bool
    /// The identifiers of its photos.
    package let photos: [String]

    /// Reads the list of albums; nil for JSON of other programs.
    package static func all(_ bytes: [UInt8]) -> [Self]? {
        guard let value = try? JSONValue(parsing: bytes), let albums = value["albums"]?.array else {
            return nil
        }
        return albums.compactMap { album in
            guard let title = FlickrPhoto.text(album["title"]), let photos = album["photos"]?.array else {
                return nil
            }
            return Self(
                title: title, hasDescription: FlickrPhoto.text(album["description"]) != nil,
                photos: photos.compactMap { $0.string ?? $0.int.map(String.init) })
        }
    }
}
