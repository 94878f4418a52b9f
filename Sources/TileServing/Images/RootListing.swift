internal import Basics
internal import Files
internal import ViewportRendering
internal import Vips

/// The images below the roots, by their names: nothing is opened.
struct RootListing: Sendable {
    private let roots: ImageRoots

    init(_ roots: ImageRoots) {
        self.roots = roots
    }

    private static let endings: Set<Substring> = [
        "jpg", "jpeg", "png", "tif", "tiff", "webp", "gif", "avif", "heic", "heif", "jp2", "jxl", "svs",
        "svg", "pdf",
    ]

    /// Identifiers in the order of their names.
    ///
    /// - Parameter others: paths of roots that are left out.
    func identifiers(atMost limit: Int, except others: Set<String> = []) async -> [String] {
        let found = try? await BlockingExecutor.shared.run {
            var found: [String] = []
            for root in self.roots.all where !others.contains(root.path) {
                guard root.isFolder else {
                    found.append(root.name)
                    continue
                }
                self.collect(
                    root.path, root.name.isEmpty ? "" : root.name + "/", limit, depth: 0, into: &found)
            }
            return found
        }
        return found ?? []
    }

    private func collect(
        _ folder: String, _ prefix: String, _ limit: Int, depth: Int, into found: inout [String]
    ) {
        guard depth < 8 else { return }
        for name in Folder.names(in: folder).sorted() where !name.hasPrefix(".") {
            guard found.count < limit else { return }
            let path = "\(folder)/\(name)"
            if FileStatus(path) == nil {
                // Links to folders could lead out of the root, or round and round.
                if ProcessEnvironment.absolutePath(path) == path {
                    collect(path, "\(prefix)\(name)/", limit, depth: depth + 1, into: &found)
                }
            } else if let dot = name.lastIndex(of: "."),
                Self.endings.contains(name[name.index(after: dot)...].lowercased()[...])
            {
                found.append(prefix + name)
            }
        }
    }
}
