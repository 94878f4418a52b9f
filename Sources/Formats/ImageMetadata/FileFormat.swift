package import Containers

/// The format of a file, recognized by its bytes and, where those are ambiguous, by its file name extension.
public enum FileFormat: String, CaseIterable, Codable, Sendable {
    /// JPEG.
    case jpeg
    /// PNG, animated ones too.
    case png
    /// GIF.
    case gif
    /// WebP.
    case webp
    /// TIFF and BigTIFF.
    case tiff
    /// HEIF with HEVC, as `.heic`.
    case heif
    /// AVIF.
    case avif
    /// JPEG XL.
    case jxl
    /// JPEG 2000.
    case jp2
    /// Windows bitmap.
    case bmp
    /// Canon raw, up to 2018.
    case cr2
    /// Canon raw, since 2018.
    case cr3
    /// Nikon raw.
    case nef
    /// Sony raw.
    case arw
    /// Adobe's raw format, and that of several cameras and phones.
    case dng
    /// Fujifilm raw.
    case raf
    /// Olympus and OM System raw.
    case orf
    /// Panasonic and Leica raw.
    case rw2
    /// Pentax raw.
    case pef
    /// Samsung raw.
    case srw
    /// MP4.
    case mp4
    /// QuickTime.
    case mov
    /// AVI.
    case avi
    /// Matroska.
    case mkv
    /// WebM.
    case webm
    /// SVG.
    case svg
    /// PDF.
    case pdf
    /// An XMP sidecar.
    case xmp

    /// Whether a library shows it as a photo, a video or a document, or reads it beside another file.
    public var kind: FileKind {
        switch type.role {
        case .picture, .raw: .photo
        case .video: .video
        case .document: .document
        case .sidecar, .camera, .other: .sidecar
        }
    }

    /// Whether it is a camera raw format.
    public var isRaw: Bool { type.role == .raw }
}

/// The role of a file in a library.
public enum FileKind: String, CaseIterable, Codable, Sendable {
    /// A photo or another raster image.
    case photo
    /// A video.
    case video
    /// A vector drawing or a document: SVG, PDF.
    case document
    /// Metadata of another file with the same name.
    case sidecar
}

extension FileFormat {
    /// The type of its files.
    package var type: FileType {
        guard let type = FileType.named(rawValue) else { preconditionFailure("the table has no row \(self)") }
        return type
    }

    /// Creates the format of a type; nil for types that a library does not hold.
    package init?(_ type: FileType) { self.init(rawValue: type.name) }

    /// Creates the format of a name in searches: that of a case, or a file name extension.
    package init?(word: String) {
        guard let format = Self(rawValue: word) ?? FileType.ofExtension(word).flatMap(Self.init) else {
            return nil
        }
        self = format
    }

    /// Recognizes a file; nil if the format is not one that a library holds.
    ///
    /// - Parameter name: The file's name, whose extension distinguishes formats with the same first bytes.
    package init?(_ bytes: FileBytes, name: String) {
        guard let type = FileType(bytes, name: name) else { return nil }
        self.init(type == .tiff ? Self.rawType(ofTIFF: bytes, name) ?? type : type)
    }

    /// The raw format of a TIFF: by a tag of DNG, by the extension of the name, or else by the maker of the sensor.
    private static func rawType(ofTIFF bytes: FileBytes, _ name: String) -> FileType? {
        if TIFFBlock(bytes)?.main?.has(0xC612) == true { return .dng }
        let ending = name.split(separator: ".").last.map { FileType.ofExtension(String($0)) } ?? nil
        if let ending, ending.isToldByMaker { return ending }
        let block = TIFFBlock(file: bytes)
        guard block.directories.contains(where: \.isOfSensor),
            let make = block.main?.string(0x010F)?.uppercased()
        else { return nil }
        return FileType.ofMaker(make)
    }
}
