internal import AssetCatalog
internal import Basics
internal import ExportDocuments
internal import Files

/// Exports of Flickr: "photo_ID.json" for each photo and "albums.json" in one archive, the photos in others, named "TITLE_ID_o.jpg" or
/// "ID_SECRET_o.jpg", and films without "_o".
///
/// The identifier joins them, wherever they lie. What the export has of an account besides is left.
struct FlickrExport: PhotoExport {
    static let key: String? = "flickr"
    static let title = "Flickr"

    /// What documents state, by the paths of their photos.
    private var facts: [FilePath: ExportFacts] = [:]
    private var documents: [FilePath: SourceFile] = [:]
    private var found = Found()

    /// What was found and what was not.
    private struct Found {
        var withoutFile: [FilePath] = []
        var withoutDocument: [FilePath] = []
        var albums: [String] = []
        var unused: [IndexReport.Failure] = []
    }

    var summary: ExportSummary? {
        ExportSummary(
            "flickr", documents: "Flickr documents",
            [
                "described": .count(facts.count), "withoutFile": .files(found.withoutFile),
                "withoutDocument": .files(found.withoutDocument), "albums": .texts(found.albums),
                "unused": .notes(found.unused),
            ])
    }

    static func isArchive(_ name: String) -> Bool { FlickrName.isArchive(name) }

    static func lines(of summary: ExportSummary) -> [String] {
        let line = ExportSummary.line(
            title,
            [
                "\(summary.count("described")) files are described",
                "\(summary.files("withoutFile").count) documents describe none",
                "\(summary.files("withoutDocument").count) files have none", summary.albumWords,
            ])
        // The documents without a file are among those that were left.
        return [line] + summary.files("withoutDocument").map { "note \($0): has no document of Flickr" }
            + summary.notes("unused").map { "note \($0)" }
    }

    init?(_ walk: inout SourceWalk, _ context: ExportContext) {
        var photos: [String: (file: SourceFile, photo: FlickrPhoto)] = [:]
        // Of any program, unless there is an export.
        var faults: [SourceFile: String] = [:]
        for file in walk.folders.joined() {
            guard let id = FlickrName.document(file.name.text), photos[id] == nil else { continue }
            switch Self.read(file) {
            case .success(let photo): if let photo, photo.id == id { photos[id] = (file, photo) }
            case .failure(let fault): faults[file] = fault.description
            }
        }
        guard !photos.isEmpty else { return nil }
        walk.skip(faults, .unreadable)
        let albums = takeAlbums(&walk, Set(photos.values.map(\.file.path.folder)))
        var owned: Set<String> = []
        var folders: Set<FilePath> = []
        var open: [SourceFile] = []
        for file in walk.folders.joined() where FileExtension.isMedia(file.name) {
            guard let id = FlickrName.photo(file.name.text, { photos[$0] != nil }),
                let (document, photo) = photos[id]
            else {
                open.append(file)
                continue
            }
            folders.insert(file.path.folder)
            var own = photo.facts(of: Self.title)
            own.albums.unite(albums[id] ?? [])
            facts[file.path] = own
            // A photo that is there twice has one document.
            if owned.insert(id).inserted { documents[file.path] = document }
        }
        found.withoutDocument = open.map(\.path).filter { folders.contains($0.folder) }
        walk.take(Set(documents.values))
        var without: [SourceFile: String] = [:]
        for (id, (file, photo)) in photos where !owned.contains(id) {
            let title = photo.title.map { " (its title is \($0))" } ?? ""
            without[file] = "belongs to no file of these sources\(title)"
        }
        found.withoutFile = without.keys.map(\.path).sorted()
        walk.skip(without, .sidecar)
        noteUnused(photos.values.map(\.photo).filter { owned.contains($0.id) })
    }

    func look(into folder: inout ExportedFolder) {
        for file in folder.files {
            if folder.facts[file] == nil { folder.facts[file] = facts[file.path] }
            if let document = documents[file.path] { folder.documents.append((document, file)) }
        }
    }

    private static func read(_ file: SourceFile) -> Result<FlickrPhoto?, InvalidText> {
        do throws(FileError) {
            let bytes = try file.contents(limit: FlickrPhoto.limit)
            return Result { () throws(InvalidText) in try FlickrPhoto(bytes) }
        } catch {
            return .failure(InvalidText(error.description))
        }
    }

    /// Takes the lists of albums, and returns the titles of the albums of each photo.
    private mutating func takeAlbums(
        _ walk: inout SourceWalk, _ folders: Set<FilePath>
    ) -> [String: [String]] {
        var titles: [String: [String]] = [:]
        var reasons: [SourceFile: String] = [:]
        for file in walk.folders.joined()
        where file.name == "albums.json" && folders.contains(file.path.folder) {
            guard let bytes = try? file.contents(limit: FlickrAlbum.limit),
                let albums = FlickrAlbum.all(bytes)
            else { continue }
            reasons[file] = "lists the albums"
            for album in albums {
                found.albums.unite([album.title])
                for photo in album.photos { titles[photo, default: []].unite([album.title]) }
                guard album.hasDescription else { continue }
                found.unused.append(
                    IndexReport.Failure(
                        path: file.path.text,
                        reason: "the description of the album \(album.title) is not imported"))
            }
        }
        walk.skip(reasons, .album)
        return titles
    }

    /// Names what documents state and libraries have no place for, with the number of photos.
    private mutating func noteUnused(_ photos: [FlickrPhoto]) {
        var counts: [String: Int] = [:]
        for photo in photos { for name in photo.unused { counts[name, default: 0] += 1 } }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            found.unused.append(
                IndexReport.Failure(
                    path: Self.title,
                    reason: "the \(name) of \(count) photo\(count == 1 ? "" : "s") are not imported"))
        }
    }
}

/// The names of files in an export of Flickr.
enum FlickrName {
    /// Whether it is the name of an archive: "data-download-1.zip" has photos, "72157724905358313_3ac1836c2225_part1.zip" documents;
    /// exports of 2018 have "data_72157700000000000_3ac1836c2225_1.zip".
    static func isArchive(_ name: String) -> Bool {
        let lower = name.lowercased()
        guard lower.hasSuffix(".zip") else { return false }
        if lower.hasPrefix("data-download-") { return true }
        var parts = lower.dropLast(4).split(separator: "_", omittingEmptySubsequences: false)
        if parts.first == "data" { parts.removeFirst() }
        guard parts.count == 3, let last = parts.last else { return false }
        let number = last.hasPrefix("part") ? last.dropFirst(4) : last
        return isNumber(parts[0], 10...24) && !parts[1].isEmpty && parts[1].allSatisfy(\.isHexDigit)
            && isNumber(number, 1...4)
    }

    /// The identifier in the name of a document, "photo_2634391576.json".
    static func document(_ name: String) -> String? {
        guard name.hasPrefix("photo_"), name.hasSuffix(".json") else { return nil }
        let id = name.dropFirst(6).dropLast(5)
        return isNumber(id, 1...20) ? String(id) : nil
    }

    /// The identifier in the name of a photo or film: one that is known, at its end or beginning.
    static func photo(_ name: String, _ isKnown: (String) -> Bool) -> String? {
        var parts = FilePath(name).withoutExtension.text.split(separator: "_").map(String.init)
        if parts.count > 1, parts.last == "o" { parts.removeLast() }
        return [parts.last, parts.first].compactMap(\.self).first { isNumber($0[...], 1...20) && isKnown($0) }
    }

    private static func isNumber(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
