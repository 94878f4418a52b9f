internal import Files

/// The files that were named, and the pictures in the folders that were: in the order of the paths' bytes.
struct FileWalk {
    private let isRecursive: Bool
    private let leavingOut: String?
    private let count: Int
    /// What is still to be looked at, the next one last; a folder has a "/" at its end.
    private var waiting: [String]
    /// Those of `waiting` that were named, not found.
    private var named: Int

    init(_ paths: [String], isRecursive: Bool, leavingOut: String?) {
        self.isRecursive = isRecursive
        self.leavingOut = leavingOut.map(Surroundings.absolutePath)
        count = paths.count
        named = paths.count
        waiting = paths.reversed()
    }

    /// How many of the named paths were begun.
    var share: Double? { count > 1 ? Double(count - named) / Double(count) : nil }

    mutating func next() -> String? {
        while let path = waiting.popLast() {
            let isNamed = waiting.count < named
            if isNamed { named = waiting.count }
            guard isRecursive, isNamed ? Folder.isFolder(path, followingLinks: true) : path.hasSuffix("/")
            else {
                return path
            }
            let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
            guard leavingOut == nil || Surroundings.absolutePath(folder) != leavingOut else { continue }
            guard let names = try? Folder.listing(of: folder) else {
                // Named as it is, so that its result says that it cannot be read.
                return folder
            }
            let prefix = folder == "/" ? "/" : folder == "." ? "" : folder + "/"
            waiting += names.reversed().filter { $0.hasSuffix("/") || Self.isPicture($0) }.map { prefix + $0 }
        }
        return nil
    }

    /// Whether a file's name is that of a picture or a film: other files of a folder are not asked for.
    private static func isPicture(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
        return endings.contains(name[name.index(after: dot)...].lowercased())
    }

    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "hif", "tif",
        "tiff",
        "bmp", "ico", "svg", "svgz", "pdf", "jp2", "j2k", "jpx", "jxl", "ppm", "pgm", "pbm", "pnm", "pfm",
        "hdr",
        "exr", "psd", "tga", "fits", "fit", "v", "svs", "ndpi", "scn", "mrxs", "vms", "bif",
        "dng", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "raf", "orf", "rw2", "pef", "srw", "x3f",
        "3fr",
        "mp4", "m4v", "mov", "avi", "mkv", "webm", "mts", "m2ts", "3gp", "mpg", "mpeg", "wmv",
    ]
}
