/// The format of a file, told by its bytes and, where those leave it open, by its name.
public enum FileFormat: String, CaseIterable, Sendable {
    case jpeg, png, gif, webp, tiff, heif, avif, jxl, jp2, bmp
    /// What cameras write before any processing.
    case cr2, cr3, nef, arw, dng, raf, orf, rw2, pef, srw
    case mp4, mov, avi, mkv, webm
    case svg, pdf
    case xmp

    public var kind: FileKind {
        switch self {
        case .mp4, .mov, .avi, .mkv, .webm: .video
        case .svg, .pdf: .document
        case .xmp: .sidecar
        default: .photo
        }
    }

    /// Whether it is a camera's own format of unprocessed samples.
    public var isRaw: Bool {
        switch self {
        case .cr2, .cr3, .nef, .arw, .dng, .raf, .orf, .rw2, .pef, .srw: true
        default: false
        }
    }
}

/// What a file is to a library.
public enum FileKind: String, CaseIterable, Sendable {
    case photo, video, document
    /// Metadata of the file beside it.
    case sidecar
}
