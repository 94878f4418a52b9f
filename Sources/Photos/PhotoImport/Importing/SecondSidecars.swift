internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Containers
internal import Digests
internal import Files
internal import ImageMetadata

/// A sidecar of a photo that has one in the library already.
struct SecondSidecar {
    /// What is added to the library's sidecar; nil if nothing is.
    var merging: ImportPlan.Merging?
    /// Why the file itself is kept; nil if nothing is lost without it.
    var reason: String?
}

/// Compares second sidecars with those of the library, and with those that the plan takes.
struct SecondSidecars {
    private let library: PhotoLibrary
    private let described: DescribedFiles
    /// What the sidecars of photos state once the plan has merged others into them.
    private var states: [FilePath: [UInt8]] = [:]
    /// The sidecar that the plan takes as the first one of a photo, and its group.
    private var firsts: [FilePath: (file: SourceFile, group: Int)] = [:]

    init(_ library: PhotoLibrary, _ described: DescribedFiles) {
        (self.library, self.described) = (library, described)
    }

    /// Records that the plan takes a sidecar of a photo that has none.
    mutating func noteFirst(_ sidecar: SourceGroup.Sidecar, of photo: FilePath, group: Int) {
        guard Self.isMergeable(sidecar), firsts[photo] == nil else { return }
        firsts[photo] = (sidecar.file, group)
    }

    /// What the sidecar of a photo states; nil without one.
    private func first(of photo: FilePath) throws(FileError) -> [UInt8]? {
        if let state = states[photo] { return state }
        if let first = firsts[photo] { return try first.file.contents(limit: SidecarFault.mostBytes) }
        return try library.places.sidecar(of: photo)?.bytes
    }

    /// Whether it states words about a photo itself: others describe its thumbnail, or another version of it.
    private static func isMergeable(_ sidecar: SourceGroup.Sidecar) -> Bool {
        FileExtension.of(sidecar.file.name) == "xmp" && sidecar.version == nil
    }

    /// Compares a sidecar with that of its photo; nil if there is none, or if they come together.
    ///
    /// - Parameter photo: the path of the photo below the root.
    mutating func compare(
        _ sidecar: SourceGroup.Sidecar, with photo: FilePath, group: Int
    ) throws -> SecondSidecar? {
        guard Self.isMergeable(sidecar), firsts[photo]?.group != group else { return nil }
        do {
            guard let first = try first(of: photo) else { return nil }
            let second = try sidecar.file.contents(limit: SidecarFault.mostBytes)
            let key = "sidecar \(SHA256.hash(second.span).hexadecimal)"
            if try described.has(key, sidecar.file) { return SecondSidecar() }
            let merge = try sidecar.owner.read { open in
                Result { () throws(SidecarFault) in
                    try SidecarMerge(
                        second, into: first, of: FileBytes(open), name: photo.name.text,
                        sharesSecond: !sidecar.isOfWholeName)
                }
            }.get()
            if merge.isOfOther { return nil }
            var result = SecondSidecar(reason: merge.reason)
            if !merge.additions.isEmpty {
                states[photo] = try merge.additions.applied(to: first)
                result.merging = ImportPlan.Merging(photo: photo, additions: merge.additions, key: key)
            }
            return result
        } catch let error as LibraryError {
            throw error
        } catch {
            return SecondSidecar(reason: "the photo has another sidecar, and one of the two \(error)")
        }
    }
}

extension SidecarMerge {
    /// Why the second sidecar is kept; nil if nothing is lost without it.
    fileprivate var reason: String? {
        guard !isWhole else { return nil }
        let named = 3
        let parts = [
            contradictions.isEmpty ? nil : "it states \(contradictions.joined(separator: ", "))",
            others.isEmpty
                ? nil
                : "only it has \(others.prefix(named).joined(separator: ", "))"
                    + (others.count > named ? " and \(others.count - named) more" : ""),
        ]
        return "the photo has another sidecar: " + parts.compactMap(\.self).joined(separator: "; ")
    }
}

extension PhotoLibrary {
    /// Carries out what a plan merges into sidecars of the library; returns the reasons of failures by the number of the item.
    func merge(_ items: [(number: Int, item: ImportPlan.Item)]) async throws -> [Int: String] {
        var edits: [FilePath: SidecarEdit] = [:]
        for (_, item) in items {
            guard let merging = item.merging else { continue }
            edits[merging.photo] = (edits[merging.photo] ?? SidecarEdit()).followed(by: merging.additions)
        }
        let failures = try await mergeSidecars(edits.filter { !$0.value.isEmpty })
        let done = items.filter { item in item.item.merging.map { failures[$0.photo] == nil } ?? false }
        try await write { catalog in
            for (_, item) in done {
                guard let merging = item.merging else { continue }
                try catalog.rememberDescription(of: item.source, merging.key)
            }
        }
        return Dictionary(
            uniqueKeysWithValues: items.compactMap { number, item in
                item.merging.flatMap { failures[$0.photo] }.map { (number, $0) }
            })
    }
}
