#if Server
internal import Files
internal import RemoteFiles
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
        /// Whether the path is the beginning of URLs.
        package var isRemote = false
    }

    package let all: [Root]
    let listings = FolderListings()

    /// - Parameter remote: The beginning of the URLs of further images; nil for none.
    /// - Throws: `ServerError` if a path does not exist or two names are equal.
    package init(_ paths: [String], remote: String? = nil) throws(ServerError) {
        var roots: [Root] = []
        if let remote { roots.append(try Self.remoteRoot(remote, isAlone: paths.isEmpty)) }
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
                Root(
                    name: paths.count == 1 && remote == nil && isFolder ? "" : name, path: resolved,
                    isFolder: isFolder))
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

    private static func remoteRoot(_ prefix: String, isAlone: Bool) throws(ServerError) -> Root {
        guard let address = try? RemoteAddress(prefix), !prefix.contains("?"), !prefix.contains("#") else {
            throw .missingRoot(RemoteAddress.shown(prefix))
        }
        let path = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        return Root(name: isAlone ? "" : address.folderName, path: path, isFolder: true, isRemote: true)
    }

    /// Returns the URL of a file below a remote root: each part of the identifier is encoded, so that it adds no query.
    private static func address(_ parts: ArraySlice<Substring>, below root: Root) -> String? {
        guard !parts.isEmpty else { return nil }
        let isEncoded = !root.path.lowercased().hasPrefix("s3:")
        return parts.reduce(root.path) { path, part in
            "\(path)/" + (isEncoded ? PercentCoding.encode(String(part)) : String(part))
        }
    }

    private func file(_ parts: ArraySlice<Substring>, below root: Root) -> String? {
        if root.isRemote { return Self.address(parts, below: root) }
        guard let last = parts.last else { return nil }
        let folder = ([root.path] + parts.dropLast().map(String.init)).joined(separator: "/")
        if let path = Self.inside(root, "\(folder)/\(last)") { return path }
        // Without an extension: the first matching file in sorted order.
        return listings.listing(of: folder, below: root)?.files[String(last)].map { "\(folder)/\($0)" }
            .flatMap { Self.inside(root, $0) }
    }

    /// Returns a regular file that is below the root after symbolic links are resolved.
    static func inside(_ root: Root, _ path: String) -> String? {
        let resolved = ProcessEnvironment.absolutePath(path)
        guard resolved.hasPrefix(root.path == "/" ? "/" : root.path + "/"), FileStatus(resolved) != nil else {
            return nil
        }
        let below = resolved.dropFirst(root.path.count)
        return below.split(separator: "/").contains { $0.hasPrefix(".") } ? nil : resolved
    }

    static func stem(_ name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name[...] }
        return name[..<dot]
    }
}

/// What the index shows of a folder; names are identifiers.
struct FolderContents: Sendable {
    var folders: [String] = []
    var images: [String] = []
}

extension ImageRoots {
    /// Returns the subfolders and images of a folder, sorted by name, without opening files; nil if it is not served.
    ///
    /// - Parameters:
    ///   - folder: The path below a root as in identifiers; empty for the roots themselves.
    ///   - excluded: The paths of roots to omit.
    func contents(of folder: String, except excluded: Set<String> = []) -> FolderContents? {
        if folder.isEmpty, all.first?.name.isEmpty != true {
            let roots = all.filter { !excluded.contains($0.path) }
            return FolderContents(
                folders: roots.filter(\.isFolder).map(\.name).sorted(),
                images: roots.filter { !$0.isFolder }.map(\.name).sorted())
        }
        // The images of another server cannot be listed.
        if let (root, _) = self.folder(folder), root.isRemote { return FolderContents() }
        guard let (root, path) = self.folder(folder), !excluded.contains(root.path),
            let listing = listings.listing(of: path, below: root)
        else { return nil }
        let prefix = folder.isEmpty ? "" : folder + "/"
        return FolderContents(
            folders: listing.folders.map { prefix + $0 }, images: listing.images.map { prefix + $0 })
    }

    /// The place of an image among those of its folder.
    struct Neighbors: Sendable {
        /// The path of the folder as in identifiers.
        var folder: String
        /// The number of the image, from 1.
        var number: Int
        var count: Int
        var previous: String?
        var next: String?
    }

    /// Returns the images before and after one, in the order of the index; nil if the index does not list it.
    func neighbors(of identifier: String) -> Neighbors? {
        let slash = identifier.lastIndex(of: "/")
        let folder = slash.map { String(identifier[..<$0]) } ?? ""
        // A page of a file belongs to the file.
        let name = identifier.firstIndex(of: ";").map { String(identifier[..<$0]) } ?? identifier
        guard let images = contents(of: folder)?.images,
            let index = images.firstIndex(where: { $0 == identifier })
                ?? images.firstIndex(where: { $0 == name || Self.stem($0) == name })
        else { return nil }
        return Neighbors(
            folder: folder, number: index + 1, count: images.count,
            previous: index > 0 ? images[index - 1] : nil,
            next: index + 1 < images.count ? images[index + 1] : nil)
    }

    /// Returns the subfolders and images of a folder and of the folders below it whose names contain a text.
    ///
    /// Capital letters are not distinguished. Folders that are nested deeper than 8 are left out.
    func contents(
        of folder: String, matching text: String, except excluded: Set<String> = [], depth: Int = 0
    ) -> FolderContents? {
        guard let contents = contents(of: folder, except: excluded) else { return nil }
        let text = text.lowercased()
        func matches(_ identifier: String) -> Bool {
            let name = identifier.dropFirst(folder.isEmpty ? 0 : folder.count + 1)
            return name.lowercased().contains(text)
        }
        var found = FolderContents(
            folders: contents.folders.filter(matches), images: contents.images.filter(matches))
        for folder in depth < 8 ? contents.folders : [] {
            guard
                let below = self.contents(of: folder, matching: text, except: excluded, depth: depth + 1)
            else { continue }
            found.folders += below.folders
            found.images += below.images
        }
        return found
    }

    /// Returns the root and the path of a folder, which is no link and not hidden.
    private func folder(_ identifier: String) -> (Root, path: String)? {
        guard identifier.utf8.count <= 1024, !identifier.utf8.contains(0) else { return nil }
        var parts = identifier.split(separator: "/", omittingEmptySubsequences: false)[...]
        if identifier.isEmpty { parts = [] }
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
        for root in all where root.isFolder {
            if !root.name.isEmpty {
                guard parts.first.map(String.init) == root.name else { continue }
                parts.removeFirst()
            }
            let path = ([root.path] + parts.map(String.init)).joined(separator: "/")
            // Links to folders could leave the root or form cycles.
            return ProcessEnvironment.absolutePath(path) == path ? (root, path) : nil
        }
        return nil
    }
}
#endif
