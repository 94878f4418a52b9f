internal import ViewportGeometry

/// A format that pictures are written in.
public enum PictureFormat: String, CaseIterable, Sendable {
    case png, jpg, webp, avif, tif, gif, jp2

    /// The format of a file name's extension, in any case and with its usual variants.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg", "jpe": self = .jpg
        case "webp": self = .webp
        case "avif": self = .avif
        case "tif", "tiff": self = .tif
        case "gif": self = .gif
        case "jp2", "j2k": self = .jp2
        default: return nil
        }
    }

    /// Whether it can hold transparency.
    public var hasAlpha: Bool { self != .jpg }

    /// Whether it can hold 16 bits a sample.
    public var isDeep: Bool { self == .png || self == .tif }

    /// Whether it can hold CMYK.
    public var hasCMYK: Bool { self == .jpg || self == .tif }

    /// libvips' saver for files of the format.
    package var saver: String {
        switch self {
        case .png: "pngsave"
        case .jpg: "jpegsave"
        case .webp: "webpsave"
        case .avif: "heifsave"
        case .tif: "tiffsave"
        case .gif: "gifsave"
        case .jp2: "jp2ksave"
        }
    }
}

extension PictureFormat {
    /// The formats that can be written here; what libvips lacks a library for is left out.
    package static let installed: [PictureFormat] = allCases.filter { format in
        let probe = Picture(
            size: PixelSize(width: 16, height: 16), bands: 3, depth: 8, hasAlpha: false, profile: nil,
            interpretation: "srgb", bytes: [UInt8](repeating: 128, count: 16 * 16 * 3))
        return (try? PictureEncoder(format).encode(probe)) != nil
    }
}
