import ArgumentParser
import ViewportGeometry
import ViewportRendering

/// Which part of the image is seen, and how large.
struct RegionArguments: ParsableArguments {
    @Option(parsing: .unconditional, help: "Rectangle X,Y,W,H in image points, or pct:X,Y,W,H.")
    var rect: ImageRect?

    @Option(help: "View points per image point (default 1 with --rect, --center or --offset).")
    var zoom: ScaleArgument?

    @Option(help: "Size WxH of a scroll view in points; with --rect it zooms to the rectangle.")
    var size: SizeArgument?

    @Option(parsing: .unconditional, help: "Image point X,Y in the middle of --size.")
    var center: PointArgument?

    @Option(parsing: .unconditional, help: "contentOffset X,Y of --size, in content points.")
    var offset: PointArgument?

    @Option(help: "How the whole image is laid into --size (default scaleAspectFit).")
    var contentMode: ContentMode?

    @Option(help: "Least zoom, as a scroll view has it.")
    var minZoom: ScaleArgument?

    @Option(help: "Greatest zoom, as a scroll view has it.")
    var maxZoom: ScaleArgument?

    @Option(help: "Pixels of the picture per view point.")
    var scale: ScaleArgument = ScaleArgument(argument: "1")!

    func validate() throws {
        if size == nil {
            for (name, isGiven) in [
                ("--center", center != nil), ("--offset", offset != nil),
                ("--content-mode", contentMode != nil),
            ] where isGiven {
                throw ValidationError("\(name) places the image in a scroll view: give its --size too")
            }
        }
        if size != nil, rect != nil, zoom != nil {
            throw ValidationError("--size with --rect decides the zoom: leave out --zoom or --size")
        }
        let placements = [
            ("--rect", rect != nil && size != nil), ("--center", center != nil), ("--offset", offset != nil),
            ("--content-mode", contentMode != nil),
        ]
        .filter(\.1).map(\.0)
        if placements.count > 1 {
            throw ValidationError("\(placements.joined(separator: " and ")) exclude each other: give one")
        }
        if contentMode != nil, zoom != nil {
            throw ValidationError("--content-mode decides the zoom: leave out --zoom")
        }
        if let minZoom, let maxZoom, minZoom.value > maxZoom.value {
            throw ValidationError("--min-zoom is above --max-zoom")
        }
    }

    /// Whether nothing is asked for.
    var isEmpty: Bool { requested.isEmpty }

    /// What is asked for.
    var request: ViewportRequest {
        var request = ViewportRequest(region)
        request.minimumZoomScale = minZoom?.value
        request.maximumZoomScale = maxZoom?.value
        request.displayScale = scale.value
        return request
    }

    private var region: ViewportRequest.Region {
        let factor = zoom?.value ?? 1
        guard let bounds = size?.size else {
            if let rect { return .rect(rect, zoom: factor) }
            return zoom == nil ? .fitted(Size(width: 1024, height: 1024)) : .whole(zoom: factor)
        }
        if let rect { return .zoomToRect(rect, bounds: bounds) }
        if let offset { return .offset(Point(x: offset.x, y: offset.y), zoom: factor, bounds: bounds) }
        if center != nil || zoom != nil {
            return .center(center.map { Point(x: $0.x, y: $0.y) }, zoom: factor, bounds: bounds)
        }
        return .contentMode(contentMode ?? .scaleAspectFit, bounds: bounds)
    }

    /// The options as they were given, for the report.
    var requested: [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        switch rect {
        case .points(let rect):
            members.append(("rect", .numbers(rect.minX, rect.minY, rect.width, rect.height)))
        case .percent(let x, let y, let width, let height):
            members.append(("rectPercent", .numbers(x, y, width, height)))
        case nil: break
        }
        if let size { members.append(("size", .numbers(size.size.width, size.size.height))) }
        if let zoom { members.append(("zoom", .number(zoom.value))) }
        if let center { members.append(("center", .numbers(center.x, center.y))) }
        if let offset { members.append(("offset", .numbers(offset.x, offset.y))) }
        if let contentMode { members.append(("contentMode", .string(contentMode.rawValue))) }
        if let minZoom { members.append(("minZoom", .number(minZoom.value))) }
        if let maxZoom { members.append(("maxZoom", .number(maxZoom.value))) }
        if scale.value != 1 { members.append(("scale", .number(scale.value))) }
        return members
    }
}
