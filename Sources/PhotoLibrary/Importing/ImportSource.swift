internal import Files
internal import ImageMetadata

/// A file that may be imported.
struct SourceFile: Hashable, Sendable {
    /// From the root of the file system.
    var path: String
    var status: FileStatus

    var name: String { OutputFile.name(of: path) }
    /// The name without its extension.
    var base: String { Sidecars.base(of: name) }
    /// Behind the last point of the name; empty where there is none.
    var fileExtension: String { String(name.dropFirst(base.count + 1)) }
    /// Whether it only tells about another file.
    var isSidecar: Bool { ["xmp", "aae", "thm"].contains(fileExtension.lowercased()) }
}

/// Files that are one picture: a photo, its film, its raw file and what is known beside them.
struct SourceGroup: Sendable {
    /// The file that the others are named by comes first.
    var media: [SourceFile]
    var sidecars: [SourceFile] = []
    var subject: ImportLayout.Subject

    /// What of a file's name stays behind the common part: ".jpg", ".jpg.xmp".
    func suffix(of file: SourceFile) -> String {
        let whole = media.first { file.isSidecar && file.name.hasPrefix($0.name + ".") }
        let base = whole.map { Sidecars.base(of: $0.name) } ?? file.base
        return String(file.name.dropFirst(base.count))
    }
}

/// A file that could not be read, and why.
struct SourceFailure: Sendable {
    var path: String
    var reason: String
}

/// The files below folders, without those that are hidden.
struct SourceWalk {
    /// Those of each folder, sorted by name; folders sorted by path.
    private(set) var folders: [[SourceFile]] = []
    private(set) var failures: [SourceFailure] = []

    /// - Throws: `ImportError.noSource` where a path itself cannot be read.
    init(_ paths: [String]) throws(ImportError) {
        var seen: Set<String> = []
        for path in paths {
            if let status = FileStatus(path) {
                // A file's neighbours may belong to it only where they are named too.
                folders.append([SourceFile(path: path, status: status)])
                continue
            }
            do {
                _ = try Folder.entries(in: path)
            } catch {
                throw .noSource(path, reason: error.description)
            }
            walk(path, &seen)
        }
    }

    private mutating func walk(_ root: String, _ seen: inout Set<String>) {
        var waiting = [root]
        while let folder = waiting.popLast() {
            guard seen.insert(folder).inserted else { continue }
            do {
                let entries = try Folder.entries(in: folder).filter { !$0.name.hasPrefix(".") }
                    .sorted { $0.name < $1.name }
                let files = entries.compactMap { entry -> SourceFile? in
                    guard case .file(let status) = entry.kind else { return nil }
                    return SourceFile(path: "\(folder)/\(entry.name)", status: status)
                }
                if !files.isEmpty { folders.append(files) }
                waiting += entries.filter { $0.kind == .folder }.map { "\(folder)/\($0.name)" }.reversed()
            } catch {
                failures.append(SourceFailure(path: folder, reason: error.description))
            }
        }
    }
}
