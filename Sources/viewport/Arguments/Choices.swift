public import ArgumentParser
public import Logging
internal import PyramidExport
public import Resampling
public import Thumbnails
public import ViewportGeometry
public import ViewportRendering

extension ContentMode: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
extension ResamplingKernel: ExpressibleByArgument {}
extension RenderOptions.ColorMode: ExpressibleByArgument {}

extension PictureFormat: ExpressibleByArgument, Explained {
    public init?(argument: String) {
        self.init(fileExtension: argument)
    }

    /// In help those that can be written here: finding out takes longer than a picture.
    public static var allValueStrings: [String] {
        (HelpRequest.isMade ? installed : allCases).map(\.rawValue)
    }

    static var understood: String { "one of " + installed.map(\.rawValue).joined(separator: ", ") }
    static var example: String { "png" }
    static func fault(in text: String) -> String? { "no format that is written here" }
}

extension Color: ExpressibleByArgument, Explained {
    public init?(argument: String) {
        self.init(css: argument)
    }

    public var defaultValueDescription: String {
        self == .transparent ? "transparent" : "rgba(\(red * 255), \(green * 255), \(blue * 255), \(alpha))"
    }

    static var understood: String { "a CSS color by name, as #rrggbb or as rgba(r, g, b, a), or transparent" }
    static var example: String { "navy" }
    static func fault(in text: String) -> String? { "no CSS color" }
}

extension PyramidLayout: ExpressibleByArgument {}
extension MetadataChoice: ExpressibleByArgument {}

extension TileFormat: ExpressibleByArgument {
    /// "jpg", and ".jpg" as `vips dzsave` takes it.
    package init?(argument: String) {
        let name = argument.hasPrefix(".") ? argument.dropFirst() : argument[...]
        guard let format = PictureFormat(fileExtension: String(name)) else { return nil }
        self.init(rawValue: format.rawValue)
    }
}

extension CropMode: ExpressibleByArgument {
    /// "center" is what it is called everywhere else; libvips' "centre" is understood too.
    public init?(argument: String) {
        self.init(rawValue: argument == "center" ? "centre" : argument)
    }

    public static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }

    public var defaultValueDescription: String { self == .center ? "center" : rawValue }
}

extension ThumbnailRecipe.Color: ExpressibleByArgument {}

extension ThumbnailRecipe.Frames: ExpressibleByArgument, Explained {
    public init?(argument: String) { self.init(argument) }

    static var understood: String { "first, all or the number of a frame from 0" }
    static var example: String { "all" }
}

extension ThumbnailSize: ExpressibleByArgument, Explained {
    public init?(argument: String) {
        guard let size = try? ThumbnailSize(argument.lowercased()) else { return nil }
        self = size
    }

    static var understood: String {
        "W, WxH, Wx or xH in pixels from \(range.lowerBound) to \(range.upperBound), with ! (exactly), > or < behind it"
    }
    static var example: String { "1024x768" }
}

extension Shard: ExpressibleByArgument, Explained {
    package init?(argument: String) { self.init(parsing: argument) }

    static var understood: String { "i/n, where i counts from 0 and is below n" }
    static var example: String { "0/16" }
}

/// Whether the process was asked for help: only then help may cost time.
enum HelpRequest {
    static let isMade = !Set(CommandLine.arguments.dropFirst()).isDisjoint(with: [
        "help", "--help", "-h", "-help",
    ])
}
