internal import Containers
package import Files

/// The images of a folder, and of the folders in it, which a site shows.
package struct SiteFolder: Sendable {
    /// The path of the folder.
    let path: FilePath
    /// The paths of the images in byte order, of any format.
    private(set) var images: [FilePath] = []
    /// The folders that have images, in byte order of their paths.
    private(set) var folders: [SiteFolder] = []
    /// What the site does not show.
    private(set) var left: [SiteError] = []

    /// Lists a folder, without opening files.
    ///
    /// Hidden entries are omitted, and links to folders are not followed.
    ///
    /// - Parameters:
    ///   - isRecursive: Whether to include the folders in it.
    ///   - output: The folder of the site, which may lie in it.
    /// - Throws: `FileError` if the folder cannot be listed.
    package init(_ path: String, isRecursive: Bool, leavingOut output: String) throws(FileError) {
        try self.init(
            FilePath(path), isRecursive: isRecursive, output: FileIdentity(output))
    }

    /// Collects images and folders that are named one by one; what cannot be shown is found when it is opened.
    ///
    /// - Parameters:
    ///   - paths: files, and folders, which are listed.
    ///   - isRecursive: Whether to include the folders in those folders.
    ///   - output: The folder of the site, which may lie in one of them.
    package init(_ paths: [String], isRecursive: Bool, leavingOut output: String) {
        let given = paths.map { FilePath($0.hasSuffix("/") && $0 != "/" ? String($0.dropLast()) : $0) }
        path = Self.common(given)
        let output = FileIdentity(output)
        for path in given {
            guard Folder.isFolder(path.text, followingLinks: true) else {
                if !images.contains(path) { images.append(path) }
                continue
            }
            do throws(FileError) {
                let inner = try SiteFolder(path, isRecursive: isRecursive, output: output)
                if inner.hasEntries { folders.append(inner) }
            } catch {
                left.append(SiteError(path, .unreadable(error)))
            }
        }
    }

    /// Returns the folder that all files are below; "." if there is none.
    private static func common(_ paths: [FilePath]) -> FilePath {
        guard let first = paths.first else { return "." }
        let parents = paths.map { Array($0.names.dropLast()) }
        let shared = parents.dropFirst().reduce(parents[0]) { shared, names in
            zip(shared, names).prefix { $0 == $1 }.map(\.0)
        }
        let text = shared.map(\.text).joined(separator: "/")
        return FilePath(first.isAbsolute ? "/" + text : text.isEmpty ? "." : text)
    }

    private init(_ path: FilePath, isRecursive: Bool, output: FileIdentity?) throws(FileError) {
        self.path = path
        for (name, kind) in try Self.entries(of: path) {
            let inner = path.appending(name)
            switch kind {
            case .file:
                if Self.isPicture(name) { images.append(inner) }
            case .folder:
                guard output == nil || FileIdentity(inner.text) != output else { continue }
                add(inner, isRecursive: isRecursive, output)
            case .link:
                if Folder.isFolder(inner.text, followingLinks: true) {
                    left.append(SiteError(inner, .linkedFolder))
                } else if Self.isPicture(name) {
                    images.append(inner)
                }
            case .other:
                if Self.isPicture(name) { left.append(SiteError(inner, .notAFile)) }
            }
        }
    }

    private mutating func add(_ folder: FilePath, isRecursive: Bool, _ output: FileIdentity?) {
        do throws(FileError) {
            if isRecursive {
                let inner = try SiteFolder(folder, isRecursive: true, output: output)
                if inner.hasEntries { folders.append(inner) }
            } else if try Self.hasPictures(folder) {
                left.append(SiteError(folder, .folder))
            }
        } catch {
            left.append(SiteError(folder, .unreadable(error)))
        }
    }

    /// Whether anything was found, also if none of it can be shown.
    private var hasEntries: Bool { !images.isEmpty || !folders.isEmpty || !left.isEmpty }

    /// The number of images, those in folders included.
    package var imageCount: Int { folders.reduce(images.count) { $0 + $1.imageCount } }

    /// The paths of all images.
    var allImages: [FilePath] { images + folders.flatMap(\.allImages) }

    /// All that is left out.
    package var allLeft: [SiteError] { left + folders.flatMap(\.allLeft) }

    /// The entries that are not hidden, in byte order of their names.
    private static func entries(
        of folder: FilePath
    ) throws(FileError) -> [(name: FilePath, kind: Folder.Entry.Kind)] {
        try Folder.entries(in: folder.text).map { (FilePath($0.name), $0.kind) }
            .filter { !$0.0.isHidden }.sorted { $0.0 < $1.0 }
    }

    /// Whether a folder, or one in it, has pictures or videos.
    private static func hasPictures(_ folder: FilePath) throws(FileError) -> Bool {
        let entries = try entries(of: folder)
        if entries.contains(where: { $0.kind != .folder && isPicture($0.name) }) { return true }
        for entry in entries where entry.kind == .folder {
            if try hasPictures(folder.appending(entry.name)) { return true }
        }
        return false
    }

    private static func isPicture(_ name: FilePath) -> Bool {
        name.fileExtension.map { FileType.scannedExtensions.contains($0.text.lowercased()) } ?? false
    }
}

/// Why a site does not show something in a folder.
package struct SiteError: Error, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// A folder with images, which is not gone into.
        case folder
        case linkedFolder
        case notAFile
        case unreadable(FileError)
    }

    package let path: FilePath
    package let reason: Reason

    init(_ path: FilePath, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

    package var description: String {
        switch reason {
        case .folder: "\(path): is a folder with images"
        case .linkedFolder: "\(path): is a link to a folder, which is not followed"
        case .notAFile: "\(path): is neither a file nor a folder"
        case .unreadable(let error): "\(path): \(error)"
        }
    }
}
