public import ArgumentParser
public import Logging
public import Resampling
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

extension TileFormat: ExpressibleByArgument {
    /// "jpg", and ".jpg" as `vips dzsave` takes it.
    package init?(argument: String) {
        let name = argument.hasPrefix(".") ? argument.dropFirst() : argument[...]
        guard let format = PictureFormat(fileExtension: String(name)) else { return nil }
        self.init(rawValue: format.rawValue)
    }
}
