public import ImageMetadata
public import Pictures

/// A gain map that was cropped, scaled and turned as a picture was.
public struct RenderedGainMap: Hashable, Sendable {
    /// The samples of the map: gray or color, 8 bits.
    public package(set) var picture: Picture
    /// The numbers that turn the samples into factors.
    public let values: GainMapValues

    package init(picture: Picture, values: GainMapValues) {
        self.picture = picture
        self.values = values
    }
}

extension RenderedGainMap: CustomStringConvertible {
    /// The description of its picture.
    public var description: String { "gain map of \(picture)" }
}
