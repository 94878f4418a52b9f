internal import ViewportGeometry

/// The static state: sizes, insets, limits, scale and offset.
///
/// Its numbers are finite and bounded: every setter clamps its input.
///
/// The range of offsets is UIScrollView's: from minus the insets to the size of the content plus the insets minus
/// the bounds. Two things are added:
///
/// - Content that is smaller than the bounds rests where the alignment puts it. UIScrollView leaves it at the top
///   left, unless a program changes the insets. `adjustedContentInset` has the insets that would do the same.
/// - Content can be rotated by any angle. Its range is a rectangle that is rotated, too: the largest rectangle in
///   the bounds that is parallel to the content stays inside it. At quarter turns that is UIScrollView's range.
///
/// The automatic insets depend on whether the content scrolls, so on its scale, and the fitting scale depends on
/// the insets. `fittingInsets` cuts the circle: at the fitting scale nothing scrolls by its size.
///
/// What many operations use is not inlined: the WebAssembly module would have a copy for each of them.
struct ContentGeometry: Equatable, Sendable {
    private(set) var bounds: Size<ViewSpace>
    private(set) var viewSize: Size<ImageSpace>
    private(set) var zoomScale = 1.0
    private(set) var minimumZoomScale = 1.0
    private(set) var maximumZoomScale = 1.0
    private(set) var contentOffset = Point<ContentSpace>.zero
    private(set) var contentInset = EdgeInsets.zero
    private(set) var safeAreaInsets = EdgeInsets.zero
    private(set) var rounding = Rounding.none
    var contentAlignment = ContentAlignment.topLeading
    var contentRotation = Rotation.none
    var isReversed = false
    var insetAdjustment = ContentInsetAdjustmentBehavior.always
    var alwaysBounceVertical = false
    var alwaysBounceHorizontal = false

    init(bounds: Size<ViewSpace>, viewSize: Size<ImageSpace>) {
        self.bounds = Size(width: Self.length(bounds.width), height: Self.length(bounds.height))
        self.viewSize = Size(width: Self.length(viewSize.width), height: Self.length(viewSize.height))
    }

    /// The maximum length, in points, of sizes and insets.
    ///
    /// It keeps products of lengths and scales finite.
    static let greatestLength = 1e12
    /// The range of zoom limits.
    static let possibleScales = 1e-9...1e9

    /// Returns a length clamped to 0 to ``greatestLength``; NaN and infinity give 0.
    static func length(_ value: Double) -> Double {
        value > 0 && value.isFinite ? min(value, greatestLength) : 0
    }

    /// Returns whether a number is positive and finite.
    ///
    /// It is clamped to the possible scales later.
    static func isScale(_ value: Double) -> Bool { value > 0 && value.isFinite }

    /// Returns the nearest possible zoom limit.
    static func possible(_ scale: Double) -> Double {
        min(max(scale, possibleScales.lowerBound), possibleScales.upperBound)
    }

    /// Returns an offset bounded so that no later product overflows.
    static func bounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        // More than the greatest content: 1e12 points at a scale of 4e9.
        let most = 1e22
        return Point(x: min(max(offset.x, -most), most), y: min(max(offset.y, -most), most))
    }

    private static func bounded(_ inset: EdgeInsets) -> EdgeInsets {
        let most = greatestLength
        return EdgeInsets(
            top: min(max(inset.top, -most), most), left: min(max(inset.left, -most), most),
            bottom: min(max(inset.bottom, -most), most), right: min(max(inset.right, -most), most))
    }
}

extension ContentGeometry {
    @inline(never)
    mutating func setBounds(_ size: Size<ViewSpace>) {
        bounds = Size(width: Self.length(size.width), height: Self.length(size.height))
    }

    mutating func setViewSize(_ size: Size<ImageSpace>) {
        viewSize = Size(width: Self.length(size.width), height: Self.length(size.height))
    }

    @inline(never)
    mutating func setInsets(content: EdgeInsets, safeArea: EdgeInsets) {
        guard content.isFinite, safeArea.isFinite else { return }
        contentInset = Self.bounded(content)
        safeAreaInsets = Self.bounded(safeArea)
    }

    mutating func setRounding(_ new: Rounding) { rounding = new }

    /// Sets both limits.
    ///
    /// Limits that are not positive and finite, or in the wrong order, have no effect.
    mutating func setZoomLimits(_ minimum: Double, _ maximum: Double) {
        guard Self.isScale(minimum), Self.isScale(maximum), minimum <= maximum else { return }
        minimumZoomScale = Self.possible(minimum)
        maximumZoomScale = Self.possible(maximum)
    }

    /// Sets the scale, which may be beyond the limits during a gesture or a flight.
    @inline(never)
    mutating func setScale(_ scale: Double) {
        guard Self.isScale(scale) else { return }
        // Two octaves of room: a pinch pulls the scale by less than one beyond its limit.
        zoomScale = min(
            max(scale, Self.possibleScales.lowerBound / 4), Self.possibleScales.upperBound * 4)
    }

    /// Sets the offset, rounded.
    ///
    /// An offset that is not finite has no effect.
    @inline(never)
    mutating func setOffset(_ offset: Point<ContentSpace>) {
        guard offset.isFinite else { return }
        contentOffset = rounded(offset)
    }

    /// Multiplies the scale and its limits by a factor.
    mutating func multiplyScales(by factor: Double) {
        minimumZoomScale = Self.possible(minimumZoomScale * factor)
        maximumZoomScale = Self.possible(maximumZoomScale * factor)
        zoomScale = Self.possible(zoomScale * factor)
    }

    /// Returns the rounded offset.
    @inline(never)
    func rounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        guard rounding != .none else { return offset }
        return Point(x: rounding.rounded(offset.x), y: rounding.rounded(offset.y))
    }
}

extension ContentGeometry {
    /// Returns the size of the zoomed and rotated content at a scale.
    func contentSize(at scale: Double) -> Size<ContentSpace> {
        guard contentRotation.sine != 0 else {
            return Size(width: viewSize.width * scale, height: viewSize.height * scale)
        }
        let extent = contentRotation.extent(width: viewSize.width, height: viewSize.height)
        return Size(width: extent.width * scale, height: extent.height * scale)
    }

    /// Returns the content inset plus the safe area where the adjustment behavior adds it.
    @inline(never)
    func insets(at scale: Double) -> EdgeInsets {
        switch insetAdjustment {
        case .always: return contentInset + safeAreaInsets
        case .never: return contentInset
        case .automatic, .scrollableAxes:
            let size = contentSize(at: scale)
            // Less than a thousandth of a point is rounding error: content at the fitting scale does not
            // scroll.
            return insets(
                acrossScrolls: size.width > bounds.width + 1e-3 || alwaysBounceHorizontal,
                downScrolls: size.height > bounds.height + 1e-3 || alwaysBounceVertical)
        }
    }

    /// The insets at the fitting scale, at which only an axis that always bounces scrolls.
    private var fittingInsets: EdgeInsets {
        switch insetAdjustment {
        case .always: contentInset + safeAreaInsets
        case .never: contentInset
        case .automatic, .scrollableAxes:
            insets(acrossScrolls: alwaysBounceHorizontal, downScrolls: alwaysBounceVertical)
        }
    }

    private func insets(acrossScrolls: Bool, downScrolls: Bool) -> EdgeInsets {
        var inset = contentInset
        if acrossScrolls {
            inset.left += safeAreaInsets.left
            inset.right += safeAreaInsets.right
        }
        if downScrolls {
            inset.top += safeAreaInsets.top
            inset.bottom += safeAreaInsets.bottom
        }
        return inset
    }

    /// The insets at the current scale plus the space that the alignment adds around small content.
    var adjustedContentInset: EdgeInsets {
        let size = contentSize(at: zoomScale)
        var inset = insets(at: zoomScale)
        let share = alignmentShare
        let across = max(0, bounds.width - inset.left - inset.right - size.width)
        let down = max(0, bounds.height - inset.top - inset.bottom - size.height)
        // The far side gets at most as much as the near side: top-leading alignment adds nothing, as in
        // UIKit.
        inset.left += across * share.x
        inset.right += across * min(share.x, 1 - share.x)
        inset.top += down * share.y
        inset.bottom += down * min(share.y, 1 - share.y)
        return inset
    }

    /// The effective alignment: reversed content is aligned with the bottom.
    private var alignmentShare: (x: Double, y: Double) {
        (contentAlignment.x, isReversed ? 1 : contentAlignment.y)
    }

    /// Returns the size of the bounds minus `inset`.
    ///
    /// It is negative if the insets overlap.
    private func clearSize(_ inset: EdgeInsets) -> (width: Double, height: Double) {
        (bounds.width - inset.left - inset.right, bounds.height - inset.top - inset.bottom)
    }

    /// The scales at which the content fits in and covers the bounds minus the insets.
    var fittingScales: (fit: Double, fill: Double) {
        let extent = contentRotation.extent(width: viewSize.width, height: viewSize.height)
        let clear = clearSize(fittingInsets)
        guard extent.width > 0, extent.height > 0, clear.width > 0, clear.height > 0 else { return (1, 1) }
        // The quotient may overflow for extremely narrow content.
        let most = Double.greatestFiniteMagnitude
        let (across, down) = (min(clear.width / extent.width, most), min(clear.height / extent.height, most))
        return (min(across, down), max(across, down))
    }

    /// Returns the offsets at which the content may rest at a scale.
    @inline(never)
    func range(at scale: Double) -> ScrollRange {
        guard contentRotation.isQuarterTurn else { return turnedRange(at: scale) }
        let size = contentSize(at: scale)
        let inset = insets(at: scale)
        let share = alignmentShare
        return ScrollRange(
            first: span(size.width, inset.left, inset.right, bounds.width, share.x),
            second: span(size.height, inset.top, inset.bottom, bounds.height, share.y))
    }

    /// The share of the bounds by which content that fits may be longer: 1050 points at the fitting scale 320/1050 are
    /// 320.00000000000006, which must neither scroll nor bounce, nor take a drag from a pager.
    private static let roundingError = 1e-9

    private func span(
        _ length: Double, _ before: Double, _ after: Double, _ bound: Double, _ share: Double
    ) -> ScrollRange.Span {
        // -before would give negative zero without an inset.
        let lower = 0 - before
        let upper = length + after - bound
        // Content that fits rests at a single offset, given by its alignment.
        guard upper - lower > Self.roundingError * bound else {
            let only = rounding.rounded(lower - max(0, lower - upper) * share)
            return ScrollRange.Span(lower: only, upper: only)
        }
        return ScrollRange.Span(lower: rounding.rounded(lower), upper: rounding.rounded(upper))
    }

    /// Returns the range of content rotated by any angle.
    private func turnedRange(at scale: Double) -> ScrollRange {
        let size = contentSize(at: scale)
        let inset = insets(at: scale)
        let clear = clearSize(inset)
        let share = alignmentShare
        let inner = contentRotation.inscribed(width: clear.width, height: clear.height)
        func half(_ length: Double, _ room: Double) -> Double {
            length - room > Self.roundingError * max(room, 0) ? max(0, (length - room) / 2) : 0
        }
        var halfWidth = half(viewSize.width * scale, inner.width)
        var halfHeight = half(viewSize.height * scale, inner.height)
        // No more travel than needed to see what extends beyond the bounds.
        let reach = contentRotation.extent(width: halfWidth, height: halfHeight)
        let across = max(0, (size.width - clear.width) / 2)
        let down = max(0, (size.height - clear.height) / 2)
        if across < reach.width, down < reach.height {
            let share = max(across / reach.width, down / reach.height)
            halfWidth *= share
            halfHeight *= share
        }
        // The offset at which the free space around the content is distributed by the alignment.
        let x = -inset.left + (size.width - clear.width) * (clear.width > size.width ? share.x : 0.5)
        let y = -inset.top + (size.height - clear.height) * (clear.height > size.height ? share.y : 0.5)
        var range = ScrollRange(
            first: ScrollRange.Span(lower: 0, upper: 0), second: ScrollRange.Span(lower: 0, upper: 0),
            cosine: contentRotation.cosine, sine: contentRotation.sine)
        let (a, b) = range.axes(Point(x: x, y: y))
        range.first = ScrollRange.Span(lower: a - halfWidth, upper: a + halfWidth)
        range.second = ScrollRange.Span(lower: b - halfHeight, upper: b + halfHeight)
        return range
    }

    /// The minimum and maximum offset per axis: the upright rectangle around the range.
    var offsetLimits: (least: Point<ContentSpace>, greatest: Point<ContentSpace>) {
        limits(of: range(at: zoomScale))
    }

    @inline(never)
    private func limits(
        of range: ScrollRange
    ) -> (least: Point<ContentSpace>, greatest: Point<ContentSpace>) {
        let (first, second) = (range.first, range.second)
        guard range.sine != 0 else {
            return (Point(x: first.lower, y: second.lower), Point(x: first.upper, y: second.upper))
        }
        let half = contentRotation.extent(
            width: (first.upper - first.lower) / 2, height: (second.upper - second.lower) / 2)
        let middle = range.point((first.lower + first.upper) / 2, (second.lower + second.upper) / 2)
        return (
            Point(x: middle.x - half.width, y: middle.y - half.height),
            Point(x: middle.x + half.width, y: middle.y + half.height)
        )
    }

    /// Returns the map between image and content at a scale.
    @inline(never)
    func map(at scale: Double) -> ContentMap {
        let size = contentSize(at: scale)
        return ContentMap(
            scale: scale, rotation: contentRotation,
            imageCenter: Point(x: viewSize.width / 2, y: viewSize.height / 2),
            contentCenter: Point(x: size.width / 2, y: size.height / 2))
    }
}
