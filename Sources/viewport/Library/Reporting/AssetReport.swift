import Basics
import ImageMetadata
import PhotoCatalog
import ViewportGeometry

/// An asset as commands print it.
struct AssetReport {
    let asset: Asset
    var zone: AssumedZone?
    /// The key and the title of its entry, and its place, where it is shown in a collection.
    var entry: (key: EntryKey?, title: String, indexPath: AssetIndexPath)?

    private var offset: UTCOffset? {
        asset.date.flatMap { date in
            date.offset ?? zone.flatMap { date.hasTime ? $0.offset(date.local) : nil }
        }
    }

    /// "2014-05-25T10:00:00.25", or "2014-05-25" where the time is not known.
    private var localDate: String? {
        asset.date.map { $0.hasTime ? $0.local.description : String($0.local.description.prefix(10)) }
    }

    private var kind: String { asset.isVideo ? "video" : asset.isScreenshot ? "screenshot" : "photo" }

    /// All that the library knows, in one line.
    var json: JSONValue {
        .object([
            ("id", .int(Int(asset.id))), ("path", .string(asset.path)), ("kind", .string(kind)),
            ("width", JSONValue(asset.size) { .int($0.width) }),
            ("height", JSONValue(asset.size) { .int($0.height) }),
            ("date", JSONValue(localDate, JSONValue.string)),
            ("offset", JSONValue(offset) { .string($0.description) }),
            ("dateSource", JSONValue(asset.date) { .string($0.source.rawValue) }),
            ("location", JSONValue(asset.location, Self.json)),
            ("place", JSONValue(asset.place, JSONValue.string)),
            ("make", JSONValue(asset.make, JSONValue.string)),
            ("model", JSONValue(asset.model, JSONValue.string)),
            ("sha256", .string(asset.sha256)), ("bytes", .int(asset.bytes)),
            ("group", JSONValue(entry?.key, Self.json)),
            (
                "indexPath",
                JSONValue(entry) { .array([.int($0.indexPath.entry), .int($0.indexPath.asset)]) }
            ),
        ])
    }

    private static func json(_ location: Location) -> JSONValue {
        .object([
            ("latitude", .number(location.latitude)), ("longitude", .number(location.longitude)),
            ("altitude", JSONValue(location.altitude, JSONValue.number)),
            ("accuracy", JSONValue(location.accuracy, JSONValue.number)),
            ("source", .string(location.source.rawValue)),
        ])
    }

    static func json(_ key: EntryKey) -> JSONValue {
        switch key {
        case .number(let number): .int(number)
        case .text(let text): .string(text)
        }
    }

    /// The columns of tables of assets.
    static let columns = [
        Table.Column("ID", .right, least: 6), Table.Column("GROUP", least: 10),
        Table.Column("DATE", least: 25),
        Table.Column("KIND", least: 10), Table.Column("SIZE", .right, least: 11),
        Table.Column("BYTES", .right, least: 10), Table.Column("PATH"),
    ]

    var row: [String] {
        let date = localDate.map { $0 + (offset.map(\.description) ?? "") }
        return [
            "\(asset.id)", entry?.title ?? "-", date ?? "Undated", kind,
            asset.size.map { "\($0.width)x\($0.height)" } ?? "-", "\(asset.bytes)", asset.path,
        ]
    }
}
