internal import Files

/// The files of a folder that tell about others: `photo.jpg.xmp`, and where there is none `photo.xmp`.
struct Sidecars {
    private var byName: [String: FoundFile.Sidecar] = [:]

    init(_ entries: [Folder.Entry], _ prefix: String) {
        for entry in entries {
            guard Self.isSidecar(entry.name), case .file(let status) = entry.kind else { continue }
            byName[String(entry.name.dropLast(4))] = FoundFile.Sidecar(
                path: prefix + entry.name, bytes: status.size, modified: status.modified)
        }
    }

    static func isSidecar(_ name: String) -> Bool { name.hasSuffix(".xmp") || name.hasSuffix(".XMP") }

    func sidecar(of name: String) -> FoundFile.Sidecar? {
        byName.isEmpty ? nil : byName[name] ?? byName[Self.base(of: name)]
    }

    /// A name without its extension.
    static func base(of name: String) -> String {
        name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }
}
