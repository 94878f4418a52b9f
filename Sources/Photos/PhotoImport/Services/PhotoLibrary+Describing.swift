internal import AssetCatalog
internal import CatalogStorage
internal import ExportDocuments
internal import Files

/// The files whose values from an export were written, so that a repeated import does not undo later edits.
struct DescribedFiles: Sendable {
    private let library: PhotoLibrary

    init(_ library: PhotoLibrary) { self.library = library }

    /// Returns what is not in the library yet; nil if all of it is.
    func news(_ facts: ExportFacts, of file: SourceFile) throws -> ExportFacts? {
        try has(facts.key, file) ? nil : facts
    }

    /// Whether the values with a key were written that a file states, or that are stated about it.
    func has(_ key: String, _ file: SourceFile) throws -> Bool {
        try library.readAndWait { try $0.described(file.path) } == key
    }
}

extension PhotoLibrary {
    /// Writes what an export states about imported files: to their XMP sidecars, the albums and the catalog.
    ///
    /// What a file or its sidecar states already is kept. Repeated, it changes nothing.
    ///
    /// - Parameter items: items with facts, whose files are indexed.
    /// - Returns: the reasons for files that could not be described, by their sources.
    func describe(_ items: [ImportPlan.Item]) async throws -> [FilePath: String] {
        var failures: [FilePath: String] = [:]
        let lock = try await lockEditingWhenFree()
        defer { withExtendedLifetime(lock) {} }
        // Copies of one file, in a year and in an album, describe it together.
        var facts: [FilePath: ExportFacts] = [:]
        var order: [FilePath] = []
        for item in items {
            guard let path = item.place, let news = item.facts else { continue }
            if facts[path] == nil { order.append(path) }
            facts[path, default: ExportFacts(of: news.service)].add(news)
        }
        let (all, paths) = (facts, order)
        let plan = try await read { try self.planDescriptions(paths, all, $0) }
        let places = places
        let unwritten = try await BackgroundQueue.run {
            for folder in Set(plan.edits.map { FilePath(places.target(of: $0.step.path)).folder }) {
                TemporaryName.sweep(folder.text)
            }
            var failures: [IndexReport.Failure] = []
            for edit in plan.edits {
                guard let failure = try edit.write(in: places) else { continue }
                failures.append(IndexReport.Failure(path: edit.asset, reason: failure.reason))
            }
            return failures
        }
        let failed = Dictionary((plan.failures + unwritten).map { ($0.file, $0.reason) }) { first, _ in first
        }
        if !plan.edits.isEmpty { _ = try await indexWhenFree(plan.edits.map(\.asset)) }
        for item in items {
            guard let path = item.place else { continue }
            failures[item.source] = failed[path].map {
                "its \(item.facts?.service ?? "export's") values were not written: \($0)"
            }
        }
        let done = items.filter { failures[$0.source] == nil }
        try await write { catalog in
            for item in done {
                guard let path = item.place, let facts = item.facts else { continue }
                for album in facts.albums { try catalog.append([path], toAlbum: album) }
                if facts.isFavorite { try catalog.append([path], toAlbum: nil) }
                try catalog.rememberDescription(of: item.source, facts.key)
            }
        }
        return failures
    }

    private func planDescriptions(
        _ paths: [FilePath], _ facts: [FilePath: ExportFacts], _ catalog: Catalog
    ) throws -> (edits: [SidecarWriting], failures: [IndexReport.Failure]) {
        var edits: [SidecarWriting] = []
        var failures: [IndexReport.Failure] = []
        for path in paths {
            guard let asset = try catalog.asset(at: path) else {
                let reason = "it is not in the catalog"
                failures.append(IndexReport.Failure(path: path.text, reason: reason))
                continue
            }
            guard let edit = facts[path].map({ AssetEdit($0, of: asset) }), !edit.isEmpty else { continue }
            do {
                edits.append(try SidecarWriting(of: asset, edit, in: places, catalog))
            } catch let refusal as AssetRefusal {
                failures.append(IndexReport.Failure(path: path.text, reason: refusal.reason))
            }
        }
        return (edits, failures)
    }
}

extension AssetEdit {
    /// What an export adds to what is known of an asset.
    fileprivate init(_ facts: ExportFacts, of asset: Asset) {
        self.init()
        date = facts.date(instead: asset.date)
        if asset.location == nil { location = facts.location }
        if asset.title == nil { title = facts.title }
        if asset.caption == nil { caption = facts.caption }
        addedKeywords = (facts.people + facts.keywords).filter { !asset.keywords.contains($0) }
    }
}
