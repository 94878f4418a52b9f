public import ViewportGeometry

/// A request of the IIIF Image API, resolved for an image of known size.
public struct IIIFPicture: Hashable, Sendable {
    /// The region of the image, in full-resolution pixels, clipped to the image.
    public var region: PixelRect<UprightGrid>
    /// The size that the region is scaled to, in pixels, before it is rotated.
    public var size: PixelSize<UprightGrid>
    /// The rotation of the scaled region.
    public var rotation: IIIFRequest.Rotation
    /// The colors of the picture.
    public var quality: IIIFRequest.Quality
    /// The file name extension of the format, without a dot.
    public var format: String
    /// The path of the request in its canonical form, by which caches find equal requests.
    public var canonicalPath: String

    /// Creates a tile: a region of the image scaled to a size.
    public init(tile region: PixelRect<UprightGrid>, size: PixelSize<UprightGrid>, format: String) {
        self.region = region
        self.size = size
        rotation = IIIFRequest.Rotation()
        quality = .default
        self.format = format
        canonicalPath =
            "\(region.x),\(region.y),\(region.width),\(region.height)/\(size.width),\(size.height)/0/default.\(format)"
    }

    /// Whether the region is returned unscaled, without rotation or changed colors.
    public var isCrop: Bool {
        size.width == region.width && size.height == region.height && isPlain
    }

    /// Whether the region is only scaled, without rotation or changed colors.
    public var isPlain: Bool {
        rotation == IIIFRequest.Rotation() && (quality == .default || quality == .color)
    }
}

extension IIIFPicture: CustomStringConvertible {
    /// The canonical form of the request.
    public var description: String { canonicalPath }
}

extension IIIFRequest {
    /// Resolves the request for an image of a size.
    ///
    /// - Throws: `IIIFError` if the region is outside of the image, or the picture would be too small, too large or
    ///   enlarged without "^".
    public func resolved(
        for image: PixelSize<UprightGrid>, _ limits: IIIFLimits, version: IIIFInformation.Version = .three
    ) throws(IIIFError) -> IIIFPicture {
        guard !image.isEmpty else { throw .badRequest("the image has no pixels") }
        let region = try region.rect(in: image)
        let isCounted = if case .percent = self.region { false } else { true }
        let size = try size.size(
            of: region, limits, version, slack: isCounted ? 0 : 1)
        var picture = IIIFPicture(tile: region, size: size, format: format)
        picture.rotation = rotation
        if rotation.degrees == 360 { picture.rotation.degrees = 0 }
        picture.quality = quality
        let sizeText = Self.canonical(size, of: region, in: image, limits, version)
        let regionText = region == PixelRect(image) ? Region.full : region.written
        picture.canonicalPath = "\(regionText)/\(sizeText)/\(picture.rotation)/\(quality.rawValue).\(format)"
        return picture
    }

    /// Source: 3.0, section 4.7; 2.1, section 4.7.
    private static func canonical(
        _ size: PixelSize<UprightGrid>, of region: PixelRect<UprightGrid>, in image: PixelSize<UprightGrid>,
        _ limits: IIIFLimits, _ version: IIIFInformation.Version
    ) -> String {
        let (shape, exact) = (region.size, "\(size.width),\(size.height)")
        guard version == .three else {
            if size == shape { return "full" }
            let height = Scale.rounded(Double(size.width) * Double(shape.height) / Double(shape.width))
            return height == size.height ? "\(size.width)," : exact
        }
        if size == limits.largest(of: shape, mayEnlarge: false) { return "max" }
        let isEnlarged = size.width > shape.width || size.height > shape.height
        if isEnlarged, size == limits.largest(of: shape, mayEnlarge: true) { return "^max" }
        return isEnlarged ? "^" + exact : exact
    }
}

extension PixelRect where Grid == UprightGrid {
    fileprivate var written: IIIFRequest.Region { .pixels(x: x, y: y, width: width, height: height) }
}

extension IIIFRequest.Region {
    fileprivate func rect(in image: PixelSize<UprightGrid>) throws(IIIFError) -> PixelRect<UprightGrid> {
        let whole = PixelRect(image)
        let asked: PixelRect<UprightGrid>
        switch self {
        case .full:
            return whole
        case .square:
            let side = min(image.width, image.height)
            return PixelRect(
                x: (image.width - side) / 2, y: (image.height - side) / 2, width: side, height: side)
        case .pixels(let x, let y, let width, let height):
            // The far edge must not overflow.
            asked = PixelRect(
                x: x, y: y, width: min(width, .max - max(x, 0)), height: min(height, .max - max(y, 0)))
        case .percent(let x, let y, let width, let height):
            let values = [
                x * Double(image.width), y * Double(image.height), width * Double(image.width),
                height * Double(image.height),
            ].map { IIIFRequest.Scale.rounded($0 / 100) }
            asked = PixelRect(x: values[0], y: values[1], width: values[2], height: values[3])
        }
        guard asked.width > 0, asked.height > 0 else {
            throw .badRequest("the region \(self) has no pixels")
        }
        guard let rect = asked.intersection(whole) else {
            throw .badRequest(
                "the region \(self) lies outside of the image, which has \(image.width) x \(image.height) pixels"
            )
        }
        return rect
    }
}

extension IIIFRequest.Size {
    /// - Parameter slack: The pixels by which an exact size may exceed its region without counting as enlarged.
    fileprivate func size(
        of region: PixelRect<UprightGrid>, _ limits: IIIFLimits, _ version: IIIFInformation.Version,
        slack: Int
    ) throws(IIIFError) -> PixelSize<UprightGrid> {
        guard !mayEnlarge || limits.allowsEnlarging else {
            throw .notImplemented("size \(self) can enlarge the image, which this server does not allow")
        }
        let mayGrow = mayEnlarge || version == .two && limits.allowsEnlarging
        let size = scale.size(of: region.size, limits, mayEnlarge: mayEnlarge)
        guard size.width >= 1, size.height >= 1 else {
            throw .badRequest("the size \(self) leaves no pixel of the region")
        }
        guard mayGrow || size.width <= region.width + slack && size.height <= region.height + slack else {
            throw .badRequest(
                "the size \(self) is larger than the region, which has \(region.width) x \(region.height) pixels; "
                    + (version == .three ? "write ^\(self) to enlarge it" : "ask for less"))
        }
        guard limits.allow(size) else {
            throw .badRequest(
                "the size \(self) is \(size.width) x \(size.height) pixels, and this server gives \(limits.area) at most"
            )
        }
        return size
    }
}

extension IIIFRequest.Scale {
    /// Rounds to nearest, halves up, as clients and other servers do, so that tiles have the same positions.
    ///
    /// The result is clamped to 0 up to 10^12; NaN gives 0.
    static func rounded(_ value: Double) -> Int { whole(value + 0.5) }

    fileprivate static func whole(_ value: Double) -> Int {
        value >= 0 ? Int(min(value, 1e12).rounded(.down)) : 0
    }

    fileprivate func size(
        of region: PixelSize<UprightGrid>, _ limits: IIIFLimits, mayEnlarge: Bool
    ) -> PixelSize<UprightGrid> {
        let (width, height) = (Double(region.width), Double(region.height))
        switch self {
        case .max: return limits.largest(of: region, mayEnlarge: mayEnlarge)
        case .full: return region
        case .width(let asked):
            return PixelSize(width: asked, height: Self.rounded(height * Double(asked) / width))
        case .height(let asked):
            return PixelSize(width: Self.rounded(width * Double(asked) / height), height: asked)
        case .percent(let percent):
            return PixelSize(
                width: Self.rounded(width * percent / 100), height: Self.rounded(height * percent / 100))
        case .exact(let askedWidth, let askedHeight):
            return PixelSize(width: askedWidth, height: askedHeight)
        case .within(let askedWidth, let askedHeight):
            let fit = min(Double(askedWidth) / width, Double(askedHeight) / height)
            let factor = mayEnlarge ? fit : min(fit, 1)
            return PixelSize(width: Self.rounded(width * factor), height: Self.rounded(height * factor))
        }
    }
}

/// The limits of the pictures that an image server returns.
///
/// Source: IIIF Image API 3.0, section 5.3.
public struct IIIFLimits: Hashable, Codable, Sendable {
    /// The maximum number of pixels of a picture.
    public var area: Int
    /// The maximum length of a side of a picture, in pixels.
    public var side: Int
    /// Whether a picture may have more pixels than its region.
    public var allowsEnlarging: Bool

    /// Creates limits, in pixels.
    public init(area: Int, side: Int = 65500, allowsEnlarging: Bool = true) {
        self.area = area
        self.side = side
        self.allowsEnlarging = allowsEnlarging
    }

    /// Returns whether a picture of a size is within the limits.
    public func allow(_ size: PixelSize<UprightGrid>) -> Bool {
        guard size.width <= side, size.height <= side else { return false }
        let (pixels, isTooLarge) = size.width.multipliedReportingOverflow(by: size.height)
        return !isTooLarge && pixels <= area
    }

    /// Returns the largest size within the limits that has the aspect ratio of a region.
    func largest(of region: PixelSize<UprightGrid>, mayEnlarge: Bool) -> PixelSize<UprightGrid> {
        let (width, height) = (Double(region.width), Double(region.height))
        let most = min(
            Double(side) / width, Double(side) / height, (Double(area) / (width * height)).squareRoot())
        guard mayEnlarge || most < 1 else { return region }
        return PixelSize(
            width: max(1, IIIFRequest.Scale.whole(width * most)),
            height: max(1, IIIFRequest.Scale.whole(height * most)))
    }
}
