internal import Basics
internal import HTTPTypes
internal import ImageMetadata
internal import PhotoCatalog
internal import TileServing
internal import ViewportGeometry

/// What is told of a collection: its entries, and the assets in a part of it.
struct CollectionAnswers {
    private let served: ServedLibrary
    private let call: Call
    private let selection: AssetSelection
    private let collection: AssetCollection

    /// The most entries, and assets, in one answer.
    private static let (mostEntries, mostAssets) = (20_000, 200)

    /// - Throws: `Failure` where the request asks for what there is not.
    init(_ served: ServedLibrary, _ call: Call) throws(Failure) {
        self.served = served
        self.call = call
        selection = try AssetSelection(call)
        collection = selection.collection(of: served.library)
    }

    /// Keys and counts of entries, from `first` on; fewer than asked for where there are no more.
    func entries() async throws -> JSONValue {
        let group = try await served.group(selection.group)
        let first = try number("first", 0...Int(Int32.max)) ?? 0
        let count = try number("count", 1...Self.mostEntries) ?? Self.mostEntries
        // Before the entries: who is told of a change behind it has missed none.
        let sequence = try await served.library.lastChange()
        let entries = try await collection.entries(first..<(first + count))
        return .object([
            ("sequence", .int(sequence)), ("title", .string(group.title)), ("first", .int(first)),
            ("isLast", .bool(entries.count < count)),
            ("entries", .array(entries.map(\.json))),
        ])
    }

    /// Assets in the order of the grid, from an index path on, across entries.
    func assets() async throws -> JSONValue {
        let start = try indexPath()
        let count = try number("count", 1...Self.mostAssets) ?? Self.mostAssets
        let sequence = try await served.library.lastChange()
        // No entry is empty.
        let entries = try await collection.entries(start.entry..<(start.entry + count))
        guard let first = entries.first, start.asset < first.count else {
            throw Failure(.notFound, "the collection has no place \(start)")
        }
        var assets: [Asset] = []
        for (index, entry) in entries.enumerated() where assets.count < count {
            let from = index == 0 ? start.asset : 0
            assets += try await collection.assets(in: entry, from..<(from + count - assets.count))
        }
        return .object([
            ("sequence", .int(sequence)), ("from", start.json),
            ("assets", .array(assets.map { $0.json(in: served) })),
        ])
    }

    /// Where an asset stands, and the assets before and behind it.
    func neighbors() async throws -> JSONValue {
        let asset = try await served.asset(call.value("asset") ?? "")
        let group = try await served.group(selection.group)
        let place = try await collection.indexPath(of: asset.id)
        guard let place else { throw Failure(.notFound, "the collection does not show this photo any more") }
        let entries = try await collection.entries()
        guard place.entry < entries.count else { throw Failure(.notFound, "the collection has just changed") }
        let entry = entries[place.entry]
        let first = max(0, place.asset - 1)
        let around = try await collection.assets(in: entry, first..<(place.asset + 2))
        var before = place.asset > 0 ? around.first : nil
        var after = place.asset + 1 < entry.count ? around.last : nil
        if place.asset == 0, place.entry > 0 {
            let other = entries[place.entry - 1]
            before = try await collection.assets(in: other, (other.count - 1)..<other.count).first
        }
        if place.asset + 1 == entry.count, place.entry + 1 < entries.count {
            after = try await collection.assets(in: entries[place.entry + 1], 0..<1).first
        }
        let earlier = entries[..<place.entry].reduce(0) { $0 + $1.count }
        return .object([
            ("title", .string(group.title)), ("at", place.json), ("number", .int(earlier + place.asset + 1)),
            ("count", .int(entries.reduce(0) { $0 + $1.count })),
            ("asset", asset.json(in: served)), ("previous", before?.json(in: served) ?? .null),
            ("next", after?.json(in: served) ?? .null),
        ])
    }

    private func number(_ name: String, _ range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = call.value(name) else { return nil }
        guard let number = Int(strict: text), range.contains(number) else {
            throw Failure(
                .badRequest, "\(name)= is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func indexPath() throws(Failure) -> AssetIndexPath {
        let parts = (call.value("from") ?? "0.0").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let entry = Int(strict: parts[0]), let asset = Int(strict: parts[1]),
            max(entry, asset) <= Int(Int32.max)
        else { throw Failure(.badRequest, "from= is an entry and a place in it, as 2.31") }
        return AssetIndexPath(entry: entry, asset: asset)
    }
}

/// What is told of a library's groups.
struct GroupAnswers {
    private let served: ServedLibrary

    init(_ served: ServedLibrary) {
        self.served = served
    }

    func groups() async throws -> JSONValue {
        let groups = try await served.library.groups()
        return .object([("name", .string(served.name)), ("groups", .array(groups.map(\.json)))])
    }
}

extension AssetGroup {
    /// What people call it.
    var title: String {
        switch kind {
        case .all: "Everything"
        case .picks, .album: name
        case .folder: name.isEmpty ? "Not in a folder" : name
        }
    }

    var json: JSONValue {
        .object([
            ("group", .string(id.addressed)), ("kind", .string(kind.rawValue)), ("title", .string(title)),
            ("count", .int(count)), ("bytes", .int(bytes)),
        ])
    }
}

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
            ("seconds", duration.map { .int(Int($0.rounded())) }), ("bytes", .int(bytes)),
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

extension AssetEntry {
    /// The key (null for assets without a date) and the count.
    var json: JSONValue { .array([key?.json ?? .null, .int(count)]) }
}

extension EntryKey {
    var json: JSONValue {
        switch self {
        case .number(let number): .int(number)
        case .text(let text): .string(text)
        }
    }
}

extension AssetIndexPath {
    var json: JSONValue { .array([.int(entry), .int(asset)]) }
}
