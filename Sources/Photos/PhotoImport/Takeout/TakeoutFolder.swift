internal import AssetCatalog
internal import Basics
package import Files

/// What an import found of a Google Takeout.
package struct TakeoutSummary: Hashable, Codable, Sendable {
    /// The number of sidecars that belong to a file.
    package internal(set) var sidecars = 0
    /// The files whose values are taken from a sidecar.
    package internal(set) var described = 0
    /// The sidecars that belong to no file.
    package internal(set) var withoutFile: [FilePath] = []
    /// The photos and videos without a sidecar.
    package internal(set) var withoutSidecar: [FilePath] = []
    /// The files that Google has archived, which are imported.
    package internal(set) var archived: [FilePath] = []
    /// The files in Google's trash.
    package internal(set) var trashed: [FilePath] = []
    /// The titles of the albums.
    package internal(set) var albums: [String] = []
    /// The documents of albums that state more than a title, with the names of what is not imported.
    package internal(set) var unused: [IndexReport.Failure] = []
    /// The words behind the names of edited copies that were not known, and were told by their repetition.
    package internal(set) var unknownWords: [String] = []

    mutating func add(_ other: Self) {
        sidecars += other.sidecars
        described += other.described
        withoutFile += other.withoutFile
        withoutSidecar += other.withoutSidecar
        archived += other.archived
        trashed += other.trashed
        albums.unite(other.albums)
        unused += other.unused
        unknownWords.unite(other.unknownWords)
    }
}

/// The photos of a folder of a Takeout with what their sidecars state; other folders have no sidecars in JSON.
struct TakeoutFolder {
    /// The files that are not sidecars in JSON and not in the trash.
    private(set) var files: [SourceFile]
    private(set) var facts: [SourceFile: TakeoutFacts] = [:]
    /// The original of edited copies, and of videos of live photos.
    private(set) var originalOf: [SourceFile: SourceFile] = [:]
    /// The edited copies among the files that have an original.
    private(set) var editedCopies: Set<SourceFile> = []
    /// The sidecars with the files that they describe.
    private(set) var sidecars: [(file: SourceFile, owner: SourceFile)] = []
    private(set) var left: [SkippedSource] = []
    /// Nil if the folder is not one of a Takeout.
    private(set) var summary: TakeoutSummary?

    /// - Parameters:
    ///   - files: the files of the folder, from all archives of the export.
    ///   - words: the words of edited copies.
    init(_ files: [SourceFile], _ options: ImportOptions, words: TakeoutWords) {
        self.files = files
        let json = files.filter { FileExtension.of($0.name) == "json" }
        let path = files.first?.path.folder ?? ""
        let isExport = TakeoutFolderName.insideExport(path) != nil
        guard isExport || Self.hasSidecar(json) else { return }
        var documents: [(file: SourceFile, result: Result<TakeoutDocument, InvalidText>)] = []
        let names = FolderNames(files)
        for file in json {
            documents.append((file, Self.read(file, isOfFile: names.hasFile(of: file), isInExport: isExport)))
        }
        let isKnown = documents.contains {
            switch $0.result {
            case .success(.sidecar): true
            case .success(.album): isExport
            case .success(.other), .failure: false
            }
        }
        guard isKnown || isExport && TakeoutFolderName.isYear(path.name.text) else { return }
        take(documents, names, words, options, isExport: isExport)
    }

    /// Whether some of the files of a folder outside of an export are sidecars.
    ///
    /// Other programs write JSON, too, of any size: few files are read.
    private static func hasSidecar(_ json: [SourceFile]) -> Bool {
        let small = json.filter { $0.status.size <= 1 << 16 }
        let step = max(1, small.count / 32)
        return stride(from: 0, to: small.count, by: step).contains { index in
            if case .success(.sidecar) = read(small[index]) { true } else { false }
        }
    }

    private static func read(
        _ file: SourceFile, isOfFile: Bool = false, isInExport: Bool = false
    ) -> Result<TakeoutDocument, InvalidText> {
        do throws(FileError) {
            let bytes = try file.contents(limit: TakeoutDocument.limit)
            return Result { () throws(InvalidText) in
                try TakeoutDocument(bytes, isOfFile: isOfFile, isInExport: isInExport)
            }
        } catch {
            return .failure(InvalidText(error.description))
        }
    }

    private mutating func take(
        _ documents: [(file: SourceFile, result: Result<TakeoutDocument, InvalidText>)],
        _ names: FolderNames, _ words: TakeoutWords, _ options: ImportOptions, isExport: Bool
    ) {
        var summary = TakeoutSummary()
        let media = names.media
        var sidecars: [TakeoutMatcher.Sidecar] = []
        var titles: [String] = []
        // Other JSON files of Google stay among the files, and are left as such.
        var taken: Set<SourceFile> = []
        for (file, result) in documents {
            switch result {
            case .success(.sidecar(let content)):
                guard let name = TakeoutSidecarName(file.name.text) else { continue }
                sidecars.append(TakeoutMatcher.Sidecar(file: file, name: name, content: content))
                taken.insert(file)
            case .success(.album(let title, let unused)):
                let folder = file.path.folder.name.text
                let isYear = TakeoutFolderName.isYear(folder) || TakeoutFolderName.isDay(folder)
                let named = title.allSatisfy(\.isWhitespace) ? folder : title
                if !isYear { titles.unite([named]) }
                var reason = isYear ? "describes a folder of a period" : "names the album \(named)"
                if !unused.isEmpty {
                    let rest =
                        "its \(unused.joined(separator: ", ")) \(unused.count == 1 ? "is" : "are") not imported"
                    summary.unused.append(IndexReport.Failure(path: file.path.text, reason: rest))
                    reason += "; \(rest)"
                }
                left.append(SkippedSource(file.path, bytes: file.status.size, .album, reason))
                taken.insert(file)
            case .success(.other): break
            case .failure(let fault):
                // What other programs write beside photos is not missed.
                guard isExport || names.hasFile(of: file) else { continue }
                left.append(SkippedSource(file.path, bytes: file.status.size, .unreadable, fault.description))
                taken.insert(file)
            }
        }
        let matcher = TakeoutMatcher(media, sidecars, words)
        editedCopies = Set(matcher.editedCopies.map { media[$0] })
        summary.unknownWords = matcher.usedWords.sorted()
        let isTrash = TakeoutFolderName.isTrash(files[0].path.folder.name.text)
        var owners: [Int: SourceFile] = [:]
        for (index, file) in media.enumerated() {
            originalOf[file] = matcher.originalOf[index].map { media[$0] }
            var facts = TakeoutFacts()
            if let sidecar = matcher.sidecarOf[index] {
                facts = sidecars[sidecar].content.facts
                if owners[sidecar] == nil || matcher.originalOf[index] == nil { owners[sidecar] = file }
                summary.described += 1
            } else {
                summary.withoutSidecar.append(file.path)
            }
            facts.albums = titles
            if facts.isArchived { summary.archived.append(file.path) }
            if facts.isTrashed || isTrash {
                summary.trashed.append(file.path)
                if !options.takesTrashed {
                    taken.insert(file)
                    let reason = "is in the trash of Google Photos"
                    left.append(SkippedSource(file.path, bytes: file.status.size, .trashed, reason))
                    continue
                }
            }
            self.facts[file] = facts
        }
        for (number, sidecar) in sidecars.enumerated() {
            if let owner = owners[number] {
                summary.sidecars += 1
                if taken.contains(owner) {
                    let reason = "belongs to a file in the trash of Google Photos"
                    left.append(
                        SkippedSource(sidecar.file.path, bytes: sidecar.file.status.size, .trashed, reason))
                } else {
                    self.sidecars.append((sidecar.file, owner))
                }
                continue
            }
            summary.withoutFile.append(sidecar.file.path)
            let title = sidecar.content.title.map { " (its title is \($0))" } ?? ""
            let reason = matcher.reasons[number] ?? "belongs to no file of these sources\(title)"
            left.append(SkippedSource(sidecar.file.path, bytes: sidecar.file.status.size, .sidecar, reason))
        }
        summary.albums = titles
        files.removeAll { taken.contains($0) }
        self.summary = summary
    }
}

/// The photos and films of a folder, by their names.
struct FolderNames {
    let media: [SourceFile]
    private let keys: Set<TakeoutName>

    init(_ files: [SourceFile]) {
        let photos = Set(files.lazy.map(\.name).filter(FileExtension.isMedia).map(\.withoutExtension))
        media = files.filter {
            guard !$0.isSidecar, FileExtension.of($0.name) != "json" else { return false }
            // The film of a photo is named as the photo is without its extension.
            return FileExtension.isMedia($0.name) || MotionFilm.isNamed($0.name) || photos.contains($0.name)
        }
        keys = Set(media.map { TakeoutName($0.name.text) })
    }

    /// Whether a document has the name of the sidecar of one of them.
    func hasFile(of document: SourceFile) -> Bool {
        guard let key = TakeoutSidecarName(document.name.text)?.key else { return false }
        return keys.contains(key) || keys.contains(TakeoutName(key.name))
    }
}
