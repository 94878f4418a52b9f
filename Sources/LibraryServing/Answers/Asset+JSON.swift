internal import Basics
internal import ImageMetadata
internal import PhotoCatalog
internal import TileServing
internal import ViewportGeometry

extension Asset {
    /// Changes whenever the file's bytes do: addresses of its pictures hold it.
    var version: String { String(sha256.prefix(32)) }

    /// What pages are told of an asset; addresses are below the server's.
    func json(in served: ServedLibrary) -> JSONValue {
        .object([
            ("id", .int(Int(id))), ("version", .string(version)), ("name", .string(name)),
            ("kind", .string(isVideo ? "video" : isScreenshot ? "screenshot" : "photo")),
            ("format", .string(format.rawValue)), ("date", localDate.map(JSONValue.string)),
            ("width", size.map { .int($0.width) }), ("height", size.map { .int($0.height) }),
            ("seconds", seconds.map { .int(Int($0.rounded())) }), ("bytes", .int(bytes)),
            ("page", .string(page(in: served))),
        ])
    }

    /// "2014-05-25T10:00:00", or "2014-05-25" where the time is not known.
    private var localDate: String? {
        date.map { String($0.local.description.prefix($0.hasTime ? 19 : 10)) }
    }

    /// The viewer's page, or for what it does not show one that says so.
    private func page(in served: ServedLibrary) -> String {
        isPhoto && !format.isRaw
            ? "view/" + PercentCoding.encode(served.identifier(of: self)) : "\(served.address)/film/\(id)"
    }
}

extension CollectionEntry {
    /// The key (null for assets without a date) and the count.
    var json: JSONValue { .array([key?.json ?? .null, .int(count)]) }
}

extension EntryKey {
    var json: JSONValue { number.map(JSONValue.int) ?? .string(description) }
}

extension AssetIndexPath {
    var json: JSONValue { .array([.int(entry), .int(asset)]) }
}
