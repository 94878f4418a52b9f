internal import Basics
internal import PhotoCatalog

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
