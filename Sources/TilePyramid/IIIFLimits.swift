public import ViewportGeometry

/// How large a picture an image server gives.
///
/// Source: IIIF Image API 3.0, section 5.3.
public struct IIIFLimits: Hashable, Sendable {
    /// The most pixels of a picture.
    public var area: Int
    /// The longest side of a picture.
    public var side: Int
    /// Whether a picture may have more pixels than its region.
    public var allowsEnlarging: Bool

    public init(area: Int, side: Int = 65500, allowsEnlarging: Bool = true) {
        self.area = area
        self.side = side
        self.allowsEnlarging = allowsEnlarging
    }

    /// Whether a picture of a size is given.
    public func allow(_ size: PixelSize<UprightGrid>) -> Bool {
        size.width <= side && size.height <= side && size.area <= area
    }

    /// The largest size of a region's shape that is given.
    func largest(of region: PixelSize<UprightGrid>, mayEnlarge: Bool) -> PixelSize<UprightGrid> {
        let (width, height) = (Double(region.width), Double(region.height))
        let most = min(
            Double(side) / width, Double(side) / height, (Double(area) / (width * height)).squareRoot())
        guard mayEnlarge || most < 1 else { return region }
        return PixelSize(width: max(1, Int(width * most)), height: max(1, Int(height * most)))
    }
}
