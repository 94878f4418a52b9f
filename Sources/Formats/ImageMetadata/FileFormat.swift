internal import Basics

/// The format of a file, recognized by its bytes and, where those are ambiguous, by its file name extension.
public enum FileFormat: String, CaseIterable, Sendable {
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

    /// The role of the file in a library.
    public var kind: FileKind {
        switch self {
        case .mp4, .mov, .avi, .mkv, .webm: .video
        case .svg, .pdf: .document
        case .xmp: .sidecar
        default: .photo
        }
    }

    /// Whether it is a camera raw format.
    public var isRaw: Bool {
        switch self {
        case .cr2, .cr3, .nef, .arw, .dng, .raf, .orf, .rw2, .pef, .srw: true
        default: false
        }
    }
}

/// The role of a file in a library.
public enum FileKind: String, CaseIterable, Sendable {
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
    /// Recognizes a file; nil if the format is not one that a library holds.
    ///
    /// - Parameter name: The file's name, whose extension distinguishes formats with the same first bytes.
    package init?(_ bytes: FileBytes, name: String) {
        let ending = name.split(separator: ".").last?.lowercased() ?? ""
        switch bytes.uint8(at: 0) {
        case 0xFF where bytes.uint16(at: 0) == 0xFFD8: self = .jpeg
        case 0xFF where bytes.uint16(at: 0) == 0xFF0A: self = .jxl
        case 0x89 where bytes.uint64(at: 0, .little) == 0x0A1A_0A0D_474E_5089: self = .png
        case 0x47 where bytes.has("GIF87a") || bytes.has("GIF89a"): self = .gif
        case 0x52 where bytes.has("RIFF") && bytes.has("WEBP", at: 8): self = .webp
        case 0x52 where bytes.has("RIFF") && bytes.has("AVI ", at: 8): self = .avi
        case 0x42 where bytes.has("BM") && bytes.uint32(at: 6) == 0: self = .bmp
        case 0x46 where bytes.has("FUJIFILMCCD-RAW "): self = .raf
        case 0x49, 0x4D:
            guard let format = Self(tiff: bytes, ending) else { return nil }
            self = format
        case 0x1A where bytes.uint32(at: 0) == 0x1A45_DFA3:
            // The document type is in the first bytes of the file.
            let header = bytes.extracting(0..<min(bytes.count, 64))
            self = header.firstIndex(of: "webm") != nil ? .webm : .mkv
        case 0x25 where bytes.has("%PDF-"): self = .pdf
        default:
            guard let format = Self(boxes: bytes) ?? Self(text: bytes, ending) else { return nil }
            self = format
        }
    }

    private init?(tiff bytes: FileBytes, _ ending: String) {
        switch bytes.uint32(at: 0) {
        case 0x4949_524F, 0x4949_5253, 0x4D4D_4F52: self = .orf
        case 0x4949_5500: self = .rw2
        case 0x4949_2A00 where bytes.has("CR", at: 8): self = .cr2
        // The last two are for files with 64-bit offsets.
        case 0x4949_2A00, 0x4D4D_002A, 0x4949_2B00, 0x4D4D_002B:
            if let block = TIFFBlock(bytes), let main = block.main, main.has(0xC612) {
                self = .dng
                return
            }
            switch ending {
            case "nef", "nrw": self = .nef
            case "arw", "sr2": self = .arw
            case "pef": self = .pef
            case "srw": self = .srw
            default: self = Self(sensorDataIn: bytes) ?? .tiff
            }
        default: return nil
        }
    }

    /// The raw format of a TIFF with the data of a sensor, by its maker; nil for other files and makers.
    private init?(sensorDataIn bytes: FileBytes) {
        let block = TIFFBlock(file: bytes)
        guard block.directories.contains(where: \.isOfSensor),
            let make = block.main?.string(0x010F)?.uppercased()
        else { return nil }
        let makers: [(String, Self)] = [
            ("NIKON", .nef), ("SONY", .arw), ("PENTAX", .pef), ("RICOH", .pef), ("SAMSUNG", .srw),
        ]
        guard let format = makers.first(where: { make.hasPrefix($0.0) })?.1 else { return nil }
        self = format
    }

    /// The format of a file of boxes, by the brands of the first box.
    private init?(boxes bytes: FileBytes) {
        guard let length = bytes.uint32(at: 0) else { return nil }
        if bytes.has("ftyp", at: 4) {
            guard let format = Self(brands: bytes.extracting(0..<min(length, 256, bytes.count))) else {
                return nil
            }
            self = format
        } else if length == 12, bytes.has("JXL ", at: 4) {
            self = .jxl
        } else if length == 12, bytes.has("jP  ", at: 4) {
            self = .jp2
        } else if bytes.uint32(at: 0) == 0xFF4F_FF51 {
            // A codestream without boxes.
            self = .jp2
        } else if ["moov", "mdat", "wide", "free", "skip", "pnot"].contains(bytes.slice(4, 4)?.text) {
            self = .mov
        } else {
            return nil
        }
    }

    private init?(brands box: FileBytes) {
        var format: Self?
        for offset in stride(from: 8, to: box.count - 3, by: 4) where offset != 12 {
            switch box.slice(offset, 4)?.text {
            case "avif", "avis":
                self = .avif
                return
            case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": format = .heif
            case "crx": format = .cr3
            case "qt": format = format ?? .mov
            default: format = format ?? (offset == 8 ? nil : .mp4)
            }
        }
        self = format ?? .mp4
    }

    private init?(text bytes: FileBytes, _ ending: String) {
        let start = bytes.extracting(0..<min(bytes.count, 1024))
        if ending == "xmp", start.firstIndex(of: "<") != nil {
            self = .xmp
        } else if start.firstIndex(of: "<svg") != nil {
            self = .svg
        } else {
            return nil
        }
    }
}
