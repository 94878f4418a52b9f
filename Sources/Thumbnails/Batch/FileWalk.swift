internal import Files

/// The files that were named, and the pictures in the folders that were: in the order of the paths' bytes.
struct FileWalk {
    private let isRecursive: Bool
    private let leavingOut: String?
    /// What is still to be looked at, the next one last; a folder has a "/" at its end and passes its part of the
    /// whole on to what is in it.
    private var waiting: [(path: String, part: Double)]
    /// The sum of the parts that wait.
    private var left = 1.0
    /// Those of `waiting` that were named, not found.
    private var named: Int

    init(_ paths: [String], isRecursive: Bool, leavingOut: String?) {
        self.isRecursive = isRecursive
        self.leavingOut = leavingOut.map(ProcessEnvironment.absolutePath)
        named = paths.count
        waiting = paths.reversed().map { ($0, 1 / Double(paths.count)) }
    }

    /// How much of the whole was handed out, as far as the folders that were not looked into yet let it be known.
    var share: Double? { left < 1 ? min(1 - left, 1) : nil }

    mutating func next() -> String? {
        while let (path, part) = waiting.popLast() {
            left -= part
            let isNamed = waiting.count < named
            if isNamed { named = waiting.count }
            guard isRecursive, isNamed ? Folder.isFolder(path, followingLinks: true) : path.hasSuffix("/")
            else {
                return path
            }
            let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
            guard leavingOut == nil || ProcessEnvironment.absolutePath(folder) != leavingOut else { continue }
            guard let names = try? Folder.listing(of: folder) else {
                // Named as it is, so that its result says that it cannot be read.
                return folder
            }
            let prefix = folder == "/" ? "/" : folder == "." ? "" : folder + "/"
            let found = names.reversed().filter { $0.hasSuffix("/") || Self.isPicture($0) }
            if !found.isEmpty { left += part }
            waiting += found.map { (prefix + $0, part / Double(found.count)) }
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
