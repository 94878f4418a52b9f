internal import ScrollModel
internal import ViewportGeometry

/// Writes the result of a line as one line of JSON without a newline.
///
/// Numbers have the shortest form that reads back as the same double; integers have no decimal point.
struct ReplayWriter {
    private(set) var text = ""

    mutating func write(
        line: Int, view: ScrollView, events: [ScrollEvent], result: (inout ReplayWriter) -> Void
    ) {
        text.reserveCapacity(900)
        text += "{\"line\":"
        text += String(line)
        text += ",\"t\":"
        write(view.time)
        text += ",\"state\":{"
        write(state: view)
        text += "},\"events\":["
        for (index, event) in events.enumerated() {
            if index > 0 { text += "," }
            write(event)
        }
        text += "],\"result\":"
        result(&self)
        text += "}"
    }

    mutating func write(state view: ScrollView) {
        write("bounds", view.bounds.width, view.bounds.height)
        text += ","
        write("contentOffset", view.contentOffset.x, view.contentOffset.y)
        text += ",\"zoomScale\":"
        write(view.zoomScale)
        text += ","
        write("contentSize", view.contentSize.width, view.contentSize.height)
        text += ",\"adjustedContentInset\":"
        let inset = view.adjustedContentInset
        write([inset.top, inset.left, inset.bottom, inset.right])
        text += ","
        write("minimumContentOffset", view.minimumContentOffset.x, view.minimumContentOffset.y)
        text += ","
        write("maximumContentOffset", view.maximumContentOffset.x, view.maximumContentOffset.y)
        text += ",\"visibleRect\":"
        let visible = view.visibleRect
        write([visible.minX, visible.minY, visible.width, visible.height])
        text += ",\"isTracking\":\(view.isTracking),\"isDragging\":\(view.isDragging)"
        text += ",\"isDecelerating\":\(view.isDecelerating),\"isZooming\":\(view.isZooming)"
        text += ",\"isZoomBouncing\":\(view.isZoomBouncing),\"isAnimating\":\(view.isAnimating)"
    }

    private mutating func write(_ event: ScrollEvent) {
        text += "{\"name\":\"\(event.name)\""
        switch event {
        case .willEndDragging(let velocity, let target):
            text += ","
            write("velocity", velocity.x, velocity.y)
            text += ","
            write("targetContentOffset", target.x, target.y)
        case .didEndDragging(let willDecelerate): text += ",\"willDecelerate\":\(willDecelerate)"
        case .didEndZooming(let scale):
            text += ",\"atScale\":"
            write(scale)
        case .reachedEdge(let edge): text += ",\"edge\":\"\(edge.name)\""
        default: break
        }
        text += "}"
    }

    mutating func write(explanation: ScrollView.Explanation) {
        text += "{\"asked\":{"
        write("contentOffset", explanation.askedOffset.x, explanation.askedOffset.y)
        text += ",\"zoomScale\":"
        write(explanation.askedScale)
        text += "},\"got\":{"
        write("contentOffset", explanation.gotOffset.x, explanation.gotOffset.y)
        text += ",\"zoomScale\":"
        write(explanation.gotScale)
        text += "},\"limits\":["
        text += explanation.limits.names.map { "\"\($0)\"" }.joined(separator: ",")
        text += "]}"
    }

    mutating func write(archive: ScrollView.Archive) {
        text += "{\"version\":\(ScrollView.Archive.currentVersion),"
        write("center", archive.center.x, archive.center.y)
        text += ",\"zoom\":"
        write(archive.zoom)
        text += ",\"rotation\":"
        write(archive.rotation)
        text += "}"
    }

    mutating func write(raw: String) { text += raw }

    mutating func write(_ numbers: [Double]) {
        text += "["
        for (index, number) in numbers.enumerated() {
            if index > 0 { text += "," }
            write(number)
        }
        text += "]"
    }

    private mutating func write(_ name: String, _ a: Double, _ b: Double) {
        text += "\"\(name)\":"
        write([a, b])
    }

    private mutating func write(_ number: Double) {
        // Negative zero is written as 0. The model never gives NaN or infinity.
        guard number.isFinite, number != 0 else { return text += number == 0 ? "0" : "null" }
        let digits = number.description
        text += digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    }
}

extension RectEdge {
    var name: String {
        switch self {
        case .top: "top"
        case .left: "left"
        case .bottom: "bottom"
        case .right: "right"
        }
    }
}
