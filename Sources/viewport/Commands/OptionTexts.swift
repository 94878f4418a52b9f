#if CommandLine
import ViewportGeometry
import ViewportRendering

// The texts of values in the fingerprints of results, by which a later run knows what is done.
//
// They have the form that Swift gave the values when the first results were written, with the names that types and modules
// had then. They follow from the values alone, so that code can move without making all results anew.

extension ViewportRequest {
    var optionText: String {
        let limits = [minimumZoomScale, maximumZoomScale].map(Self.text)
        return "ViewportRequest(region: ViewportRendering.ViewportRequest.Region.\(region.optionText), "
            + "minimumZoomScale: \(limits[0]), maximumZoomScale: \(limits[1]), "
            + "displayScale: \(displayScale), isSubpixel: \(isSubpixel))"
    }

    fileprivate static func text(_ number: Double?) -> String { optional(number.map { "\($0)" }) }

    fileprivate static func optional(_ text: String?) -> String { text.map { "Optional(\($0))" } ?? "nil" }
}

extension ViewportRequest.Region {
    fileprivate var optionText: String {
        switch self {
        case .fitted(let size): "fitted(\(Self.text(size)))"
        case .whole(let zoom): "whole(zoom: \(zoom))"
        case .rect(let rect, let zoom): "rect(\(rect.optionText), zoom: \(zoom))"
        case .zoomToRect(let rect, let bounds):
            "zoomToRect(\(rect.optionText), bounds: \(Self.text(bounds)))"
        case .center(let point, let zoom, let bounds):
            "center(\(ViewportRequest.optional(point.map { point in Self.text(point, in: "ImageSpace") })), "
                + "zoom: \(zoom), bounds: \(Self.text(bounds)))"
        case .offset(let point, let zoom, let bounds):
            "offset(\(Self.text(point, in: "ContentSpace")), zoom: \(zoom), bounds: \(Self.text(bounds)))"
        case .contentMode(let mode, let bounds):
            "contentMode(\(Self.text(mode)), bounds: \(Self.text(bounds)))"
        case .fit(let rect, let width, let height):
            "fit(\(ViewportRequest.optional(rect?.optionText)), "
                + "width: \(ViewportRequest.text(width)), height: \(ViewportRequest.text(height)))"
        case .rectInContentMode(let rect, let mode, let bounds):
            "rectInContentMode(\(rect.optionText), \(Self.text(mode)), bounds: \(Self.text(bounds)))"
        }
    }

    private static func text(_ mode: ContentMode) -> String {
        "ViewportGeometry.ContentMode.\(mode.rawValue)"
    }

    fileprivate static func text<Space>(_ point: Point<Space>, in space: String) -> String {
        "ViewportGeometry.Point<ViewportGeometry.\(space)>(x: \(point.x), y: \(point.y))"
    }

    fileprivate static func text<Space>(_ size: Size<Space>, in space: String = "ViewSpace") -> String {
        "ViewportGeometry.Size<ViewportGeometry.\(space)>(width: \(size.width), height: \(size.height))"
    }
}

extension ImageRect {
    fileprivate var optionText: String {
        switch self {
        case .points(let rect):
            "ViewportRendering.ImageRect.points(ViewportGeometry.Rect<ViewportGeometry.ImageSpace>"
                + "(origin: \(ViewportRequest.Region.text(rect.origin, in: "ImageSpace")), "
                + "size: \(ViewportRequest.Region.text(rect.size, in: "ImageSpace"))))"
        case .percent(let x, let y, let width, let height):
            "ViewportRendering.ImageRect.percent(x: \(x), y: \(y), width: \(width), height: \(height))"
        }
    }
}
#endif
