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
    ///
    /// The height of a cylinder has no meaning.
    public var fullSize: PixelSize<UprightGrid>?
    /// The part of the whole panorama that the picture had when it was made; nil where the file does not state it.
    ///
    /// The rows of a cylinder count from the horizon, and are negative above it.
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
    ///
    /// The horizon is in the middle of the whole panorama, also of a cylinder, whose height has no end: it is as high as
    /// the part needs.
    public struct Area: Hashable, Sendable {
        /// The size of the whole panorama.
        public var full: PixelSize<UprightGrid>
        /// The part that the picture shows.
        public var part: PixelRect<UprightGrid>

        fileprivate init(full: PixelSize<UprightGrid>, part: PixelRect<UprightGrid>) {
            (self.full, self.part) = (full, part)
        }

        /// Creates the area of a picture in the middle of the whole panorama.
        fileprivate init(_ size: PixelSize<UprightGrid>, inMiddleOf full: PixelSize<UprightGrid>) {
            self.init(
                full: full,
                part: PixelRect(
                    x: (full.width - size.width) / 2, y: (full.height - size.height) / 2, width: size.width,
                    height: size.height))
        }

        /// Creates the area of a part of a cylinder.
        ///
        /// - Parameter part: its rows count from the horizon, and are negative above it.
        fileprivate init(cylinder width: Int, part: PixelRect<UprightGrid>) {
            let half = max(part.y.magnitude, part.maxY.magnitude)
            self.init(
                full: PixelSize(width: width, height: 2 * Int(half)),
                part: PixelRect(x: part.x, y: part.y + Int(half), width: part.width, height: part.height))
        }

        /// The first row of the part, counted from the horizon.
        fileprivate var rowsBelowHorizon: Int { part.y - full.height / 2 }
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
    /// A picture that was only scaled afterwards shows the stated part: editors keep the numbers of the original. Without
    /// a stated part, the picture is in the middle of the whole panorama, and a pixel is as many degrees wide as high.
    ///
    /// - Parameter size: the upright size of the picture.
    public func area(in size: PixelSize<UprightGrid>) throws(Mismatch) -> Area {
        guard let part = croppedArea else { return try middle(of: size) }
        guard !part.isEmpty else { throw .outside }
        guard Self.hasShape(size, of: part.size) else { throw .croppedAfterwards(part.size) }
        let width = fullSize?.width ?? part.maxX
        guard let left = Self.inside(part.x, part.width, of: width) else { throw .outside }
        switch projection {
        case .cylindrical:
            return Area(
                cylinder: max(width, part.width),
                part: PixelRect(x: left, y: part.y, width: part.width, height: part.height))
        case .equirectangular:
            let height = fullSize?.height ?? part.maxY
            guard let top = Self.inside(part.y, part.height, of: height) else { throw .outside }
            return Area(
                full: PixelSize(width: max(width, part.width), height: max(height, part.height)),
                part: PixelRect(x: left, y: top, width: part.width, height: part.height))
        }
    }

    /// The area of a picture whose part of the whole panorama is not stated.
    private func middle(of size: PixelSize<UprightGrid>) throws(Mismatch) -> Area {
        switch projection {
        case .cylindrical:
            let width = max(fullSize?.width ?? 0, size.width)
            return Area(size, inMiddleOf: PixelSize(width: width, height: size.height))
        case .equirectangular:
            guard let full = fullSize else {
                // A row or column of a whole sphere may have been cut.
                let isWhole = abs(size.width - 2 * size.height) <= 2
                let (width, height) = (max(size.width, 2 * size.height), max(size.height, size.width / 2))
                return Area(size, inMiddleOf: isWhole ? size : PixelSize(width: width, height: height))
            }
            if Self.hasShape(size, of: full) { return Area(full: full, part: PixelRect(full)) }
            guard size.width <= full.width, size.height <= full.height else {
                throw .croppedAfterwards(full)
            }
            return Area(size, inMiddleOf: full)
        }
    }

    /// Whether a picture has the shape of an area that it was scaled from, to half a pixel of rounding on either side.
    private static func hasShape(_ size: PixelSize<UprightGrid>, of area: PixelSize<UprightGrid>) -> Bool {
        let across = Double(size.width) / Double(area.width)
        return abs(Double(area.height) * across - Double(size.height)) <= max(1, across)
    }

    /// Returns where a length begins that is moved inside of another one; nil where it is outside by more than rounding.
    private static func inside(_ start: Int, _ length: Int, of whole: Int) -> Int? {
        // Programs round the start, the length and the whole, each once.
        let slack = 2 + whole / 1000
        guard start >= -slack, start + length <= whole + slack else { return nil }
        return max(0, min(start, whole - length))
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
        let read = try XMPPacket(SidecarText(packet))
        let tags = PanoramaTags(read)
        return try stating(
            values(of: area, tags?.projection ?? .equirectangular) + interior(of: area, tags, read),
            in: packet)
    }

    /// The part of the picture without holes, which the former picture had in other pixels.
    private static func interior(
        of area: Area, _ tags: PanoramaTags?, _ packet: XMPPacket
    ) -> [(name: String, value: String?)] {
        let names = ["Left", "Top", "Width", "Height"].map { "LargestValidInteriorRect\($0)" }
        let stated = names.compactMap { packet.first("GPano:\($0)").flatMap { Double($0) } }
        guard stated.count == names.count, stated.allSatisfy({ (0...1e9).contains($0) }), let tags,
            let old = tags.croppedArea
        else { return names.map { ($0, nil) } }
        // Its numbers count from the corner of the former picture.
        let scale = Double(area.full.width) / Double(max(1, tags.fullSize?.width ?? old.maxX))
        let top = tags.projection == .cylindrical ? area.rowsBelowHorizon : area.part.y
        func inside(_ start: Double, _ length: Double, _ corner: Int, _ size: Int) -> (Int, Int) {
            let ends = [start, start + length].map { end in
                Int(min(max((end * scale).rounded() - Double(corner), 0), Double(size)))
            }
            return (ends[0], ends[1] - ends[0])
        }
        let (x, width) = inside(Double(old.x) + stated[0], stated[2], area.part.x, area.part.width)
        let (y, height) = inside(Double(old.y) + stated[1], stated[3], top, area.part.height)
        guard width > 0, height > 0 else { return names.map { ($0, nil) } }
        return zip(names, [x, y, width, height]).map { ($0, "\($1)") }
    }

    private static func values(
        of area: Area, _ projection: Projection
    ) -> [(name: String, value: String?)] {
        let top = projection == .cylindrical ? area.rowsBelowHorizon : area.part.y
        return [
            ("FullPanoWidthPixels", area.full.width), ("FullPanoHeightPixels", area.full.height),
            ("CroppedAreaLeftPixels", area.part.x), ("CroppedAreaTopPixels", top),
            ("CroppedAreaImageWidthPixels", area.part.width),
            ("CroppedAreaImageHeightPixels", area.part.height),
        ].map { ($0.0, "\($0.1)") }
    }

    private static func stating(
        _ values: [(name: String, value: String?)], in packet: [UInt8]
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
            + Self.values(of: area, projection) + degrees
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
        if projection == .cylindrical {
            let top = (Double(old.rowsBelowHorizon) + rect.minY * down) * y
            let left = pixels((Double(old.part.x) + rect.minX * across) * x, least: 0)
            return Area(
                cylinder: pixels(Double(old.full.width) * x, least: left + new.width),
                part: PixelRect(
                    x: left, y: Int(min(max(top, -1e12), 1e12).rounded()), width: new.width,
                    height: new.height))
        }
        let part = PixelRect<UprightGrid>(
            x: pixels((Double(old.part.x) + rect.minX * across) * x, least: 0),
            y: pixels((Double(old.part.y) + rect.minY * down) * y, least: 0), width: new.width,
            height: new.height)
        return Area(
            full: PixelSize(
                width: pixels(Double(old.full.width) * x, least: part.maxX),
                height: pixels(Double(old.full.height) * y, least: part.maxY)), part: part)
    }

    /// Reads the tags of a packet; nil where it names a projection that is not known, or neither one nor a size.
    init?(_ packet: XMPPacket) {
        func text(_ name: String) -> String? { packet.first("GPano:\(name)")?.lowercased() }
        let sizes = ["FullPanoWidthPixels", "CroppedAreaImageWidthPixels"]
        if let name = text("ProjectionType") {
            guard let projection = Projection(rawValue: name) else { return nil }
            self.init(projection)
        } else if sizes.contains(where: { text($0) != nil }) {
            // What viewers assume: some cameras write sizes only.
            self.init(.equirectangular)
        } else {
            return nil
        }
        func degrees(_ name: String, _ range: ClosedRange<Double>) -> Double? {
            text(name).flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        // Some programs write whole numbers as "4000.0". Areas outside of the panorama are stated as they are.
        func pixels(_ name: String) -> Int? {
            text(name).flatMap { Double($0) }.flatMap { (-1e9...1e9).contains($0) ? Int($0.rounded()) : nil }
        }
        usesViewer = text("UsePanoramaViewer") != "false"
        let isCylinder = projection == .cylindrical
        if let width = pixels("FullPanoWidthPixels"),
            let height = pixels("FullPanoHeightPixels") ?? (isCylinder ? 1 : nil), width > 0, height > 0
        {
            fullSize = PixelSize(width: width, height: height)
        }
        if let width = pixels("CroppedAreaImageWidthPixels"),
            let height = pixels("CroppedAreaImageHeightPixels"), width >= 0, height >= 0
        {
            croppedArea = PixelRect(
                x: pixels("CroppedAreaLeftPixels") ?? 0,
                y: pixels("CroppedAreaTopPixels") ?? (isCylinder ? -height / 2 : 0), width: width,
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
