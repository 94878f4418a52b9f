internal import Files
internal import GRDB

extension IndexRun {
    /// Looks at a folder and all below it, at a file, or at what is left of either.
    func scan(_ path: String) throws(LibraryError) {
        let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
        guard !isHidden else { return }
        if FileStatus(absolute(path)) != nil {
            // A file's folder tells of its sidecars too.
            try walk([parent(of: path)], isDeep: false)
        } else {
            try walk([path], isDeep: true)
            // What is gone may have been a file.
            if !visited.contains(Array(path.utf8)) { try walk([parent(of: path)], isDeep: false) }
            try missUnvisited(below: path)
        }
    }

    private func parent(of path: String) -> String {
        path.contains("/") ? OutputFile.folder(of: path) : ""
    }

    private func walk(_ folders: [String], isDeep: Bool) throws(LibraryError) {
        var folders = folders
        while let folder = folders.popLast() {
            guard visited.insert(Array(folder.utf8)).inserted || isDeep else { continue }
            let below = try look(into: folder)
            if isDeep { folders += below }
        }
    }

    /// Compares the files of a folder with what is remembered; the folders in it.
    private func look(into folder: String) throws(LibraryError) -> [String] {
        let entries: [Folder.Entry]
        do {
            entries = try Folder.entries(in: absolute(folder))
        } catch .missing {
            visited.remove(Array(folder.utf8))
            return []
        } catch {
            report.failures.append(.init(path: folder, reason: error.description))
            unreadable.append(folder)
            return []
        }
        let prefix = folder.isEmpty ? "" : folder + "/"
        let seen = entries.filter { !$0.name.hasPrefix(".") }
        let known = try library.catalog.readAndWait { try KnownFile.all(in: folder, $0) }
        var knownByPath = Dictionary(known.map { (Array($0.path.utf8), $0) }) { $1 }
        let sidecars = Sidecars(seen, prefix)
        var count = 0
        for entry in seen {
            guard case .file(let status) = entry.kind, !Sidecars.isSidecar(entry.name) else { continue }
            let path = prefix + entry.name
            let file = FoundFile(path: path, status: status, sidecar: sidecars.sidecar(of: entry.name))
            try compare(file, knownByPath.removeValue(forKey: Array(path.utf8)))
            count += 1
        }
        for gone in knownByPath.values {
            if let asset = gone.asset { missing[asset] = gone.path } else { forgotten.append(gone.path) }
        }
        try advance(count, in: folder)
        return seen.filter { $0.kind == .folder }.map { prefix + $0.name }.sorted().reversed()
    }

    private func compare(_ file: FoundFile, _ known: KnownFile?) throws(LibraryError) {
        guard let known, known.isSame(file), !known.takes(dating) else {
            waiting.append(file)
            if waiting.count >= Self.batch { try flush() }
            return
        }
        if known.asset != nil {
            report.unchanged += 1
        } else if let reason = known.reason ?? (FileEnding.isMedia(known.path) ? FileEnding.fault : nil) {
            report.failures.append(.init(path: known.path, reason: reason))
        } else {
            report.others.append(known.path)
        }
    }

    /// Notes the files of folders that are not there any more.
    private func missUnvisited(below path: String) throws(LibraryError) {
        let folders = try library.catalog.readAndWait { database in
            let isBelow = "?1 = '' OR path = ?1 OR substr(path, 1, ?2) = ?3"
            return try String.fetchAll(
                database,
                sql: """
                    SELECT path FROM folder WHERE \(isBelow)
                    UNION SELECT folder AS path FROM other WHERE \(isBelow.replacing("path", with: "folder"))
                    """, arguments: [path, path.unicodeScalars.count + 1, path + "/"])
        }
        for folder in folders {
            guard !visited.contains(Array(folder.utf8)),
                !unreadable.contains(where: { $0.isEmpty || folder == $0 || folder.hasPrefix($0 + "/") })
            else { continue }
            for file in try library.catalog.readAndWait({ try KnownFile.all(in: folder, $0) }) {
                if let asset = file.asset { missing[asset] = file.path } else { forgotten.append(file.path) }
            }
        }
    }
}
