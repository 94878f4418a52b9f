public import ArgumentParser
public import Resampling
public import ViewportGeometry
public import ViewportRendering

extension ContentMode: ExpressibleByArgument {}
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
}
