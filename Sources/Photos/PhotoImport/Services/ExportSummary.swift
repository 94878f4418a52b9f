package import AssetCatalog
internal import ExportDocuments
package import Files

/// What an import found of the exports of a service: numbers and lists, each with its name in the report.
package struct ExportSummary: Hashable, Codable, Sendable {
    package enum Value: Hashable, Codable, Sendable {
        case count(Int)
        case files([FilePath])
        /// Texts, each of them once.
        case texts([String])
        case notes([IndexReport.Failure])
    }

    package struct Member: Hashable, Codable, Sendable {
        package let name: String
        package internal(set) var value: Value
    }

    /// The name of the summary in the report.
    package let service: String
    /// What the documents of its photos are called, "Takeout sidecars"; nil if it has none.
    package let documents: String?
    package private(set) var members: [Member]

    init(_ service: String, documents: String? = nil, _ members: KeyValuePairs<String, Value>) {
        (self.service, self.documents) = (service, documents)
        self.members = members.map { Member(name: $0.key, value: $0.value) }
    }

    /// The names of all summaries that a report can have.
    package static var services: [String] { PhotoExports.services.compactMap { $0.key } }

    /// What was found, in words: a line, and one for each thing to know.
    package var lines: [String] {
        PhotoExports.services.first { $0.key == service }?.lines(of: self) ?? []
    }

    package func count(_ name: String) -> Int {
        if case .count(let count)? = self[name] { count } else { 0 }
    }

    package func files(_ name: String) -> [FilePath] {
        if case .files(let files)? = self[name] { files } else { [] }
    }

    package func texts(_ name: String) -> [String] {
        if case .texts(let texts)? = self[name] { texts } else { [] }
    }

    package func notes(_ name: String) -> [IndexReport.Failure] {
        if case .notes(let notes)? = self[name] { notes } else { [] }
    }

    private subscript(name: String) -> Value? { members.first { $0.name == name }?.value }

    /// Adds what was found elsewhere.
    mutating func add(_ other: Self) {
        for member in other.members {
            guard let index = members.firstIndex(where: { $0.name == member.name }) else {
                members.append(member)
                continue
            }
            members[index].value.add(member.value)
        }
    }
}

extension ExportSummary.Value {
    fileprivate mutating func add(_ other: Self) {
        switch (self, other) {
        case (.count(let own), .count(let more)): self = .count(own + more)
        case (.files(let own), .files(let more)): self = .files(own + more)
        case (.notes(let own), .notes(let more)): self = .notes(own + more)
        case (.texts(var own), .texts(let more)):
            own.unite(more)
            self = .texts(own)
        default: break
        }
    }
}

extension ExportSummary {
    /// A line of what was found, without what is nil: "Takeout: 5 sidecars describe 4 files, albums: Ré".
    static func line(_ title: String, _ parts: [String?]) -> String {
        "\(title): " + parts.compactMap(\.self).joined(separator: ", ")
    }

    /// The names of albums, for a line; nil without one.
    var albumWords: String? {
        let albums = texts("albums")
        return albums.isEmpty ? nil : "albums: \(albums.sorted().joined(separator: ", "))"
    }

    /// A number of files with words, for a line; nil for none.
    func words(_ name: String, _ words: String) -> String? {
        let count = files(name).count
        return count == 0 ? nil : "\(count) \(words)"
    }
}

extension [ExportSummary] {
    /// What the documents of photos are called: "Takeout sidecars".
    package var documents: String {
        let all = compactMap(\.documents)
        return all.isEmpty ? "documents of exports" : all.joined(separator: " and ")
    }
}
