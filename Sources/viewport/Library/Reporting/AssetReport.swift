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
    var json: JSONText {
        .object([
            ("id", .int(Int(asset.id))), ("path", .string(asset.path)), ("kind", .string(kind)),
            ("width", JSONText(asset.size) { .int($0.width) }),
            ("height", JSONText(asset.size) { .int($0.height) }),
            ("date", JSONText(localDate, JSONText.string)),
            ("offset", JSONText(offset) { .string($0.description) }),
            ("dateSource", JSONText(asset.date) { .string($0.source.rawValue) }),
            ("location", JSONText(asset.location, Self.json)),
            ("place", JSONText(asset.place, JSONText.string)),
            ("make", JSONText(asset.make, JSONText.string)),
            ("model", JSONText(asset.model, JSONText.string)),
            ("sha256", .string(asset.sha256)), ("bytes", .int(asset.bytes)),
            ("group", JSONText(entry?.key, Self.json)),
            (
                "indexPath",
                JSONText(entry) { .array([.int($0.indexPath.entry), .int($0.indexPath.asset)]) }
            ),
        ])
    }

    private static func json(_ location: Location) -> JSONText {
        .object([
            ("latitude", .number(location.latitude)), ("longitude", .number(location.longitude)),
            ("altitude", JSONText(location.altitude, JSONText.number)),
            ("accuracy", JSONText(location.accuracy, JSONText.number)),
            ("source", .string(location.source.rawValue)),
        ])
    }

    static func json(_ key: EntryKey) -> JSONText {
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
