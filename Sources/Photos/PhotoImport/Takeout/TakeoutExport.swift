public import AssetCatalog
internal import Basics
internal import ExportDocuments
internal import Files
internal import ImageMetadata
internal import Synchronization
public import WorkReporting

/// Copies of assets as Google Takeout has them, which the importers of other programs read.
///
/// Files are in folders of their years, and once more in a folder for each of their albums, as in Google's exports. Beside each
/// are its sidecars, and a JSON file with its date, description and position, and whether it is one of the picks.
public final class TakeoutExport: Sendable {
    /// The titles of albums that have their folder, by the name of the folder.
    private let albums = Mutex<[FilePath: String]>([:])

    /// Creates an export.
    public init() {}

    /// Exports assets into the folder `Takeout/Google Photos` of a folder; existing files are never replaced, and equal ones are
    /// kept.
    ///
    /// - Parameters:
    ///   - assets: the assets to copy; they may be exported in several parts by the same object.
    ///   - folder: the destination; is created if it is missing.
    ///   - progress: receives the assets that are done.
    /// - Returns: the files that could not be exported; paths are those of the copies.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the folder cannot be written; `CancellationError`:
    ///   finished copies are kept.
    @discardableResult
    public func export(
        _ assets: [Asset], of library: PhotoLibrary, to folder: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        try await ExportedFile.failures { each in
            try await export(assets, of: library, to: folder, progress: progress, each: each)
        }
    }

    /// Exports assets and reports the result for every file.
    package func export(
        _ assets: [Asset], of library: PhotoLibrary, to folder: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }, each: (ExportedFile) -> Void
    ) async throws {
        let facts = try await facts(of: assets, in: library)
        let copying = Copying(library: library, folder: folder, facts: facts)
        let root: FilePath = "Takeout/Google Photos"
        try await copying.copy(assets, to: root, "Photos from {year}/{name}", progress, each)
        var titles: [String] = []
        for asset in assets { titles.unite(facts[asset.id]?.albums ?? []) }
        for title in titles {
            let members = assets.filter { asset in
                facts[asset.id]?.albums.contains { FilePath($0) == FilePath(title) } == true
            }
            let place = root.appending(self.folder(of: title))
            try await copying.copy(members, to: place, "{name}", { _ in }, each)
            let album = try copying.write(
                TakeoutDocument.text(ofAlbum: title), of: members[0].id, to: place.appending("metadata.json"))
            if album.failure != nil { each(album) }
        }
    }

    private func facts(of assets: [Asset], in library: PhotoLibrary) async throws -> [Asset.ID: ExportFacts] {
        var result: [Asset.ID: ExportFacts] = [:]
        for asset in assets {
            var facts = ExportFacts(of: Takeout.title)
            for album in try await library.albums(of: asset.id) {
                if album.id == .picks { facts.isFavorite = true } else { facts.albums.append(album.name) }
            }
            facts.taken = asset.date.map { $0.instant ?? $0.local.wholeSeconds }
            facts.location = asset.location
            facts.caption = asset.caption
            result[asset.id] = facts
        }
        return result
    }

    /// Returns the folder of an album, which no other album has.
    private func folder(of title: String) -> FilePath {
        albums.withLock { albums in
            let name = ImportLayout.clean(title)
            var number = 1
            while true {
                let ending = number == 1 ? "" : " (\(number))"
                let folder = FilePath(FileName.cut(name, before: ending) + ending)
                let isTaken = TakeoutFolderName.isReserved(folder.text)
                if !isTaken, albums[folder].map({ FilePath($0) == FilePath(title) }) ?? true {
                    albums[folder] = title
                    return folder
                }
                number += 1
            }
        }
    }
}

/// Copies assets of a library into a folder, with their JSON files.
private struct Copying {
    let library: PhotoLibrary
    let folder: String
    let facts: [Asset.ID: ExportFacts]

    func copy(
        _ assets: [Asset], to place: FilePath, _ layout: String,
        _ progress: @escaping @Sendable (WorkProgress) -> Void, _ each: (ExportedFile) -> Void
    ) async throws {
        let known = Dictionary(uniqueKeysWithValues: assets.map { ($0.id, $0) })
        try await library.export(
            assets, to: "\(folder)/\(place.text)", .layout(try ImportLayout(layout)), progress: progress
        ) { copy in
            var copy = copy
            copy.path = place.appending(copy.path)
            each(copy)
            guard let asset = known[copy.asset], !copy.isSidecar, copy.failure == nil else { return }
            let name = TakeoutSidecarName.text(of: copy.path.name.text)
            let json = TakeoutSidecar.text(of: asset, facts[asset.id] ?? ExportFacts(of: Takeout.title))
            each(try write(json, of: asset.id, to: copy.path.renamed(FilePath(name))))
        }
    }

    /// Writes a JSON file, unless one of that name is there.
    func write(_ text: String, of asset: Asset.ID, to path: FilePath) throws(LibraryError) -> ExportedFile {
        let (bytes, destination) = (Array(text.utf8), "\(folder)/\(path.text)")
        var outcome = ExportedFile.Outcome.copied
        do throws(FileError) {
            if try !PartFile.writeNew(bytes, to: destination) {
                outcome =
                    (try? InputFile.contents(destination)) == bytes
                    ? .present
                    : .failed(reason: "another file has this name; remove it, or choose another folder")
            }
        } catch {
            throw LibraryError.unwritable(destination, error)
        }
        return ExportedFile(asset: asset, path: path, outcome: outcome, isSidecar: true)
    }
}

extension TakeoutSidecar {
    /// Returns the sidecar of an asset, as Takeout writes it: 0 stands for an unknown time, 0,0 for an unknown position.
    static func text(of asset: Asset, _ facts: ExportFacts) -> String {
        func time(_ seconds: Int) -> JSONValue {
            let text = WallClock(wholeSeconds: seconds).map { "\($0)" } ?? ""
            return .object(["timestamp": .string("\(seconds)"), "formatted": .string(text)])
        }
        let place = facts.location
        let position: [(String, JSONValue?)] = [
            ("latitude", .number(place?.latitude ?? 0)), ("longitude", .number(place?.longitude ?? 0)),
            ("altitude", .number(place?.altitude ?? 0)),
            ("latitudeSpan", .int(0)), ("longitudeSpan", .int(0)),
        ]
        var members: [(String, JSONValue?)] = [
            ("title", .string(asset.name)), ("description", .string(facts.caption ?? "")),
            ("creationTime", time(asset.modifiedNanoseconds / 1_000_000_000)),
            ("photoTakenTime", time(facts.taken ?? 0)), ("geoData", .object(position)),
        ]
        if facts.isFavorite { members.append(("favorited", .bool(true))) }
        return "\(JSONValue.object(members))\n"
    }
}

extension TakeoutDocument {
    /// Returns the file that names an album.
    static func text(ofAlbum title: String) -> String {
        let members: [(String, JSONValue?)] = [
            ("title", .string(title)), ("description", .string("")), ("access", .string("protected")),
        ]
        return "\(JSONValue.object(members))\n"
    }
}
