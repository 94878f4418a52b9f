#if Server
internal import Basics
internal import Files
internal import ViewportRendering
internal import Vips

/// The folders and files that are served; files outside of them are never opened.
package struct ImageRoots: Sendable {
    package struct Root: Sendable {
        /// The first component of its identifiers; empty if a folder is the only root.
        package let name: String
        /// Absolute, with symbolic links resolved.
        package let path: String
        package let isFolder: Bool
    }

    package let all: [Root]

    /// - Throws: `ServerError` if a path does not exist or two names are equal.
    package init(_ paths: [String]) throws(ServerError) {
        var roots: [Root] = []
        for path in paths {
            let resolved = ProcessEnvironment.absolutePath(path)
            let isFolder = FileStatus(resolved) == nil
            if isFolder {
                do throws(FileError) {
                    try InputFile.check(resolved)
                } catch .folder {
                } catch {
                    throw .missingRoot(path)
                }
            }
            let name = resolved.split(separator: "/").last.map(String.init) ?? ""
            roots.append(
                Root(name: paths.count == 1 && isFolder ? "" : name, path: resolved, isFolder: isFolder))
        }
        guard Set(roots.map(\.name)).count == roots.count else { throw .duplicateNames }
        all = roots
    }

    /// Returns the file of an identifier, which is the path below a root with or without extension.
    ///
    /// - Returns: The path with symbolic links resolved; nil if the file is missing, hidden or outside the roots.
    package func path(of identifier: String) -> String? {
        guard (1...1024).contains(identifier.utf8.count), !identifier.utf8.contains(0) else { return nil }
        let parts = identifier.split(separator: "/", omittingEmptySubsequences: false)
        // This excludes "." and "..", too.
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.count <= 255 }) else {
            return nil
        }
        for root in all {
            if root.name.isEmpty { return file(parts[...], below: root) }
            guard let first = parts.first else { continue }
            if root.isFolder, first == root.name { return file(parts.dropFirst(), below: root) }
            if !root.isFolder, parts.count == 1, first == root.name || first == Self.stem(root.name) {
                return root.path
            }
        }
        return nil
    }

    /// Returns the possible paths of an identifier, even if there is no file or the identifier is malformed.
    func paths(of identifier: String) -> [String] {
        let parts = identifier.split(separator: "/").filter {
            $0 != "." && $0 != ".." && !$0.utf8.contains(0)
        }
        return all.compactMap { root in
            if root.name.isEmpty { return ([root.path] + parts.map(String.init)).joined(separator: "/") }
            guard let first = parts.first,
                first == root.name || !root.isFolder && first == Self.stem(root.name)
            else { return nil }
            return ([root.path] + parts.dropFirst().map(String.init)).joined(separator: "/")
        }
    }

    private func file(_ parts: ArraySlice<Substring>, below root: Root) -> String? {
        guard let last = parts.last else { return nil }
        let folder = ([root.path] + parts.dropLast().map(String.init)).joined(separator: "/")
        if let path = inside(root, "\(folder)/\(last)") { return path }
        // Without an extension: the first matching file in sorted order.
        let names = Folder.names(in: folder).filter { Self.stem($0) == last && !$0.hasPrefix(".") }
        return names.sorted().lazy.compactMap { inside(root, "\(folder)/\($0)") }.first
    }

    /// Returns a regular file that is below the root after symbolic links are resolved.
    private func inside(_ root: Root, _ path: String) -> String? {
        let resolved = ProcessEnvironment.absolutePath(path)
        guard resolved.hasPrefix(root.path == "/" ? "/" : root.path + "/"), FileStatus(resolved) != nil else {
            return nil
        }
        let below = resolved.dropFirst(root.path.count)
        return below.split(separator: "/").contains { $0.hasPrefix(".") } ? nil : resolved
    }

    private static func stem(_ name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name[...] }
        return name[..<dot]
    }
}

extension ImageRoots {
    private static let extensions: Set<Substring> = [
        "jpg", "jpeg", "png", "tif", "tiff", "webp", "gif", "avif", "heic", "heif", "jp2", "jxl", "svs",
        "svg", "pdf", "nef", "nrw", "cr2", "cr3", "arw", "sr2", "raf", "rw2", "orf", "pef", "srw", "dng",
    ]

    /// Returns the identifiers of images below the roots, sorted by name, without opening files.
    ///
    /// - Parameter excluded: The paths of roots to omit.
    func identifiers(atMost limit: Int, except excluded: Set<String> = []) async -> [String] {
        let found = try? await BlockingExecutor.shared.run {
            var found: [String] = []
            for root in self.all where !excluded.contains(root.path) {
                guard root.isFolder else {
                    found.append(root.name)
                    continue
                }
                Self.collect(
                    root.path, root.name.isEmpty ? "" : root.name + "/", limit, depth: 0, into: &found)
            }
            return found
        }
        return found ?? []
    }

    private static func collect(
        _ folder: String, _ prefix: String, _ limit: Int, depth: Int, into found: inout [String]
    ) {
        guard depth < 8 else { return }
        for name in Folder.names(in: folder).sorted() where !name.hasPrefix(".") {
            guard found.count < limit else { return }
            let path = "\(folder)/\(name)"
            if FileStatus(path) == nil {
                // Links to folders could leave the root or form cycles.
                if ProcessEnvironment.absolutePath(path) == path {
                    collect(path, "\(prefix)\(name)/", limit, depth: depth + 1, into: &found)
                }
            } else if let dot = name.lastIndex(of: "."),
                extensions.contains(name[name.index(after: dot)...].lowercased()[...])
            {
                found.append(prefix + name)
            }
        }
    }
}
#endif
