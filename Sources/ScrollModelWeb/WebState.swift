import ScrollModel
import ViewportGeometry

/// The numbers of the state, by their index.
///
/// 0-1 contentOffset, 2 zoomScale, 3-4 contentSize, 5-8 visibleRect, 9-10 minimumContentOffset, 11-12
/// maximumContentOffset, 13-16 adjustedContentInset (top, left, bottom, right), 17 isTracking, 18 isDragging,
/// 19 isDecelerating, 20 isZooming, 21 isZoomBouncing, 22 isAnimating, 23 time, 24 minimumZoomScale, 25
/// maximumZoomScale, 26 fittingZoomScale, 27-30 visibleRect at rest, 31-34 the archive's middle, zoom and
/// rotation, 35-38 and 39-42 the vertical and the horizontal scroll indicator (empty where there is none).
@_cdecl("scroll_value") @_expose(wasm, "scroll_value")
public func value(_ index: Int32) -> Double {
    switch index {
    case 0...1: number(view.contentOffset, index)
    case 2: view.zoomScale
    case 3...4: index == 3 ? view.contentSize.width : view.contentSize.height
    case 5...8: number(visibleRect(of: view), index - 5)
    case 9...10: number(view.minimumContentOffset, index - 9)
    case 11...12: number(view.maximumContentOffset, index - 11)
    case 13...16: number(view.adjustedContentInset, index - 13)
    case 17: view.isTracking ? 1 : 0
    case 18: view.isDragging ? 1 : 0
    case 19: view.isDecelerating ? 1 : 0
    case 20: view.isZooming ? 1 : 0
    case 21: view.isZoomBouncing ? 1 : 0
    case 22: view.isAnimating ? 1 : 0
    case 23: view.time
    case 24: view.minimumZoomScale
    case 25: view.maximumZoomScale
    case 26: view.fittingZoomScale
    case 27...30: number(visibleRect(of: view.projectedRestingState), index - 27)
    case 31...34: number(view.archive, index - 31)
    case 35...38: number(view.verticalScrollIndicator ?? .zero, index - 35)
    case 39...42: number(view.horizontalScrollIndicator ?? .zero, index - 39)
    default: .nan
    }
}

@inline(never)
private func visibleRect(of view: ScrollView) -> Rect<ImageSpace> { view.visibleRect }

@inline(never)
private func number(_ point: Point<ContentSpace>, _ index: Int32) -> Double { index == 0 ? point.x : point.y }

@inline(never)
private func number(_ inset: EdgeInsets, _ index: Int32) -> Double {
    switch index {
    case 0: inset.top
    case 1: inset.left
    case 2: inset.bottom
    default: inset.right
    }
}

@inline(never)
private func number(_ archive: ScrollView.Archive, _ index: Int32) -> Double {
    switch index {
    case 0: archive.center.x
    case 1: archive.center.y
    case 2: archive.zoom
    default: archive.rotation
    }
}

@inline(never)
private func number<Space>(_ rect: Rect<Space>, _ index: Int32) -> Double {
    switch index {
    case 0: rect.minX
    case 1: rect.minY
    case 2: rect.width
    default: rect.height
    }
}

/// The kind of an event of the last call.
///
/// 0 didScroll, 1 didZoom, 2 willBeginDragging, 3 willEndDragging, 4 didEndDragging, 5 the same and it will
/// decelerate, 6 willBeginDecelerating, 7 didEndDecelerating, 8 willBeginZooming, 9 didEndZooming,
/// 10 didEndScrollingAnimation, 11 didChangeAdjustedContentInset, 12-15 reachedEdge top, left, bottom, right.
@_cdecl("scroll_event") @_expose(wasm, "scroll_event")
public func event(_ index: Int32) -> Int32 {
    guard index >= 0, index < events.count else { return -1 }
    return switch events[Int(index)] {
    case .didScroll: 0
    case .didZoom: 1
    case .willBeginDragging: 2
    case .willEndDragging: 3
    case .didEndDragging(let willDecelerate): willDecelerate ? 5 : 4
    case .willBeginDecelerating: 6
    case .didEndDecelerating: 7
    case .willBeginZooming: 8
    case .didEndZooming: 9
    case .didEndScrollingAnimation: 10
    case .didChangeAdjustedContentInset: 11
    case .reachedEdge(let edge): 12 + Int32(edge.rawValue)
    }
}

/// A coordinate of a point converted between spaces: 0 view, 1 content, 2 image; axis 0 is *x*, 1 is *y*.
@_cdecl("scroll_convert") @_expose(wasm, "scroll_convert")
public func convert(_ x: Double, _ y: Double, _ from: Int32, _ to: Int32, _ axis: Int32) -> Double {
    let content: Point<ContentSpace> =
        switch from {
        case 0: view.convert(Point<ViewSpace>(x: x, y: y), to: ContentSpace.self)
        case 1: Point(x: x, y: y)
        default: view.convert(Point<ImageSpace>(x: x, y: y), to: ContentSpace.self)
        }
    switch to {
    case 0:
        let point = view.convert(content, to: ViewSpace.self)
        return axis == 0 ? point.x : point.y
    case 1: return axis == 0 ? content.x : content.y
    default:
        let point = view.convert(content, to: ImageSpace.self)
        return axis == 0 ? point.x : point.y
    }
}
