internal import ViewportGeometry

/// Sizes, insets, limits, and the scale and offset that hold: what is seen at one moment, and no motion.
///
/// Its numbers are finite and bounded: every setter takes what it is given into what can be computed with.
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

    /// The greatest length, in points, that a size or an inset may have.
    ///
    /// It keeps every product that is computed from lengths and scales far from overflow.
    static let greatestLength = 1e12
    /// The scales that a zoom limit may have.
    static let possibleScales = 1e-9...1e9

    /// A length that may be used: not negative, finite.
    static func length(_ value: Double) -> Double {
        value > 0 && value.isFinite ? min(value, greatestLength) : 0
    }

    /// Whether a number may be used as a scale; it is taken into the possible ones later.
    static func isScale(_ value: Double) -> Bool { value > 0 && value.isFinite }

    /// The nearest scale that a limit may have.
    static func possible(_ scale: Double) -> Double {
        min(max(scale, possibleScales.lowerBound), possibleScales.upperBound)
    }

    /// An offset that no later product can take out of the finite numbers.
    static func bounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
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

    /// Sets both limits; limits that are not positive and finite, or in the wrong order, change nothing.
    mutating func setZoomLimits(_ minimum: Double, _ maximum: Double) {
        guard Self.isScale(minimum), Self.isScale(maximum), minimum <= maximum else { return }
        minimumZoomScale = Self.possible(minimum)
        maximumZoomScale = Self.possible(maximum)
    }

    /// Sets the scale, which may leave the limits while a gesture or a flight holds it there.
    @inline(never)
    mutating func setScale(_ scale: Double) {
        guard Self.isScale(scale) else { return }
        zoomScale = min(
            max(scale, Self.possibleScales.lowerBound / 4), Self.possibleScales.upperBound * 4)
    }

    /// Sets the offset, rounded; one that is not finite changes nothing.
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

    /// The offset that is seen for an exact one.
    @inline(never)
    func rounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        guard rounding != .none else { return offset }
        return Point(x: rounding.rounded(offset.x), y: rounding.rounded(offset.y))
    }
}

extension ContentGeometry {
    /// The size of the zoomed and turned content at a scale.
    func contentSize(at scale: Double) -> Size<ContentSpace> {
        guard contentRotation.sine != 0 else {
            return Size(width: viewSize.width * scale, height: viewSize.height * scale)
        }
        let extent = contentRotation.extent(width: viewSize.width, height: viewSize.height)
        return Size(width: extent.width * scale, height: extent.height * scale)
    }

    /// The content inset, and the safe area where the adjustment adds it at this scale.
    @inline(never)
    func insets(at scale: Double) -> EdgeInsets {
        switch insetAdjustment {
        case .always: return contentInset + safeAreaInsets
        case .never: return contentInset
        case .automatic, .scrollableAxes:
            let size = contentSize(at: scale)
            // Less than a thousandth of a point is arithmetic: content at the fitting scale does not scroll.
            return insets(
                acrossScrolls: size.width > bounds.width + 1e-3 || alwaysBounceHorizontal,
                downScrolls: size.height > bounds.height + 1e-3 || alwaysBounceVertical)
        }
    }

    /// The insets of content that fits: at the fitting scale only an axis that always bounces scrolls.
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

    /// The insets at the present scale, and what the alignment adds around content smaller than the bounds.
    var adjustedContentInset: EdgeInsets {
        let size = contentSize(at: zoomScale)
        var inset = insets(at: zoomScale)
        let share = alignmentShare
        let across = max(0, bounds.width - inset.left - inset.right - size.width)
        let down = max(0, bounds.height - inset.top - inset.bottom - size.height)
        // On the far side no more than on the near one: at the top-left corner nothing is added, as in UIKit.
        inset.left += across * share.x
        inset.right += across * min(share.x, 1 - share.x)
        inset.top += down * share.y
        inset.bottom += down * min(share.y, 1 - share.y)
        return inset
    }

    /// The alignment in force: reversed content stands at the bottom.
    private var alignmentShare: (x: Double, y: Double) {
        (contentAlignment.x, isReversed ? 1 : contentAlignment.y)
    }

    /// The part of the bounds inside `inset`; a negative size where the insets overlap.
    private func clearSize(_ inset: EdgeInsets) -> (width: Double, height: Double) {
        (bounds.width - inset.left - inset.right, bounds.height - inset.top - inset.bottom)
    }

    /// The scales at which the content fits into and covers the bounds, less the insets.
    var fittingScales: (fit: Double, fill: Double) {
        let extent = contentRotation.extent(width: viewSize.width, height: viewSize.height)
        let clear = clearSize(fittingInsets)
        guard extent.width > 0, extent.height > 0, clear.width > 0, clear.height > 0 else { return (1, 1) }
        // Content of next to no width: a quotient may be infinite.
        let most = Double.greatestFiniteMagnitude
        let (across, down) = (min(clear.width / extent.width, most), min(clear.height / extent.height, most))
        return (min(across, down), max(across, down))
    }

    /// The offsets at which the content may rest at a scale.
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

    private func span(
        _ length: Double, _ before: Double, _ after: Double, _ bound: Double, _ share: Double
    ) -> ScrollRange.Span {
        // Not -before: that would make a negative zero of no inset.
        let lower = 0 - before
        let upper = length + after - bound
        // Content that fits rests at one offset: its share of the free space.
        guard upper >= lower else {
            let only = rounding.rounded(lower - (lower - upper) * share)
            return ScrollRange.Span(lower: only, upper: only)
        }
        return ScrollRange.Span(lower: rounding.rounded(lower), upper: rounding.rounded(upper))
    }

    /// The range of content turned by any angle.
    private func turnedRange(at scale: Double) -> ScrollRange {
        let size = contentSize(at: scale)
        let inset = insets(at: scale)
        let clear = clearSize(inset)
        let share = alignmentShare
        let inner = contentRotation.inscribed(width: clear.width, height: clear.height)
        var halfWidth = max(0, (viewSize.width * scale - inner.width) / 2)
        var halfHeight = max(0, (viewSize.height * scale - inner.height) / 2)
        // No more room than it takes to see what reaches out of the bounds: none where all of it fits.
        let reach = contentRotation.extent(width: halfWidth, height: halfHeight)
        let across = max(0, (size.width - clear.width) / 2)
        let down = max(0, (size.height - clear.height) / 2)
        if across < reach.width, down < reach.height {
            let share = max(across / reach.width, down / reach.height)
            halfWidth *= share
            halfHeight *= share
        }
        // The offset at which the clear part of the bounds has its share of the free space around the
        // content.
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

    /// The least and the greatest offset per axis: the upright rectangle around the range.
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

    /// The image point at a content point, at some scale.
    @inline(never)
    func image(_ point: Point<ContentSpace>, at scale: Double) -> Point<ImageSpace> {
        guard contentRotation.sine != 0 || contentRotation.cosine != 1 else {
            return Point(x: point.x / scale, y: point.y / scale)
        }
        let size = contentSize(at: scale)
        let (x, y) = contentRotation.turnedBack(
            (point.x - size.width / 2) / scale, (point.y - size.height / 2) / scale)
        return Point(x: x + viewSize.width / 2, y: y + viewSize.height / 2)
    }

    /// The content point at an image point, at some scale.
    @inline(never)
    func content(_ point: Point<ImageSpace>, at scale: Double) -> Point<ContentSpace> {
        guard contentRotation.sine != 0 || contentRotation.cosine != 1 else {
            return Point(x: point.x * scale, y: point.y * scale)
        }
        let size = contentSize(at: scale)
        let (x, y) = contentRotation.turned(point.x - viewSize.width / 2, point.y - viewSize.height / 2)
        return Point(x: x * scale + size.width / 2, y: y * scale + size.height / 2)
    }
}
