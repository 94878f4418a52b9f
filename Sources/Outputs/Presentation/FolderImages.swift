internal import Basics
internal import Containers
package import Files

/// The order of names that people expect: `page 2` before `page 10`.
package enum NaturalOrder {
    /// Returns names in natural order; names that differ only in case or zeros are sorted by bytes.
    package static func sorted(_ names: [String]) -> [String] {
        names.map { (name: $0, bytes: Array($0.utf8)) }.sorted { isBefore($0.bytes, $1.bytes) }.map(\.name)
    }

    static func isBefore(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            if isDigit(a[i]), isDigit(b[j]) {
                let (first, second) = (digits(a, &i), digits(b, &j))
                if first.count != second.count { return first.count < second.count }
                if !first.elementsEqual(second) { return first.lexicographicallyPrecedes(second) }
            } else {
                let (first, second) = (folded(a[i]), folded(b[j]))
                if first != second { return first < second }
                i += 1
                j += 1
            }
        }
        if (i < a.count) != (j < b.count) { return j < b.count }
        return a.lexicographicallyPrecedes(b)
    }

    /// Takes the digits of a number, without leading zeros.
    private static func digits(_ bytes: [UInt8], _ at: inout Int) -> ArraySlice<UInt8> {
        let start = at
        while at < bytes.count, isDigit(bytes[at]) { at += 1 }
        return bytes[start..<at].drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    private static func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte + 0x20 : byte }
}

/// The images of a folder and of the folders in it, in natural order, with the identifiers that a server of the folder has.
package struct FolderImages: Sendable {
    /// The path below the first folder, empty for itself.
    package var identifier: String
    /// The identifiers of its own images.
    package var images: [String] = []
    package var folders: [FolderImages] = []

    /// Lists a folder.
    ///
    /// Hidden files, and links that lead out of the folder, to folders or to hidden files, are left out, as a server does. Folders in it that
    /// cannot be read are left out, too.
    package init(of path: String, isRecursive: Bool) throws(FileError) {
        try self.init(path, "", below: FilePath(ProcessEnvironment.absolutePath(path)), isRecursive)
    }

    private init(
        _ path: String, _ identifier: String, below root: FilePath, _ isRecursive: Bool
    ) throws(FileError) {
        self.identifier = identifier
        let entries = try Folder.entries(in: path).filter {
            EntryScope.visible.includes(FilePath($0.name), in: FilePath(path))
        }
        let prefix = identifier.isEmpty ? "" : "\(identifier)/"
        images = NaturalOrder.sorted(
            entries.filter { entry in
                guard let ending = FilePath(entry.name).fileExtension?.text.lowercased(),
                    FileType.listedExtensions.contains(ending)
                else { return false }
                switch entry.kind {
                case .file: return true
                case .link:
                    let target = "\(path)/\(entry.name)"
                    let below = FilePath(ProcessEnvironment.absolutePath(target)).below(root)
                    return FileStatus(target) != nil && below?.names.contains(where: \.isHidden) == false
                default: return false
                }
            }.map(\.name)
        ).map { prefix + $0 }
        guard isRecursive else { return }
        for name in NaturalOrder.sorted(entries.filter { $0.kind == .folder }.map(\.name)) {
            let folder = try? FolderImages("\(path)/\(name)", prefix + name, below: root, true)
            if let folder, !folder.isEmpty { folders.append(folder) }
        }
    }

    private var isEmpty: Bool { images.isEmpty && folders.isEmpty }

    /// All identifiers: of each folder its own images, then those of its folders.
    package var all: [String] { images + folders.flatMap(\.all) }

    /// Returns the ranges of the folders in it.
    ///
    /// - Parameters:
    ///   - id: Returns the id of the range of a folder.
    ///   - canvases: Returns the ids of the canvases of an image; none for images that are left out.
    package func ranges(
        _ id: (String) -> String, canvases: (String) -> [String]
    ) -> [ManifestRange] {
        folders.map { folder in
            ManifestRange(
                id: id(folder.identifier),
                label: ManifestText(PathText.shown(FilePath(folder.identifier).name.text)),
                canvases: folder.images.flatMap(canvases), ranges: folder.ranges(id, canvases: canvases))
        }
    }
}
