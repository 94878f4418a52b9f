package import Files

/// The kind of a file, which keeps one kind from being replaced by another.
///
/// Types that users write in place of each other are of one kind.
package enum OutputKind: String, Sendable {
    case png = "a PNG picture"
    case jpeg = "a JPEG picture"
    case webp = "a WebP picture"
    case gif = "a GIF picture"
    case heif = "an AVIF or HEIF picture"
    case tiff = "a TIFF picture"
    case jp2 = "a JPEG 2000 picture"
    case movie = "an MP4 or QuickTime film"
    case matroska = "a Matroska or WebM film"
    case zip = "a ZIP archive"
    case pdf = "a PDF document"
    case xml = "an XML file"
    case lines = "a file of JSON"
    case sidecar = "a sidecar"
    case other = "a file of another kind"

    package init(_ type: FileType?) {
        self =
            switch type?.name {
            case "png": .png
            case "jpeg": .jpeg
            case "webp": .webp
            case "gif": .gif
            case "heif", "avif": .heif
            case "tiff": .tiff
            case "jp2": .jp2
            case "mp4", "mov": .movie
            case "mkv", "webm": .matroska
            case "zip": .zip
            case "pdf": .pdf
            case "xml", "svg", "xmp": .xml
            case "json": .lines
            case "viewport": .sidecar
            default: .other
            }
    }
}

extension Output {
    /// - Parameters:
    ///   - inputs: The files that are read, "-" for standard input.
    ///   - overwrites: Whether a file of the same kind that this program did not make may be replaced.
    ///   - isOwn: Whether the file at a path was made by this program and is unchanged.
    package init(
        _ path: String, _ kind: OutputKind, inputs: [String], overwrites: Bool,
        isOwn: @escaping @Sendable (String) -> Bool
    ) {
        self.init(path, kind, overwrites: overwrites, isOwn: isOwn) { file in
            inputs.contains { FileIdentity($0) == file }
        }
    }

    /// Makes an output for inputs that are too many for a list.
    package init(
        _ path: String, _ kind: OutputKind, overwrites: Bool, isOwn: @escaping @Sendable (String) -> Bool,
        isInput: @escaping @Sendable (FileIdentity) -> Bool
    ) {
        self.init(
            path, kind: kind.rawValue, recognizing: { OutputKind(FileType(head: $0)).rawValue },
            overwrites: overwrites, isOwn: isOwn, isInput: isInput)
    }
}
