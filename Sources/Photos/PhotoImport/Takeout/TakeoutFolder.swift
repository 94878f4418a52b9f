internal import AssetCatalog
internal import Basics
internal import ExportDocuments
internal import Files

/// The photos of a folder of a Takeout with what their sidecars state; other folders have no sidecars in JSON.
struct TakeoutFolder {
    /// The folder without sidecars in JSON and, unless they are asked for, files in the trash; the files of all archives.
    private(set) var folder: ExportedFolder
    /// Nil if the folder is not one of a Takeout.
    private(set) var summary: TakeoutSummary?

    init(_ folder: ExportedFolder, _ takeout: Takeout) {
        self.folder = folder
        let files = folder.files
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
        take(documents, names, takeout, isExport: isExport)
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
        _ names: FolderNames, _ takeout: Takeout, isExport: Bool
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
                let name = file.path.folder.name.text
                let isYear = TakeoutFolderName.isYear(name) || TakeoutFolderName.isDay(name)
                let named = title.allSatisfy(\.isWhitespace) ? name : title
                if !isYear { titles.unite([named]) }
                var reason = isYear ? "describes a folder of a period" : "names the album \(named)"
                if !unused.isEmpty {
                    let rest =
                        "its \(unused.joined(separator: ", ")) \(unused.count == 1 ? "is" : "are") not imported"
                    summary.unused.append(IndexReport.Failure(path: file.path.text, reason: rest))
                    reason += "; \(rest)"
                }
                folder.left.append(SkippedSource(file.path, bytes: file.status.size, .album, reason))
                taken.insert(file)
            case .success(.other): break
            case .failure(let fault):
                // What other programs write beside photos is not missed.
                guard isExport || names.hasFile(of: file) else { continue }
                folder.left.append(
                    SkippedSource(file.path, bytes: file.status.size, .unreadable, fault.description))
                taken.insert(file)
            }
        }
        let matcher = TakeoutMatcher(media, sidecars, takeout.words)
        folder.editedCopies = Set(matcher.editedCopies.map { media[$0] })
        summary.unknownWords = matcher.usedWords.sorted()
        let isTrash = TakeoutFolderName.isTrash(folder.files[0].path.folder.name.text)
        var owners: [Int: SourceFile] = [:]
        for (index, file) in media.enumerated() {
            folder.originalOf[file] = matcher.originalOf[index].map { media[$0] }
            var facts = ExportFacts(of: Takeout.title)
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
                if !takeout.takesTrashed {
                    taken.insert(file)
                    let reason = "is in the trash of Google Photos"
                    folder.left.append(SkippedSource(file.path, bytes: file.status.size, .trashed, reason))
                    continue
                }
            }
            folder.facts[file] = facts
        }
        for (number, sidecar) in sidecars.enumerated() {
            if let owner = owners[number] {
                summary.sidecars += 1
                if taken.contains(owner) {
                    let reason = "belongs to a file in the trash of Google Photos"
                    folder.left.append(
                        SkippedSource(sidecar.file.path, bytes: sidecar.file.status.size, .trashed, reason))
                } else {
                    folder.documents.append((sidecar.file, owner))
                }
                continue
            }
            summary.withoutFile.append(sidecar.file.path)
            let title = sidecar.content.title.map { " (its title is \($0))" } ?? ""
            let reason = matcher.reasons[number] ?? "belongs to no file of these sources\(title)"
            folder.left.append(
                SkippedSource(sidecar.file.path, bytes: sidecar.file.status.size, .sidecar, reason))
        }
        summary.albums = titles
        folder.files.removeAll { taken.contains($0) }
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
