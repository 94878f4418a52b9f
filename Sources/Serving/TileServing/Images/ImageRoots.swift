#if Server
internal import Files
internal import RemoteFiles
internal import ServiceLifecycle
internal import ViewportRendering

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
        /// The threads that read its files.
        package let threads: RootThreads
    }

    package let all: [Root]
    let listings = FolderListings()
    /// Whether a file is served although a name in its path is hidden; the path has its symbolic links resolved.
    private let servesHidden: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - remote: The beginning of the URLs of further images; nil for none.
    ///   - timeout: The time in which storage must answer.
    ///   - servesHidden: Returns whether a file below the roots is served although a name in its path is hidden.
    /// - Throws: `ServerError` if a path does not exist or two names are equal.
    package init(
        _ paths: [String], remote: String? = nil, timeout: Duration = .seconds(60),
        servesHidden: @escaping @Sendable (String) -> Bool = { _ in false }
    ) throws(ServerError) {
        self.servesHidden = servesHidden
        var roots: [Root] = []
        if let remote {
            roots.append(
                try Self.remoteRoot(remote, isAlone: paths.isEmpty, RootThreads(remote, timeout: timeout)))
        }
        for path in paths {
            let resolved = ProcessEnvironment.absolutePath(path)
            let isFolder = FileStatus(resolved) == nil
            if isFolder {
                do throws(FileError) {
                    try Folder.check(resolved)
                } catch .unreadable(let reason) {
                    throw .unreadableRoot(path, reason: reason)
                } catch {
                    throw .missingRoot(path)
                }
            }
            let name = FilePath(resolved).names.last?.text ?? ""
            roots.append(
                Root(
                    name: paths.count == 1 && remote == nil && isFolder ? "" : name, path: resolved,
                    isFolder: isFolder, threads: RootThreads(resolved, timeout: timeout)))
        }
        guard Set(roots.map { FilePath($0.name) }).count == roots.count else { throw .duplicateNames }
        all = roots
    }

    /// The address of the first page, relative to the server: the viewer of the only image, or empty for the index.
    var startPage: String {
        guard let root = all.first, all.count == 1, !root.isFolder else { return "" }
        return "view/\(PercentCoding.encode(root.name))"
    }

    /// Returns the file of an identifier, which is the path below a root with or without extension.
    ///
    /// - Returns: The path with symbolic links resolved; nil if the file is missing, hidden or outside the roots.
    package func path(of identifier: String) -> String? {
        guard let (root, parts) = place(of: identifier) else { return nil }
        return root.isFolder ? file(parts, below: root) : root.path
    }

    /// Returns the root that an identifier begins with, without a look at files.
    package func root(of identifier: String) -> Root? { place(of: identifier)?.0 }

    /// Returns the root that has a folder, as in identifiers; nil where the folder is the list of several roots.
    func root(ofFolder folder: String) -> Root? { root(of: folder) ?? all.first(where: \.name.isEmpty) }

    /// Returns the root of an identifier, and the path below it.
    func place(of identifier: String) -> (Root, below: ArraySlice<FilePath>)? {
        guard (1...1024).contains(identifier.utf8.count), !identifier.utf8.contains(0) else { return nil }
        guard let parts = Self.parts(of: identifier), parts.allSatisfy({ $0.text.utf8.count <= 255 }) else {
            return nil
        }
        for root in all {
            guard root.name.isEmpty || root.isNamed(parts.first) else { continue }
            let below = root.name.isEmpty ? parts[...] : parts.dropFirst()
            guard root.isFolder ? !root.isRemote || !Self.isHidden(below) : below.isEmpty else { continue }
            return (root, below)
        }
        return nil
    }

    /// The names in an identifier; nil if one is empty, "." or "..".
    static func parts(of identifier: String) -> [FilePath]? {
        let parts = FilePath(identifier).names
        // An empty name would make the identifier longer.
        guard parts.map(\.text).joined(separator: "/").utf8.count == identifier.utf8.count else { return nil }
        return parts.contains { $0 == "." || $0 == ".." } ? nil : parts
    }

    /// Whether one of the names in a path is hidden.
    static func isHidden(_ names: some Sequence<FilePath>) -> Bool { names.contains(where: \.isHidden) }

    /// Waits for the graceful shutdown of the server, and then gives up on storage that does not answer: the requests that wait
    /// for it would hold up the end.
    func stopWaitingAtShutdown() async {
        do {
            try await gracefulShutdown()
            while true {
                try await Task.sleep(for: .seconds(1))
                for root in all where await !root.threads.answers() { root.threads.stop() }
            }
        } catch {}
    }

    /// Returns the threads that read the file at a path, which is in one of the roots.
    func threads(of path: String) -> RootThreads {
        (all.first { FilePath(path).isIn(FilePath($0.path)) } ?? all[0]).threads
    }

    /// Returns the possible paths of an identifier, even if there is no file or the identifier is malformed.
    func paths(of identifier: String) -> [(root: Root, path: String)] {
        let parts = FilePath(identifier).names.filter {
            $0 != "." && $0 != ".." && !$0.text.utf8.contains(0)
        }
        return all.compactMap { root in
            if root.name.isEmpty { return (root, root.path(of: parts[...])) }
            return root.isNamed(parts.first) ? (root, root.path(of: parts.dropFirst())) : nil
        }
    }

    private static func remoteRoot(
        _ prefix: String, isAlone: Bool, _ threads: RootThreads
    ) throws(ServerError) -> Root {
        guard let address = try? RemoteAddress(prefix), !prefix.contains("?"), !prefix.contains("#") else {
            throw .missingRoot(RemoteAddress.shown(prefix))
        }
        let path = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        return Root(
            name: isAlone ? "" : address.folderName, path: path, isFolder: true, isRemote: true,
            threads: threads)
    }

    /// Returns the URL of a file below a remote root: each part of the identifier is encoded, so that it adds no query.
    private static func address(_ parts: ArraySlice<FilePath>, below root: Root) -> String? {
        guard !parts.isEmpty else { return nil }
        let isEncoded = !root.path.lowercased().hasPrefix("s3:")
        return parts.reduce(root.path) { path, part in
            "\(path)/" + (isEncoded ? PercentCoding.encode(part.text) : part.text)
        }
    }

    private func file(_ parts: ArraySlice<FilePath>, below root: Root) -> String? {
        if root.isRemote { return Self.address(parts, below: root) }
        guard let last = parts.last else { return nil }
        let folder = root.path(of: parts.dropLast())
        if Self.isHidden(parts) {
            return Self.resolved(root, "\(folder)/\(last.text)").flatMap { servesHidden($0) ? $0 : nil }
        }
        if let path = Self.inside(root, "\(folder)/\(last.text)") { return path }
        // Without an extension: the first matching file in sorted order.
        return listings.listing(of: folder, below: root)?.files[last].map { "\(folder)/\($0)" }
            .flatMap { Self.inside(root, $0) }
    }

    /// Returns a regular file that is below the root after symbolic links are resolved, and not hidden there.
    static func inside(_ root: Root, _ path: String) -> String? {
        guard let resolved = resolved(root, path) else { return nil }
        return FilePath(resolved).below(FilePath(root.path)).map { isHidden($0.names) } == false
            ? resolved : nil
    }

    /// Returns a regular file that is below the root after symbolic links are resolved.
    private static func resolved(_ root: Root, _ path: String) -> String? {
        let resolved = FilePath(ProcessEnvironment.absolutePath(path))
        guard resolved.below(FilePath(root.path)) != nil else { return nil }
        return FileStatus(resolved.text) == nil ? nil : resolved.text
    }
}

extension ImageRoots.Root {
    /// Whether this is the first name of its identifiers; that of a file may lack the extension.
    func isNamed(_ first: FilePath?) -> Bool {
        first == FilePath(name) || !isFolder && first == FilePath(name).withoutExtension
    }

    /// Returns the path below the root.
    func path(of parts: ArraySlice<FilePath>) -> String {
        ([path] + parts.map(\.text)).joined(separator: "/")
    }
}
#endif
