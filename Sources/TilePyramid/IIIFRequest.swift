/// What an image server is asked for: `{region}/{size}/{rotation}/{quality}.{format}`.
///
/// Values as they are written, before anything of the image is known. They are applied in this order: region,
/// size, mirroring, rotation, quality, format. Source: IIIF Image API 3.0 and 2.1, section 4.
public struct IIIFRequest: Hashable, Sendable {
    /// The part of the image.
    public enum Region: Hashable, Sendable {
        case full
        /// The largest square, in the middle.
        case square
        /// Full-resolution pixels.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// Percentages of the image's width and height.
        case percent(x: Double, y: Double, width: Double, height: Double)
    }

    /// The size that the region is scaled to.
    public enum Scale: Hashable, Sendable {
        /// As large as the server gives.
        case max
        /// 2.1 only: as large as the region.
        case full
        case width(Int)
        case height(Int)
        case percent(Double)
        case exact(width: Int, height: Int)
        /// As large as fits, in the region's own shape.
        case within(width: Int, height: Int)
    }

    /// A scale, and whether the region may be enlarged to reach it, which 3.0 writes as "^".
    public struct Size: Hashable, Sendable {
        public var scale: Scale
        public var mayEnlarge: Bool

        public init(_ scale: Scale, mayEnlarge: Bool = false) {
            self.scale = scale
            self.mayEnlarge = mayEnlarge
        }
    }

    /// A turn clockwise, after mirroring left to right.
    public struct Rotation: Hashable, Sendable {
        /// 0 up to 360.
        public var degrees: Double
        public var isMirrored: Bool

        public init(degrees: Double = 0, isMirrored: Bool = false) {
            self.degrees = degrees
            self.isMirrored = isMirrored
        }
    }

    /// What becomes of the colors.
    public enum Quality: String, Hashable, Sendable, CaseIterable {
        case `default`, color, gray, bitonal
    }

    public var region: Region
    public var size: Size
    public var rotation: Rotation
    public var quality: Quality
    /// The ending, without a dot.
    public var format: String

    public init(
        region: Region = .full, size: Size = Size(.max), rotation: Rotation = Rotation(),
        quality: Quality = .default, format: String
    ) {
        self.region = region
        self.size = size
        self.rotation = rotation
        self.quality = quality
        self.format = format
    }
}
