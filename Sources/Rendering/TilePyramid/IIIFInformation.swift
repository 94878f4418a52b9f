package import Basics
public import ViewportGeometry

/// The description of an image in the IIIF Image API (`info.json`).
///
/// Source: IIIF Image API 3.0 and 2.1, section 5.
public struct IIIFInformation: Hashable, Sendable {
    /// The version of the Image API.
    public enum Version: Hashable, Sendable {
        /// Image API 2.1.
        case two
        /// Image API 3.0.
        case three
    }

    /// The tiles that the server provides in one size, and their scale factors.
    public struct Tiles: Hashable, Sendable {
        /// The width of a tile in pixels.
        public var width: Int
        /// The height of a tile in pixels.
        public var height: Int
        /// The numbers of full-resolution pixels per tile pixel, horizontally and vertically.
        public var scaleFactors: [Int]

        /// Creates a description of tiles of a size in pixels.
        public init(width: Int, height: Int, scaleFactors: [Int]) {
            self.width = width
            self.height = height
            self.scaleFactors = scaleFactors
        }
    }

    /// The version of the Image API that the description follows.
    public var version: Version
    /// The URL of the image without `/info.json`.
    public var id: String
    /// The compliance level: 0 for static files, 2 for a server of any region.
    public var level: Int
    /// The size of the image at full resolution, in pixels.
    public var size: PixelSize<UprightGrid>
    /// The sizes in which the server provides the whole image, from the smallest.
    public var sizes: [PixelSize<UprightGrid>]
    /// The tiles that the server provides.
    public var tiles: [Tiles]
    /// The size of the largest picture that the server returns; nil for no limit.
    public var maximum: PixelSize<UprightGrid>?
    /// The formats in addition to those of the compliance level, the preferred one first.
    public var extraFormats: [String]
    /// The formats in which clients should request tiles, the best one first; empty for those of static sites.
    public var preferredFormats: [String] = []
    /// The maximum number of pixels of a picture that the server returns; nil for no limit.
    public var maximumArea: Int?
    /// The qualities in addition to `default`.
    public var extraQualities: [String] = []
    /// The features in addition to those of the compliance level, by their names in the specification.
    public var extraFeatures: [String] = []
    /// The pixels around a JPEG tile of full resolution with which it must be requested to have the pixels of the file also
    /// at its edges; nil where such tiles are encoded again.
    public var tileOverlap: Int?
    /// What is missing of a damaged file of which the rest is shown, such as "rows 97 to 200 are missing".
    public var damage: String?
    /// What the image shows of the sphere around the camera, where its metadata states that.
    package var panorama: JSONValue?
    /// The media type of the animation at the image's URL with `/animation`; nil for still images.
    package var animation: String?
    /// Whether the image is drawn at any resolution, so that enlarged parts are as sharp as others.
    package var isDrawn = false
    /// The number of pages of the file if it has several.
    ///
    /// The URLs of pages after the first end with `;1` and so on.
    public var pages: Int?

    /// The pixels per millimeter of the depicted object, if that is known; a service of the image in its `info.json`.
    ///
    /// Source: IIIF Physical Dimensions, version 1.
    public var pixelsPerMillimeter: Double?

    /// Creates a description; `text` is its `info.json`.
    public init(
        version: Version = .three, id: String, level: Int, size: PixelSize<UprightGrid>,
        sizes: [PixelSize<UprightGrid>] = [], tiles: [Tiles] = [],
        maximum: PixelSize<UprightGrid>? = nil, extraFormats: [String] = []
    ) {
        self.version = version
        self.id = id
        self.level = level
        self.size = size
        self.sizes = sizes
        self.tiles = tiles
        self.maximum = maximum
        self.extraFormats = extraFormats
    }
}

extension IIIFInformation {
    /// The text of the `info.json`, which ends with a newline.
    public var text: String { json.text() + "\n" }

    /// Parses the text of an `info.json` of either version, ignoring unknown members.
    public init(parsing text: String) throws(DescriptorError) {
        let json = try JSONValue(describing: text)
        let version = try Self.version(of: json)
        let idName = version == .two ? "@id" : "id"
        guard let id = try json.require(idName).string else {
            throw .badValue(name: idName, value: json[idName]?.text() ?? "")
        }
        let (level, formats) = try Self.profile(of: json, version)
        var tiles: [Tiles] = []
        for entry in json["tiles"]?.array ?? [] { tiles.append(try Tiles(entry)) }
        var sizes: [PixelSize<UprightGrid>] = []
        for entry in json["sizes"]?.array ?? [] { sizes.append(try PixelSize(entry)) }
        let limits = version == .three ? json : json["profile"]?.array?.dropFirst().first ?? .null
        let maximum = try limits.positive("maxWidth").map { width throws(DescriptorError) in
            PixelSize<UprightGrid>(width: width, height: try limits.positive("maxHeight") ?? width)
        }
        self.init(
            version: version, id: id, level: level, size: try PixelSize(json), sizes: sizes, tiles: tiles,
            maximum: maximum, extraFormats: formats)
        maximumArea = try limits.positive("maxArea")
        let more = version == .three ? ("extraQualities", "extraFeatures") : ("qualities", "supports")
        extraQualities = limits[more.0]?.array?.compactMap(\.string) ?? []
        extraFeatures = limits[more.1]?.array?.compactMap(\.string) ?? []
        preferredFormats =
            level == 0 ? [] : json["preferredFormats"]?.array?.compactMap(\.string) ?? []
        tileOverlap = json["tileOverlap"]?.int
        damage = json["damage"]?.string
        panorama = json["panorama"]
        animation = json["animation"]?.string
        if case .bool(true)? = json["drawn"] { isDrawn = true }
        pages = try json.positive("pages")
        pixelsPerMillimeter = Self.pixelsPerMillimeter(json["service"])
    }

    private static func version(of json: JSONValue) throws(DescriptorError) -> Version {
        let context = try json.require("@context")
        // With extensions it is a list that ends with the context of the Image API.
        switch (context.array?.last ?? context).string {
        case Self.context(.three): return .three
        case Self.context(.two): return .two
        default: throw .badValue(name: "@context", value: context.text())
        }
    }

    private static func profile(
        of json: JSONValue, _ version: Version
    ) throws(DescriptorError) -> (level: Int, formats: [String]) {
        let profile = try json.require("profile")
        let name = (profile.array?.first ?? profile).string
        for level in 0...2 where name == Self.profile(level, version) {
            let formats =
                version == .three
                ? json["extraFormats"] : profile.array?.dropFirst().first.flatMap { $0["formats"] }
            return (level, formats?.array?.compactMap(\.string) ?? [])
        }
        throw .badValue(name: "profile", value: profile.text())
    }

    private static func context(_ version: Version) -> String {
        "http://iiif.io/api/image/\(version == .two ? 2 : 3)/context.json"
    }

    private static func profile(_ level: Int, _ version: Version) -> String {
        version == .two ? "http://iiif.io/api/image/2/level\(level).json" : "level\(level)"
    }

    private var json: JSONValue {
        let formats = Self.list(extraFormats)
        let isThree = version == .three
        var profile = JSONValue.string(Self.profile(level, version))
        if !isThree {
            let more = JSONValue.object([
                "formats": formats, "qualities": Self.list(extraQualities),
                "supports": Self.list(extraFeatures), "maxWidth": maximum.map { .int($0.width) },
                "maxHeight": maximum.map { .int($0.height) }, "maxArea": maximumArea.map(JSONValue.int),
            ])
            profile = .array(more == .object([] as [JSONValue.Member]) ? [profile] : [profile, more])
        }
        return .object([
            "@context": .string(Self.context(version)),
            isThree ? "id" : "@id": .string(id),
            "type": isThree ? .string("ImageService3") : nil,
            "protocol": .string("http://iiif.io/api/image"),
            "profile": profile,
            "width": .int(size.width), "height": .int(size.height),
            "maxWidth": isThree ? maximum.map { .int($0.width) } : nil,
            "maxHeight": isThree ? maximum.map { .int($0.height) } : nil,
            "maxArea": isThree ? maximumArea.map(JSONValue.int) : nil,
            "sizes": sizes.isEmpty ? nil : .array(sizes.map(\.json)),
            "tiles": tiles.isEmpty ? nil : .array(tiles.map(\.json)),
            "preferredFormats": isThree ? Self.list(preferredFormats) ?? (level == 0 ? formats : nil) : nil,
            "extraFormats": isThree ? formats : nil,
            "extraQualities": isThree ? Self.list(extraQualities) : nil,
            "extraFeatures": isThree ? Self.list(extraFeatures) : nil,
            "tileOverlap": tileOverlap.map(JSONValue.int),
            "damage": damage.map(JSONValue.string),
            "panorama": panorama,
            "animation": animation.map(JSONValue.string),
            "drawn": isDrawn ? .bool(true) : nil,
            "pages": pages.map(JSONValue.int),
            "service": pixelsPerMillimeter.map { .array([Self.dimensions($0)]) },
        ])
    }

    private static let dimensionsProfile = "http://iiif.io/api/annex/services/physdim"

    private static func dimensions(_ pixelsPerMillimeter: Double) -> JSONValue {
        .object([
            "@context": .string("\(dimensionsProfile)/1/context.json"), "profile": .string(dimensionsProfile),
            "physicalScale": .number(1 / pixelsPerMillimeter), "physicalUnits": .string("mm"),
        ])
    }

    private static func pixelsPerMillimeter(_ services: JSONValue?) -> Double? {
        let list = services?.array ?? services.map { [$0] } ?? []
        guard let service = list.first(where: { $0["profile"]?.string == dimensionsProfile }),
            let scale = service["physicalScale"]?.double, scale > 0,
            let unit = ["mm": 1, "cm": 10, "in": 25.4][service["physicalUnits"]?.string ?? ""]
        else { return nil }
        return 1 / (scale * unit)
    }

    private static func list(_ values: [String]) -> JSONValue? {
        values.isEmpty ? nil : .array(values.map(JSONValue.string))
    }
}

extension IIIFInformation.Tiles {
    fileprivate init(_ json: JSONValue) throws(DescriptorError) {
        guard let width = try json.positive("width") else { throw .missing("width") }
        let list = try json.require("scaleFactors")
        let factors = list.array?.compactMap { value in
            if case .int(let factor) = value, factor > 0 { factor } else { nil }
        }
        guard let factors, factors.count == list.array?.count else {
            throw .badValue(name: "scaleFactors", value: list.text())
        }
        self.init(width: width, height: try json.positive("height") ?? width, scaleFactors: factors)
    }

    fileprivate var json: JSONValue {
        .object([
            "width": .int(width), "height": height == width ? nil : .int(height),
            "scaleFactors": .array(scaleFactors.map(JSONValue.int)),
        ])
    }
}

extension PixelSize where Grid == UprightGrid {
    fileprivate init(_ json: JSONValue) throws(DescriptorError) {
        guard let width = try json.positive("width") else { throw .missing("width") }
        guard let height = try json.positive("height") else { throw .missing("height") }
        self.init(width: width, height: height)
    }

    fileprivate var json: JSONValue { .object(["width": .int(width), "height": .int(height)]) }
}
