internal import Assets
package import Basics
internal import Files
internal import ImageMetadata

/// A JSON file of a Takeout.
package enum TakeoutDocument {
    case sidecar(TakeoutSidecar)
    /// The properties of a folder, with the title of its album and what else they state.
    case album(String, unused: [String])
    /// Something else that Google stores.
    case other

    /// The most bytes of a sidecar; real ones have two thousand.
    package static let limit = 1 << 20

    /// The members that documents of albums have and sidecars do not, in some exports.
    private static let albumMembers = ["date", "access", "location", "enrichments", "sharedAlbumComments"]
    /// The members that sidecars have and documents of albums do not.
    private static let photoMembers = [
        "creationTime", "modificationTime", "photoLastModifiedTime", "imageViews", "googlePhotosOrigin",
    ]

    /// - Parameters:
    ///   - isOfFile: whether its name is that of the sidecar of a file that is there.
    ///   - isInExport: whether it lies in an export, where what has a title and is no sidecar is of an album.
    package init(_ bytes: [UInt8], isOfFile: Bool = false, isInExport: Bool = false) throws(InvalidText) {
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
package struct TakeoutSidecar {
    /// The name of the file when it was uploaded.
    package var title: String?
    package var facts = ExportFacts(of: Self.service)

    /// What messages call the service.
    package static let service = "Takeout"

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
    package static func unescaped(_ text: String) -> String {
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
