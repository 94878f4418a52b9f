#if Server && Library
internal import Basics
internal import HTTPTypes
internal import ImageMetadata
internal import PhotoCatalog
internal import TileServing

/// Changes of a library from its pages: picks, albums, ratings, words, dates, positions, the trash, and undoing them.
struct EditResponses {
    private let served: ServedLibrary
    private let request: JSONValue

    /// The maximum length of a text.
    private static let maximumText = 2000
    /// The maximum number of assets in a request.
    private static let maximumAssets = 100_000

    /// - Throws: `RouteError` if the server allows no edits, or the body is not a JSON object.
    init(_ served: ServedLibrary, _ request: RouteRequest, _ services: ServerServices) throws(RouteError) {
        guard services.allowsEdits else { throw .noEdits }
        self.served = served
        self.request = try Self.object(request)
    }

    static func object(_ request: RouteRequest) throws(RouteError) -> JSONValue {
        guard let value = try? JSONValue(parsing: request.body), value.members != nil else {
            throw RouteError(.badRequest, "the body is not a JSON object")
        }
        return value
    }

    /// Returns the identifiers in "assets".
    static func assets(_ value: JSONValue) throws(RouteError) -> [Asset.ID] {
        let list = value["assets"]?.array ?? []
        let ids = list.compactMap { $0.int }.filter { $0 > 0 }.map(Int64.init)
        guard !ids.isEmpty, ids.count == list.count, ids.count <= maximumAssets else {
            throw RouteError(.badRequest, "\"assets\" is a list of 1 to \(maximumAssets) numbers of photos")
        }
        return ids
    }

    /// Returns the identifiers of what is in the trash, in "trashed".
    static func trashed(_ value: JSONValue) throws(RouteError) -> [TrashedAsset.ID] {
        let list = value["trashed"]?.array ?? []
        let ids = list.compactMap { $0.string.flatMap(TrashedAsset.ID.init) }
        guard !ids.isEmpty, ids.count == list.count, ids.count <= maximumAssets else {
            throw RouteError(
                .badRequest,
                "\"trashed\" is a list of 1 to \(maximumAssets) identifiers, as the page has them")
        }
        return ids
    }

    /// Carries out what "do" names: pick, album, rate, title, caption, keywords, date, location, trash, restore or undo.
    func respond() async throws -> JSONValue {
        let action = request["do"]?.string ?? ""
        if action == "undo" { return try await undo() }
        if action == "restore" {
            return Self.json(try await served.library.restoreFromTrash(Self.trashed(request)))
        }
        let ids = try Self.assets(request)
        let library = served.library
        switch action {
        case "pick":
            guard let picks = try await library.group(.picks) else { throw RouteError.noGroup }
            return Self.json(try await library.setMembership(of: ids, inAlbum: picks.name, try flag("value")))
        case "album":
            let name = String(try text("name").trimmed())
            guard !name.isEmpty, name.count <= 200 else {
                throw RouteError(.badRequest, "the name of an album has 1 to 200 characters")
            }
            return Self.json(try await library.setMembership(of: ids, inAlbum: name, try flag("value")))
        case "cover":
            guard ids.count == 1, let id = ids.first else {
                throw RouteError(.badRequest, "one photo is the cover of a stack")
            }
            try await library.chooseCover(id)
            return .object(["changed": .int(1), "unchanged": .int(0), "failures": .array([])])
        case "rate":
            guard let rating = request["rating"]?.int, (-1...5).contains(rating) else {
                throw RouteError(.badRequest, "\"rating\" is a number from -1 to 5")
            }
            return try await edit(ids) { $0.rating = rating }
        case "title":
            let title = try text("text")
            return try await edit(ids) { $0.title = title }
        case "caption":
            let caption = try text("text")
            return try await edit(ids) { $0.caption = caption }
        case "keywords":
            let (added, removed) = (try words("add"), try words("remove"))
            return try await edit(ids) { ($0.addedKeywords, $0.removedKeywords) = (added, removed) }
        case "date":
            let text = String(try text("text").trimmed())
            if let seconds = AssetEdit.seconds(ofShift: text), text.first == "+" || text.first == "-" {
                return try await edit(ids) { $0.shift = seconds }
            }
            guard let date = CaptureDate(edited: text.replacing(" ", with: "T")) else {
                throw RouteError(
                    .badRequest, "a date is like 2014-05-25 or 2014-05-25 10:00, and a shift like +1h or -30m"
                )
            }
            return try await edit(ids) { $0.date = date }
        case "location":
            let text = String(try text("text").trimmed())
            guard !text.isEmpty else { return try await edit(ids) { $0.removesLocation = true } }
            guard let location = Location(edited: text) else {
                throw RouteError(
                    .badRequest, "a position is LATITUDE, LONGITUDE in degrees, such as 47.05, 8.31")
            }
            return try await edit(ids) { $0.location = location }
        case "trash": return Self.json(try await library.moveToTrash(ids))
        default:
            throw RouteError(
                .badRequest,
                "\"do\" is one of pick, album, rate, title, caption, keywords, date, location, trash, restore, undo"
            )
        }
    }

    private func edit(_ ids: [Asset.ID], _ change: (inout AssetEdit) -> Void) async throws -> JSONValue {
        var edit = AssetEdit()
        change(&edit)
        return Self.json(try await served.library.edit(ids, edit))
    }

    /// Undoes the operation that the page has made, unless another one followed it.
    private func undo() async throws -> JSONValue {
        guard let last = try await served.library.operations(1).first,
            request["operation"]?.int == Int(last.id),
            let report = try await served.library.undo()
        else {
            throw RouteError(
                .conflict, "something else was changed since; undo it with viewport library undo")
        }
        return Self.json(report)
    }

    private static func json(_ report: EditReport) -> JSONValue {
        .object([
            "operation": report.operation.map { .int(Int($0.id)) },
            "name": report.operation.map { .string($0.name) }, "changed": .int(report.changed),
            "failures": .array(
                report.failures.map {
                    .object(["path": .string($0.path), "reason": .string($0.reason)])
                }),
        ])
    }

    private func flag(_ name: String) throws(RouteError) -> Bool {
        guard case .bool(let value)? = request[name] else {
            throw RouteError(.badRequest, "\"\(name)\" is true or false")
        }
        return value
    }

    private func text(_ name: String) throws(RouteError) -> String {
        guard let text = request[name]?.string, text.count <= Self.maximumText, !text.utf8.contains(0) else {
            throw RouteError(
                .badRequest, "\"\(name)\" is a text of at most \(Self.maximumText) characters without NUL")
        }
        return text
    }

    private func words(_ name: String) throws(RouteError) -> [String] {
        guard let list = request[name] else { return [] }
        let words = (list.array ?? []).compactMap { $0.string.map { String($0.trimmed()) } }
            .filter { !$0.isEmpty && $0.count <= 200 && !$0.contains("\n") }
        guard let all = list.array, words.count == all.count, words.count <= 100 else {
            throw RouteError(.badRequest, "\"\(name)\" is a list of at most 100 words")
        }
        return words
    }
}

extension RouteError {
    static let noEdits = RouteError(
        .forbidden, "this server changes nothing; start it with --allow-edits to edit from its pages")
}
#endif
