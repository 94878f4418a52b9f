internal import Files

/// What the ending of a file's name promises, whatever its bytes are.
enum FileEnding {
    /// In small letters; empty for names without one.
    static func of(_ path: String) -> String {
        let name = OutputFile.name(of: path)
        guard let point = name.lastIndex(of: "."), point > name.startIndex else { return "" }
        return name[name.index(after: point)...].lowercased()
    }

    /// Whether people take it for a photo or film: one that cannot be read must not be passed over.
    static func isMedia(_ path: String) -> Bool { media.contains(of(path)) }

    /// Whether the file only tells about another.
    static func isSidecar(_ path: String) -> Bool { sidecars.contains(of(path)) }

    /// Why a file with the ending of a photo or film is none.
    static let fault = "has the ending of a photo or film, but is none that is understood; it may be damaged"

    private static let sidecars: Set = ["xmp", "aae", "thm"]

    private static let media: Set = [
        "jpg", "jpeg", "jpe", "jfif", "jps", "mpo", "png", "gif", "webp", "tif", "tiff", "heic", "heif",
        "hif",
        "avif", "jxl", "jp2", "j2k", "jpf", "jpx", "bmp", "dng",
        // Cameras' own formats.
        "3fr", "ari", "arw", "bay", "cap", "cr2", "cr3", "crw", "dcr", "dcs", "drf", "eip", "erf", "fff",
        "gpr",
        "iiq", "insp", "k25", "kdc", "mdc", "mef", "mos", "mrw", "nef", "nrw", "orf", "ori", "pef", "ptx",
        "pxn",
        "raf", "raw", "rw2", "rwl", "rwz", "sr2", "srf", "srw", "x3f",
        // Films.
        "3g2", "3gp", "360", "asf", "avi", "braw", "crm", "divx", "dv", "f4v", "flv", "insv", "lrv", "m2t",
        "m2ts",
        "m2v", "m4v", "mkv", "mod", "mov", "mp4", "mpe", "mpeg", "mpg", "mts", "mxf", "ogv", "qt", "r3d",
        "rm",
        "rmvb", "tod", "vob", "webm", "wmv",
    ]
}
