/// A format that pictures are written in.
public enum PictureFormat: String, CaseIterable, Sendable {
    case png, jpg, webp, avif, tif

    /// The format of a file name's extension, in any case and with its usual variants.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg", "jpe": self = .jpg
        case "webp": self = .webp
        case "avif": self = .avif
        case "tif", "tiff": self = .tif
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
    var saver: String {
        switch self {
        case .png: "pngsave"
        case .jpg: "jpegsave"
        case .webp: "webpsave"
        case .avif: "heifsave"
        case .tif: "tiffsave"
        }
    }
}
