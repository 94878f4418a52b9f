public import ViewportGeometry

extension ScrollView {
    /// The position in an image, independent of the size of the screen.
    ///
    /// It contains the image point at the center, the scale relative to the fitting scale, and the rotation.
    /// A content offset would mean another position in bounds of another size.
    public struct Archive: Equatable, Sendable {
        /// The version that encoding writes; decoding rejects others.
        public static let currentVersion = 1

        /// The image point at the center of the bounds.
        public let center: Point<ImageSpace>
        /// The zoom scale relative to the fitting scale: 1 shows the whole image.
        public let zoom: Double
        /// The clockwise rotation, in degrees.
        public let rotation: Double

        /// Creates an archive; returns nil if a number is not finite or the zoom is not positive.
        public init?(center: Point<ImageSpace>, zoom: Double, rotation: Double = 0) {
            guard center.isFinite, zoom > 0, zoom.isFinite, rotation.isFinite else { return nil }
            self.center = center
            self.zoom = zoom
            self.rotation = rotation
        }
    }

    /// The current position, to be stored and passed to ``restore(_:)`` in bounds of any size.
    public var archive: Archive {
        let middle = convert(Point<ViewSpace>(x: bounds.width / 2, y: bounds.height / 2), to: ImageSpace.self)
        let archive = Archive(
            center: middle, zoom: zoomScale / fittingZoomScale, rotation: contentRotation.degrees)
        // All three are finite in every state that operations can reach.
        return archive ?? Archive(fitting: viewSize)
    }
}

extension ScrollView.Archive {
    /// The whole image at the fitting scale.
    init(fitting size: Size<ImageSpace>) {
        center = Point(x: size.width / 2, y: size.height / 2)
        zoom = 1
        rotation = 0
    }
}

#if !hasFeature(Embedded)
/// The JSON format: `{"version":1,"center":[x,y],"zoom":z,"rotation":degrees}`.
extension ScrollView.Archive: Codable {
    private enum Key: String, CodingKey { case version, center, zoom, rotation }

    /// Decodes the JSON format.
    ///
    /// Throws `DecodingError` for another version or a zoom that is not positive.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.currentVersion else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container,
                debugDescription: "unsupported archive version \(version); only version 1 is supported")
        }
        let archive = Self(
            center: try container.decode(Point<ImageSpace>.self, forKey: .center),
            zoom: try container.decode(Double.self, forKey: .zoom),
            rotation: try container.decodeIfPresent(Double.self, forKey: .rotation) ?? 0)
        guard let archive else {
            throw DecodingError.dataCorruptedError(
                forKey: .zoom, in: container,
                debugDescription: "the zoom is not positive, or a number is not finite")
        }
        self = archive
    }

    /// Encodes the current version of the JSON format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.currentVersion, forKey: .version)
        try container.encode(center, forKey: .center)
        try container.encode(zoom, forKey: .zoom)
        try container.encode(rotation, forKey: .rotation)
    }
}

extension ScrollView.Archive: Hashable {}

#endif

#if !hasFeature(Embedded)
/// The IIIF format: `pct:x,y,w,h` of the IIIF Image API, or `region/size/rotation` for rotated content.
///
/// The region has the aspect ratio of the image: fitting it in bounds of any shape restores center and zoom.
/// A region must be inside the image, so a region close to an edge is moved: it keeps the zoom, but the
/// center is approximate.
extension ScrollView.Archive {
    /// Returns the IIIF format for an image of the size `size`.
    public func iiif(of size: Size<ImageSpace>) -> String {
        guard !size.isEmpty else { return "full" }
        let share = min(1 / zoom, 1)
        let x = min(max(center.x / size.width - share / 2, 0), 1 - share)
        let y = min(max(center.y / size.height - share / 2, 0), 1 - share)
        let length = decimal(share * 100)
        let region =
            share == 1 ? "full" : "pct:\(decimal(x * 100)),\(decimal(y * 100)),\(length),\(length)"
        return rotation == 0 ? region : "\(region)/max/\(decimal(Rotation(degrees: rotation).degrees))"
    }

    /// Creates an archive from an IIIF region or `region/size/rotation`; returns nil for other text.
    ///
    /// Regions are `full`, `square`, `x,y,w,h` and `pct:x,y,w,h`. `size` is the size of the image; the size
    /// in `text` is ignored.
    public init?(iiif text: String, of size: Size<ImageSpace>) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !size.isEmpty, size.isFinite, parts.count == 1 || parts.count == 3 else { return nil }
        guard let region = Self.region(parts[0], size) else { return nil }
        let degrees = parts.count == 3 ? Self.number(parts[2]) : 0
        guard let degrees, degrees >= 0, degrees <= 360, region.width > 0, region.height > 0 else {
            return nil
        }
        self.init(
            center: region.center, zoom: min(size.width / region.width, size.height / region.height),
            rotation: degrees)
    }

    private static func region(_ text: Substring, _ size: Size<ImageSpace>) -> Rect<ImageSpace>? {
        if text == "full" { return Rect(x: 0, y: 0, width: size.width, height: size.height) }
        if text == "square" {
            let side = min(size.width, size.height)
            return Rect(
                x: (size.width - side) / 2, y: (size.height - side) / 2, width: side, height: side)
        }
        let isShare = text.hasPrefix("pct:")
        let fields = (isShare ? text.dropFirst(4) : text).split(
            separator: ",", omittingEmptySubsequences: false)
        let numbers = fields.compactMap(number)
        guard fields.count == 4, numbers.count == 4 else { return nil }
        let (across, down) = isShare ? (size.width / 100, size.height / 100) : (1, 1)
        return Rect(
            x: numbers[0] * across, y: numbers[1] * down, width: numbers[2] * across,
            height: numbers[3] * down)
    }

    /// Parses a number of digits and at most one point, as IIIF allows; `Double` accepts more.
    private static func number(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 40,
            text.utf8.allSatisfy({ $0 == 46 || $0 >= 48 && $0 <= 57 })
        else { return nil }
        return Double(text)
    }

    /// Formats a number from 0 to 360 with up to ten decimals, without an exponent.
    private func decimal(_ value: Double) -> String {
        let scaled = UInt64((min(max(value, 0), 360) * 1e10).rounded())
        let digits = String(scaled % 10_000_000_000)
        let fraction = String(repeating: "0", count: 10 - digits.count) + digits
        let kept = fraction.reversed().drop { $0 == "0" }.reversed()
        return kept.isEmpty ? "\(scaled / 10_000_000_000)" : "\(scaled / 10_000_000_000).\(String(kept))"
    }
}

#endif
