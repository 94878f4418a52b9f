#if Server
internal import Files
internal import HTTPTypes

/// The order in which the index shows the images of a folder.
enum FolderOrder: String, CaseIterable, Sendable {
    case name, newest, oldest, largest, smallest

    /// The text of the menu.
    var title: String {
        self == .name ? "Name" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() + " first"
    }

    /// - Throws: `RouteError` if the query asks for an unknown order.
    init(of request: RouteRequest) throws(RouteError) {
        guard let text = request.value("sort"), !text.isEmpty else {
            self = .name
            return
        }
        guard let order = Self(rawValue: text) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw RouteError(.badRequest, "the images cannot be sorted by that: sort is one of \(known)")
        }
        self = order
    }

    /// What the addresses of pages add; nil for the standard order.
    var parameter: String? { self == .name ? nil : "sort=\(rawValue)" }

    /// Smaller for files that come first.
    fileprivate func key(of status: FileStatus) -> Int {
        switch self {
        case .name: 0
        case .newest: -status.modified
        case .oldest: status.modified
        case .largest: -status.size
        case .smallest: status.size
        }
    }
}

/// What the index shows of a folder; names are identifiers.
struct FolderContents: Sendable {
    var folders: [String] = []
    var images: [String] = []

    /// Returns the entries whose names contain a text.
    fileprivate func matching(_ text: String, below folder: String) -> FolderContents {
        let text = text.lowercased()
        func matches(_ identifier: String) -> Bool {
            let name = FilePath(identifier).below(FilePath(folder))?.text ?? identifier
            return name.lowercased().contains(text)
        }
        return FolderContents(folders: folders.filter(matches), images: images.filter(matches))
    }
}

extension ImageRoots {
    /// Returns the subfolders and images of a folder, sorted by name, without opening files; nil if it is not served.
    ///
    /// - Parameters:
    ///   - folder: The path below a root as in identifiers; empty for the roots themselves.
    ///   - excluded: The paths of roots to omit.
    func contents(of folder: String, except excluded: Set<FilePath> = []) -> FolderContents? {
        if folder.isEmpty, all.first?.name.isEmpty != true {
            let roots = all.filter { !excluded.contains(FilePath($0.path)) }
            return FolderContents(
                folders: Self.names(of: roots.filter(\.isFolder)),
                images: Self.names(of: roots.filter { !$0.isFolder }))
        }
        // The images of another server cannot be listed.
        if let (root, _) = self.folder(folder), root.isRemote { return FolderContents() }
        guard let (root, path) = self.folder(folder), !excluded.contains(FilePath(root.path)),
            let listing = listings.listing(of: path, below: root)
        else { return nil }
        let prefix = folder.isEmpty ? "" : folder + "/"
        return FolderContents(
            folders: listing.folders.map { prefix + $0 }, images: listing.images.map { prefix + $0 })
    }

    private static func names(of roots: [Root]) -> [String] {
        roots.map { FilePath($0.name) }.sorted().map(\.text)
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

    /// Returns identifiers, which are sorted by name, in another order; those of files that have gone are last.
    func sorted(_ images: [String], by order: FolderOrder) -> [String] {
        guard order != .name else { return images }
        let keys = images.map { image -> Int in
            guard
                let status = place(of: image).map({ $0.isFolder ? $0.path(of: $1) : $0.path })
                    .flatMap({ FileStatus($0) })
            else { return .max }
            return order.key(of: status)
        }
        return images.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { images[$0] }
    }

    /// Returns the first image of a folder by name, or of the first folder below it that has one; nil without one.
    ///
    /// - Parameter depth: How many levels of folders are searched.
    func cover(of folder: String, depth: Int = 3) -> String? {
        guard let contents = contents(of: folder) else { return nil }
        if let image = contents.images.first { return image }
        guard depth > 0 else { return nil }
        return contents.folders.prefix(8).lazy.compactMap { cover(of: $0, depth: depth - 1) }.first
    }

    /// Returns the images before and after one, in an order of the index; nil if the index does not list it.
    func neighbors(of identifier: String, by order: FolderOrder = .name) -> Neighbors? {
        let folder = FilePath(identifier).parent?.text ?? ""
        // A page of a file belongs to the file.
        let name = FilePath(Substring(identifier.utf8.prefix { $0 != UInt8(ascii: ";") }))
        guard let images = contents(of: folder).map({ sorted($0.images, by: order) }),
            let index = images.firstIndex(where: { FilePath($0) == FilePath(identifier) })
                ?? images.firstIndex(where: {
                    FilePath($0) == name || FilePath($0).withoutExtension == name
                })
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
        of folder: String, matching text: String, except excluded: Set<FilePath> = [], depth: Int = 0
    ) -> FolderContents? {
        guard let contents = contents(of: folder, except: excluded) else { return nil }
        var found = contents.matching(text, below: folder)
        for folder in depth < 8 ? contents.folders : [] {
            guard
                let below = self.contents(of: folder, matching: text, except: excluded, depth: depth + 1)
            else { continue }
            found.folders += below.folders
            found.images += below.images
        }
        return found
    }

    /// Returns the path of a folder, as in identifiers; those of all roots where the folder is the list of them.
    func paths(ofFolder identifier: String) async throws -> [String] {
        if identifier.isEmpty, all.first?.name.isEmpty != true { return all.map(\.path) }
        guard let root = root(ofFolder: identifier),
            let path = try await root.threads.run({ self.folder(identifier)?.path })
        else { throw RouteError.folderNotFound }
        return [path]
    }

    /// Returns what `contents(of:matching:except:)` does, without a text also `contents(of:except:)`, in an order, on the
    /// threads of the folder's root.
    ///
    /// - Throws: `RouteError` where the storage does not answer.
    func listing(
        of folder: String, matching text: String, by order: FolderOrder, except excluded: Set<FilePath>
    ) async throws -> FolderContents? {
        if let root = root(ofFolder: folder) {
            return try await root.threads.run {
                var found =
                    text.isEmpty
                    ? contents(of: folder, except: excluded)
                    : contents(of: folder, matching: text, except: excluded)
                let images = sorted(found?.images ?? [], by: order)
                found?.images = images
                return found
            }
        }
        guard folder.isEmpty, var found = contents(of: "", except: excluded) else { return nil }
        guard !text.isEmpty || order != .name else { return found }
        let folders = found.folders
        found = found.matching(text, below: "")
        for folder in text.isEmpty ? [] : folders {
            // Each root on its own threads.
            let below = try await root(of: folder)?.threads.run {
                contents(of: folder, matching: text, except: excluded, depth: 1)
            }
            guard let below else { continue }
            found.folders += below.folders
            found.images += below.images
        }
        let images = found.images
        if order != .name, let first = images.first.flatMap({ root(of: $0) }) {
            found.images = try await first.threads.run { sorted(images, by: order) }
        }
        return found
    }

    /// Returns the root and the path of a folder, which is no link and not hidden.
    private func folder(_ identifier: String) -> (Root, path: String)? {
        guard identifier.utf8.count <= 1024, !identifier.utf8.contains(0) else { return nil }
        guard let parts = Self.parts(of: identifier), !Self.isHidden(parts) else { return nil }
        for root in all where root.isFolder {
            guard root.name.isEmpty || root.isNamed(parts.first) else { continue }
            let path = root.path(of: root.name.isEmpty ? parts[...] : parts.dropFirst())
            // Links to folders could leave the root or form cycles.
            let isPlain = FilePath(ProcessEnvironment.absolutePath(path)) == FilePath(path)
            return isPlain ? (root, path) : nil
        }
        return nil
    }
}
#endif
