internal import Basics
public import ViewportGeometry

/// What a file states about the panorama that it shows: the tags of Google's namespace GPano in XMP.
///
/// Numbers are those of the file; ``area(in:)`` compares them with the size of the picture. Source: Google, "Photo
/// Sphere XMP Metadata".
public struct PanoramaTags: Hashable, Codable, Sendable {
    /// How the sphere is drawn on the picture.
    public enum Projection: String, CaseIterable, Codable, Sendable {
        /// Columns are longitudes, and rows are latitudes.
        case equirectangular
        /// Columns are longitudes, and the height is that of a cylinder around the viewer.
        case cylindrical
    }

    /// How the sphere is drawn on the picture.
    public var projection: Projection
    /// Whether viewers are asked to show the sphere, not the flat picture.
    public var usesViewer = true
    /// The size of the whole panorama in pixels; nil where the file does not state it.
    public var fullSize: PixelSize<UprightGrid>?
    /// The part of the whole panorama that the picture had when it was made; nil where the file does not state it.
    public var croppedArea: PixelRect<UprightGrid>?
    /// The compass direction to look at first, in degrees.
    public var initialHeading: Double?
    /// The angle above the horizon to look at first, in degrees.
    public var initialPitch: Double?
    /// The turn of the first view, in degrees.
    public var initialRoll: Double?
    /// The horizontal field of view of the first view, in degrees.
    public var initialFieldOfView: Double?
    /// The compass direction of the middle of the whole panorama, in degrees.
    public var poseHeading: Double?
    /// The angle of the middle of the whole panorama above the horizon, in degrees.
    public var posePitch: Double?
    /// The turn of the camera, in degrees: positive angles turn the horizon counterclockwise in the picture.
    public var poseRoll: Double?

    /// Creates the tags of a projection, without numbers.
    public init(_ projection: Projection) {
        self.projection = projection
    }
}

extension PanoramaTags {
    /// The whole panorama, and the part of it that a picture shows, in pixels of the whole panorama.
    public struct Area: Hashable, Sendable {
        /// The size of the whole panorama.
        public var full: PixelSize<UprightGrid>
        /// The part that the picture shows.
        public var part: PixelRect<UprightGrid>
    }

    /// Why the tags do not describe a picture.
    public enum Mismatch: Error, Hashable, Sendable, CustomStringConvertible {
        /// The picture has another shape than the part that is stated: it was cropped afterwards.
        case croppedAfterwards(PixelSize<UprightGrid>)
        /// The part is not inside of the whole panorama.
        case outside

        /// The cause, such as "its panorama was 4000x1000 pixels large before it was cropped".
        public var description: String {
            switch self {
            case .croppedAfterwards(let size): "its panorama was \(size) pixels large before it was cropped"
            case .outside: "its cropped area is not inside of the whole panorama"
            }
        }
    }

    /// Returns what the picture shows of the whole panorama.
    ///
    /// Without numbers, the picture is the whole panorama. A picture that was only scaled afterwards shows the stated
    /// part: editors keep the numbers of the original.
    ///
    /// - Parameter size: the upright size of the picture.
    public func area(in size: PixelSize<UprightGrid>) throws(Mismatch) -> Area {
        guard let part = croppedArea ?? fullSize.map(PixelRect.init) else {
            return Area(full: fullSize ?? size, part: PixelRect(size))
        }
        let full = fullSize ?? PixelSize(width: part.maxX, height: part.maxY)
        guard !part.isEmpty, part.x >= 0, part.y >= 0, part.maxX <= full.width, part.maxY <= full.height
        else {
            throw .outside
        }
        // Half a pixel of rounding on either side.
        let across = Double(size.width) / Double(part.width)
        let height = Double(part.height) * across
        guard abs(height - Double(size.height)) <= max(1, across) else {
            throw .croppedAfterwards(part.size)
        }
        return Area(full: full, part: part)
    }
}

extension PanoramaTags {
    /// Returns a packet of XMP that states another area of the sphere.
    ///
    /// - Parameter area: that of the picture; nil states no panorama any more.
    package static func changed(in packet: [UInt8], to area: Area?) -> [UInt8] {
        guard packet.firstIndex(of: "http://ns.google.com/photos/1.0/panorama/") != nil else { return packet }
        guard let area, let changed = try? placed(area, in: packet) else {
            return XMPPacket.leavingOut(of: packet) { $0.hasPrefix("GPano:") }
        }
        return changed
    }

    private static func placed(_ area: Area, in packet: [UInt8]) throws(SidecarFault) -> [UInt8] {
        try stating(values(of: area), in: packet)
    }

    private static func values(of area: Area) -> [(name: String, value: String)] {
        [
            ("FullPanoWidthPixels", area.full.width), ("FullPanoHeightPixels", area.full.height),
            ("CroppedAreaLeftPixels", area.part.x), ("CroppedAreaTopPixels", area.part.y),
            ("CroppedAreaImageWidthPixels", area.part.width),
            ("CroppedAreaImageHeightPixels", area.part.height),
        ].map { ($0.0, "\($0.1)") }
    }

    private static func stating(
        _ values: [(name: String, value: String)], in packet: [UInt8]
    ) throws(SidecarFault) -> [UInt8] {
        var editor = try XMPEditor(packet, of: Set(values.map { "GPano:\($0.name)" }))
        for (name, value) in values { try editor.change("GPano:\(name)", .text(value)) }
        return editor.edited
    }

    /// Returns a packet of XMP that states these tags and nothing else, for a picture of all of the stated area; nil where
    /// they do not describe it.
    ///
    /// - Parameter size: the upright size of the picture.
    package func packet(for size: PixelSize<UprightGrid>) -> [UInt8]? {
        let whole = Rect<ImageSpace>(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
        guard let area = area(of: whole, in: size, as: size) else { return nil }
        let degrees = [
            ("InitialViewHeadingDegrees", initialHeading), ("InitialViewPitchDegrees", initialPitch),
            ("InitialViewRollDegrees", initialRoll), ("InitialHorizontalFOVDegrees", initialFieldOfView),
            ("PoseHeadingDegrees", poseHeading), ("PosePitchDegrees", posePitch),
            ("PoseRollDegrees", poseRoll),
        ].compactMap { name, value in value.map { (name, "\($0)") } }
        let values =
            [("ProjectionType", projection.rawValue), ("UsePanoramaViewer", usesViewer ? "True" : "False")]
            + Self.values(of: area) + degrees
        return try? Self.stating(values, in: Array(SidecarEdit.empty.utf8))
    }

    /// Returns the area that a part of a picture shows, in pixels of another picture that is made of the part; nil where
    /// these tags do not describe the picture, or the part is not inside of it.
    ///
    /// - Parameters:
    ///   - rect: the part, in points of the picture.
    ///   - size: the upright size of the picture.
    ///   - new: the upright size of the new picture.
    package func area(
        of rect: Rect<ImageSpace>, in size: PixelSize<UprightGrid>, as new: PixelSize<UprightGrid>
    ) -> Area? {
        guard let old = try? area(in: size), rect.width > 0, rect.height > 0, rect.minX > -0.5,
            rect.minY > -0.5, rect.maxX < Double(size.width) + 0.5, rect.maxY < Double(size.height) + 0.5
        else { return nil }
        // Pixels of the whole panorama per point, and pixels of the new picture per pixel of the whole panorama.
        let (across, down) = (
            Double(old.part.width) / Double(size.width), Double(old.part.height) / Double(size.height)
        )
        let (x, y) = (
            Double(new.width) / (rect.width * across), Double(new.height) / (rect.height * down)
        )
        func pixels(_ length: Double, least: Int) -> Int { max(least, Int(min(length, 1e12).rounded())) }
        let part = PixelRect<UprightGrid>(
            x: pixels((Double(old.part.x) + rect.minX * across) * x, least: 0),
            y: pixels((Double(old.part.y) + rect.minY * down) * y, least: 0), width: new.width,
            height: new.height)
        return Area(
            full: PixelSize(
                width: pixels(Double(old.full.width) * x, least: part.maxX),
                height: pixels(Double(old.full.height) * y, least: part.maxY)), part: part)
    }

    /// Reads the tags of a packet; nil where it names no projection that is known.
    init?(_ packet: XMPPacket) {
        func text(_ name: String) -> String? { packet.first("GPano:\(name)")?.lowercased() }
        guard let projection = text("ProjectionType").flatMap(Projection.init) else { return nil }
        self.init(projection)
        func degrees(_ name: String, _ range: ClosedRange<Double>) -> Double? {
            text(name).flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        // Some programs write whole numbers as "4000.0". Areas outside of the panorama are stated as they are.
        func pixels(_ name: String) -> Int? {
            text(name).flatMap { Double($0) }.flatMap { (-1e9...1e9).contains($0) ? Int($0.rounded()) : nil }
        }
        usesViewer = text("UsePanoramaViewer") != "false"
        if let width = pixels("FullPanoWidthPixels"), let height = pixels("FullPanoHeightPixels"),
            width > 0, height > 0
        {
            fullSize = PixelSize(width: width, height: height)
        }
        if let width = pixels("CroppedAreaImageWidthPixels"),
            let height = pixels("CroppedAreaImageHeightPixels"), width >= 0, height >= 0
        {
            croppedArea = PixelRect(
                x: pixels("CroppedAreaLeftPixels") ?? 0, y: pixels("CroppedAreaTopPixels") ?? 0, width: width,
                height: height)
        }
        initialHeading = degrees("InitialViewHeadingDegrees", -360...360)
        initialPitch = degrees("InitialViewPitchDegrees", -90...90)
        initialRoll = degrees("InitialViewRollDegrees", -360...360)
        initialFieldOfView = degrees("InitialHorizontalFOVDegrees", 1...360)
        poseHeading = degrees("PoseHeadingDegrees", -360...360)
        posePitch = degrees("PosePitchDegrees", -90...90)
        poseRoll = degrees("PoseRollDegrees", -360...360)
    }
}
