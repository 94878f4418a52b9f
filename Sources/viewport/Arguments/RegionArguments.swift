#if CommandLine
import ArgumentParser
import Basics
import ViewportGeometry
import ViewportRendering

/// The part of the image to show, and its size.
struct RegionArguments: ParsableArguments {
    @Option(help: "Rectangle X,Y,W,H in image points, pct:X,Y,W,H, or WxH+X+Y.")
    var rect: ImageRect?

    @Option(help: "Rectangle WxH in image points around --center, by default in the middle.")
    var cropSize: SizeArgument?

    @Option(
        help: "View points per image point, or a percentage (default 1 with --rect, --center or --offset).")
    var zoom: ScaleArgument?

    @Option(
        name: [.short, .customLong("size")],
        help:
            "Size in points: WxH, W (a square), Wx or xH. Alone, the image is fitted into it. 50% is --zoom 0.5. May be repeated."
    )
    var sizes: [SizeArgument] = []

    /// The size; the first of several.
    var size: SizeArgument? {
        get { sizes.first }
        set { sizes = newValue.map { [$0] } ?? [] }
    }

    @Flag(help: "Fit the picture into --size without bars, as --size alone does.")
    var fit = false

    @Flag(help: "With --rect and --size: show only the rectangle.")
    var crop = false

    @Option(help: "Image point X,Y at the center of --size.")
    var center: PointArgument?

    @Option(help: "contentOffset X,Y of --size, in content points.")
    var offset: PointArgument?

    @Option(
        help: "How the image fills --size; scaleToFill and scaleAspectFill also take a --rect.")
    var contentMode: ContentMode?

    @Option(help: "minimumZoomScale of the scroll view.")
    var minZoom: ScaleArgument?

    @Option(help: "maximumZoomScale of the scroll view.")
    var maxZoom: ScaleArgument?

    @Option(help: "Output pixels per view point.")
    var scale: ScaleArgument = ScaleArgument(argument: "1")!

    @Flag(help: "Keep fractions of a pixel at zoom 1 and interpolate from zoom 8, as frames of `fly` do.")
    var subpixel = false

    /// Checks the options; a command calls it when it has taken what stands among its paths.
    mutating func check() throws {
        if sizes.count > 1 {
            if sizes.contains(where: { $0.zoom != nil }) {
                throw ValidationError("a percentage is one --size alone: give the other sizes in points")
            }
            for size in sizes {
                var one = self
                one.size = size
                try one.check()
            }
            return
        }
        try takePercentage()
        if let cropSize { return try validate(cropSize) }
        if size == nil {
            for (name, isGiven) in [
                ("--center", center != nil), ("--offset", offset != nil),
                ("--content-mode", contentMode != nil), ("--fit", fit),
            ] where isGiven {
                throw ValidationError(
                    "\(name) needs --size, for example --size 800x600")
            }
        }
        if crop, rect == nil {
            throw ValidationError("--crop needs --rect, for example --rect 100,200,640,480, or --crop-size")
        }
        if let size, size.both == nil, zoom != nil || center != nil || offset != nil || contentMode != nil {
            throw ValidationError(
                refusing: size.text, of: "--size", because: "one side is missing",
                give: "both sides", example: "800x600")
        }
        let isFitted = fit || crop && size != nil
        if isFitted, zoom != nil || center != nil || offset != nil || contentMode != nil {
            throw ValidationError(
                "\(fit ? "--fit" : "--crop") sets the zoom: leave out --zoom, --center, --offset and --content-mode"
            )
        }
        if size != nil, rect != nil, zoom != nil {
            throw ValidationError("--size with --rect sets the zoom: leave out --zoom or --size")
        }
        let placements = [
            ("--rect", rect != nil && size != nil), ("--center", center != nil), ("--offset", offset != nil),
            ("--content-mode", contentMode.map { rect == nil || !Self.modesOfRects.contains($0) } ?? false),
        ]
        .filter(\.1).map(\.0)
        if placements.count > 1 {
            throw ValidationError("\(placements.joined(separator: " and ")) exclude each other: give one")
        }
        if placements == ["--rect", "--content-mode"] {
            throw ValidationError(
                "--rect only takes --content-mode scaleToFill or scaleAspectFill: leave out one of them")
        }
        if contentMode != nil, zoom != nil {
            throw ValidationError("--content-mode sets the zoom: leave out --zoom")
        }
        try validateLimits()
    }

    /// Takes a size in percent as a zoom.
    private mutating func takePercentage() throws {
        guard let given = size?.zoom else { return }
        if zoom != nil {
            throw ValidationError("-s \(size?.text ?? "") is a zoom: leave out --zoom")
        }
        (zoom, size) = (given, nil)
    }

    /// Checks `--crop-size` and the options beside it.
    private func validate(_ cropSize: SizeArgument) throws {
        guard cropSize.both != nil else {
            throw ValidationError(
                refusing: cropSize.text, of: "--crop-size", give: "both sides", example: "512x512")
        }
        if rect != nil || offset != nil || contentMode != nil {
            throw ValidationError(
                "--crop-size sets the rectangle: leave out --rect, --offset and --content-mode")
        }
        if size != nil, zoom != nil {
            throw ValidationError("--size with --crop-size sets the zoom: leave out --zoom or --size")
        }
        try validateLimits()
    }

    private func validateLimits() throws {
        if let minZoom, let maxZoom, minZoom.value > maxZoom.value {
            throw ValidationError("--min-zoom is above --max-zoom")
        }
    }

    /// The modes in which a view shows nothing outside a rectangle.
    private static let modesOfRects: [ContentMode] = [.scaleToFill, .scaleAspectFill]

    /// Whether no option is given.
    var isEmpty: Bool { requested.isEmpty }

    /// The request that the options describe.
    ///
    /// - Throws: the error of the setting `size`.
    var request: ViewportRequest {
        get throws {
            var request = ViewportRequest(try region)
            request.minimumZoomScale = minZoom?.value
            request.maximumZoomScale = maxZoom?.value
            request.displayScale = scale.value
            request.isSubpixel = subpixel
            return request
        }
    }

    /// The rectangle of a size in image points around `--center`, moved into the image, at a zoom or as large as fits
    /// into `--size`.
    private func center(of rect: Size<ViewSpace>, zoom: Double) -> ViewportRequest.Region {
        let zoom =
            size.map { size in
                [size.width.map { $0 / rect.width }, size.height.map { $0 / rect.height }].compactMap(\.self)
                    .min()
                    ?? zoom
            } ?? zoom
        return .center(
            center.map { Point(x: $0.x, y: $0.y) }, zoom: zoom,
            bounds: Size(width: rect.width * zoom, height: rect.height * zoom))
    }

    /// The fitted image at the size of the settings, where no option says more.
    private var usualRegion: ViewportRequest.Region {
        get throws {
            let size = try UserSettings.value(.size)
            if let zoom = size.zoom { return .whole(zoom: zoom.value) }
            guard let both = size.both else { return .fit(nil, width: size.width, height: size.height) }
            return .fitted(both)
        }
    }

    private var region: ViewportRequest.Region {
        get throws {
            let factor = zoom?.value ?? 1
            if let cropSize = cropSize?.both { return center(of: cropSize, zoom: factor) }
            guard let size else {
                if let rect { return .rect(rect, zoom: factor) }
                return zoom == nil ? try usualRegion : .whole(zoom: factor)
            }
            let isPlaced = rect != nil || center != nil || offset != nil || zoom != nil || contentMode != nil
            guard let bounds = size.both, isPlaced, !fit, !crop else {
                return .fit(rect, width: size.width, height: size.height)
            }
            if let rect, let contentMode { return .rectInContentMode(rect, contentMode, bounds: bounds) }
            if let rect { return .zoomToRect(rect, bounds: bounds) }
            if let offset { return .offset(Point(x: offset.x, y: offset.y), zoom: factor, bounds: bounds) }
            if center != nil || zoom != nil {
                return .center(center.map { Point(x: $0.x, y: $0.y) }, zoom: factor, bounds: bounds)
            }
            return .contentMode(contentMode ?? .scaleAspectFit, bounds: bounds)
        }
    }

    /// Whether the view shows more than `--rect`, because it has another aspect ratio.
    func showsMore(_ visible: Rect<ImageSpace>, of size: Size<ImageSpace>) -> Bool {
        guard let asked = rect?.rect(in: size), self.size != nil else { return false }
        // Half a point is rounding.
        return visible.width > asked.width + 0.5 || visible.height > asked.height + 0.5
    }

    /// The given options, for the report.
    var requested: [(String, JSONValue?)] {
        var members: [(String, JSONValue?)] = []
        switch rect {
        case .points(let rect):
            members.append(("rect", .numbers(rect.minX, rect.minY, rect.width, rect.height)))
        case .percent(let x, let y, let width, let height):
            members.append(("rectPercent", .numbers(x, y, width, height)))
        case nil: break
        }
        if let cropSize = cropSize?.both {
            members.append(("cropSize", .numbers(cropSize.width, cropSize.height)))
        }
        if let size {
            members.append(
                (
                    "size",
                    .array([
                        JSONValue(size.width, JSONValue.number), JSONValue(size.height, JSONValue.number),
                    ])
                ))
        }
        if fit { members.append(("fit", .bool(true))) }
        if crop { members.append(("crop", .bool(true))) }
        if let zoom { members.append(("zoom", .number(zoom.value))) }
        if let center { members.append(("center", .numbers(center.x, center.y))) }
        if let offset { members.append(("offset", .numbers(offset.x, offset.y))) }
        if let contentMode { members.append(("contentMode", .string(contentMode.rawValue))) }
        if let minZoom { members.append(("minZoom", .number(minZoom.value))) }
        if let maxZoom { members.append(("maxZoom", .number(maxZoom.value))) }
        if scale.value != 1 { members.append(("scale", .number(scale.value))) }
        if subpixel { members.append(("subpixel", .bool(true))) }
        return members
    }
}
#endif
