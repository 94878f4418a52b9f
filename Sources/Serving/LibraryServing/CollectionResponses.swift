#if Server && Library
internal import Files
internal import Basics
internal import HTTPTypes
internal import ImageMetadata
internal import PhotoCatalog
internal import TileServing
internal import ViewportGeometry

/// The data of a collection: its entries, and ranges of its assets.
struct CollectionResponses {
    private let served: ServedLibrary
    private let request: RouteRequest
    private let selection: AssetRequest
    private let collection: AssetCollection

    /// The maximum number of entries and of assets in one response.
    private static let (maximumEntries, maximumAssets) = (20_000, 200)
    /// The maximum number of identifiers in a response: as many as can be chosen at the same time.
    private static let maximumIDs = 100_000

    /// - Throws: `RouteError` if the request is malformed.
    init(_ served: ServedLibrary, _ request: RouteRequest) async throws {
        self.served = served
        self.request = request
        selection = try AssetRequest(request)
        collection = try await served.collection(for: selection)
    }

    /// Returns keys and counts of entries from `first` on; fewer than `count` at the end.
    func entries() async throws -> JSONValue {
        let group = try await served.group(selection.group)
        let first = try number("first", 0...Int(Int32.max)) ?? 0
        let count = try number("count", 1...Self.maximumEntries) ?? Self.maximumEntries
        // Read before the entries, so that a client that follows the changes misses none.
        let sequence = try await served.library.lastChange()
        let entries = try await collection.entries(first..<(first + count))
        return .object([
            "sequence": .int(sequence), "title": .string(group.title), "first": .int(first),
            "isLast": .bool(entries.count < count),
            "entries": .array(entries.map(\.json)),
        ])
    }

    /// Returns assets in the order of the grid, from an index path on, across entries.
    func assets() async throws -> JSONValue {
        let start = try indexPath()
        let count = try number("count", 1...Self.maximumAssets) ?? Self.maximumAssets
        let sequence = try await served.library.lastChange()
        // No entry is empty.
        let entries = try await collection.entries(start.entry..<(start.entry + count))
        guard let first = entries.first, start.asset < first.count else {
            throw RouteError(.notFound, "the collection has no asset \(start)")
        }
        var assets: [Asset] = []
        for (index, entry) in entries.enumerated() where assets.count < count {
            let from = index == 0 ? start.asset : 0
            assets += try await collection.assets(in: entry, from..<(from + count - assets.count))
        }
        return .object([
            "sequence": .int(sequence), "from": start.json,
            "assets": .array(assets.map { $0.json(in: served) }),
        ])
    }

    /// Returns the identifiers of the assets from a position on, counted over all entries.
    func ids() async throws -> JSONValue {
        let first = try number("first", 0...Int(Int32.max)) ?? 0
        let count = try number("count", 1...Self.maximumIDs) ?? Self.maximumIDs
        let ids = try await collection.snapshot().ids.dropFirst(first).prefix(count)
        return .object(["first": .int(first), "ids": .array(ids.map { .int(Int($0)) })])
    }

    /// Returns the index path of an asset, and the previous and the next asset.
    func neighbors() async throws -> JSONValue {
        let asset = try await served.asset(request.value("asset") ?? "")
        let group = try await served.group(selection.group)
        let path = try await collection.indexPath(of: asset.id)
        guard let path else {
            throw RouteError(.notFound, "the collection does not show this photo any more")
        }
        let entries = try await collection.entries()
        guard path.entry < entries.count else {
            throw RouteError(.notFound, "the collection has just changed")
        }
        let entry = entries[path.entry]
        let first = max(0, path.asset - 1)
        let nearby = try await collection.assets(in: entry, first..<(path.asset + 2))
        var before = path.asset > 0 ? nearby.first : nil
        var after = path.asset + 1 < entry.count ? nearby.last : nil
        if path.asset == 0, path.entry > 0 {
            let other = entries[path.entry - 1]
            before = try await collection.assets(in: other, (other.count - 1)..<other.count).first
        }
        if path.asset + 1 == entry.count, path.entry + 1 < entries.count {
            after = try await collection.assets(in: entries[path.entry + 1], 0..<1).first
        }
        let preceding = entries[..<path.entry].reduce(0) { $0 + $1.count }
        return .object([
            "title": .string(group.title), "at": path.json, "number": .int(preceding + path.asset + 1),
            "count": .int(entries.reduce(0) { $0 + $1.count }),
            "asset": asset.json(in: served), "previous": before?.json(in: served) ?? .null,
            "next": after?.json(in: served) ?? .null,
        ])
    }

    private func number(_ name: String, _ range: ClosedRange<Int>) throws(RouteError) -> Int? {
        guard let text = request.value(name) else { return nil }
        guard let number = Int(strict: text), range.contains(number) else {
            throw RouteError(
                .badRequest, "\(name)= is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func indexPath() throws(RouteError) -> AssetIndexPath {
        let parts = (request.value("from") ?? "0.0").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let entry = Int(strict: parts[0]), let asset = Int(strict: parts[1]),
            max(entry, asset) <= Int(Int32.max)
        else { throw RouteError(.badRequest, "from= is an entry and a place in it, as 2.31") }
        return AssetIndexPath(entry: entry, asset: asset)
    }
}

extension ServedLibrary {
    /// The data of the library's groups.
    func groups() async throws -> JSONValue {
        .object(["name": .string(name), "groups": .array(try await library.groups().map(\.json))])
    }
}

extension AssetGroup {
    /// The displayed title.
    var title: String {
        switch kind {
        case .all: "Everything"
        case .picks, .album: name
        case .folder: name.isEmpty ? "Not in a folder" : name
        }
    }

    var json: JSONValue {
        .object([
            "group": .string(id.pathComponent), "kind": .string(kind.rawValue), "title": .string(title),
            "count": .int(count), "bytes": .int(bytes),
        ])
    }
}

extension Asset {
    /// Changes with the bytes of the file and the turn of its sidecar; URLs of its thumbnails include it.
    var version: String { sha256.prefix(32) + (turn == .up ? "" : "-\(turn.rawValue)") }

    /// The asset as pages read it; its addresses are relative to the server's.
    func json(in served: ServedLibrary) -> JSONValue {
        .object([
            "id": .int(Int(id)), "version": .string(version), "name": .string(name),
            "kind": .string(isVideo ? "video" : isScreenshot ? "screenshot" : "photo"),
            "panorama": kinds.contains(.panorama) ? .bool(true) : nil,
            "format": .string(format.rawValue), "date": localDate.map(JSONValue.string),
            "width": size.map { .int($0.width) }, "height": size.map { .int($0.height) },
            "seconds": seconds.map { .int(Int($0.rounded())) }, "bytes": .int(bytes),
            "stack": stack.map { cover in
                .object(["cover": .int(Int(cover)), "files": .int(stackCount ?? 1)])
            },
            "rating": rating.map(JSONValue.int), "page": .string(page(in: served)),
        ])
    }

    /// "2014-05-25T10:00:00", or less: "2014-05-25", "2014-05", "2014".
    var localDate: String? { date.map { String($0.localText.prefix(19)) } }

    /// The address of the viewer, or of a page for assets that the viewer cannot show.
    func page(in served: ServedLibrary) -> String {
        isPhoto
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
#endif
