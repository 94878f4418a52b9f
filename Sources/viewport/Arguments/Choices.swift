public import ArgumentParser
public import Logging
public import Resampling
public import Thumbnails
public import ViewportGeometry
public import ViewportRendering

extension ContentMode: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
extension ResamplingKernel: ExpressibleByArgument {}
extension RenderOptions.ColorMode: ExpressibleByArgument {}

extension PictureFormat: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(fileExtension: argument)
    }
}

extension Color: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(css: argument)
    }

    public var defaultValueDescription: String {
        self == .transparent ? "transparent" : "rgba(\(red * 255), \(green * 255), \(blue * 255), \(alpha))"
    }
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

extension CropMode: ExpressibleByArgument {}
extension ThumbnailRecipe.Color: ExpressibleByArgument {}

extension ThumbnailRecipe.Frames: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension ThumbnailSize: ExpressibleByArgument {
    public init?(argument: String) {
        guard let size = try? ThumbnailSize(argument) else { return nil }
        self = size
    }
}

extension Shard: ExpressibleByArgument {
    package init?(argument: String) { self.init(parsing: argument) }
}
