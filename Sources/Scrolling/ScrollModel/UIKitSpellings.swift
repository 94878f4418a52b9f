// The WebAssembly module is called by name from JavaScript.
#if !hasFeature(Embedded)

public import ViewportGeometry

/// Operations with UIKit's Boolean instead of a timing.
extension ScrollView {
    /// Sets the content offset, with the ``Timing/standard`` timing if `animated`.
    ///
    /// As in UIScrollView, the offset may be out of range; a later gesture brings it back.
    @discardableResult
    public mutating func setContentOffset(_ offset: Point<ContentSpace>, animated: Bool) -> ScrollEvents {
        animated ? setContentOffset(offset, animated: Timing.standard) : setContentOffset(offset)
    }

    /// Scrolls until `rect`, in zoomed content points, is visible, with the ``Timing/standard`` timing if `animated`.
    ///
    /// See ``scrollRectToVisible(_:alignment:)``.
    @discardableResult
    public mutating func scrollRectToVisible(
        _ rect: Rect<ContentSpace>, alignment: RectAlignment = .nearest, animated: Bool
    ) -> ScrollEvents {
        guard animated else { return scrollRectToVisible(rect, alignment: alignment) }
        return scrollRectToVisible(rect, alignment: alignment, animated: Timing.standard)
    }

    /// Zooms to `scale`, with the ``Timing/standard`` timing if `animated`.
    ///
    /// See ``setZoomScale(_:anchor:)``.
    @discardableResult
    public mutating func setZoomScale(
        _ scale: Double, anchor: Point<ViewSpace>? = nil, animated: Bool
    ) -> ScrollEvents {
        guard animated else { return setZoomScale(scale, anchor: anchor) }
        return setZoomScale(scale, anchor: anchor, animated: Timing.standard)
    }

    /// Zooms to `rect`, in unzoomed image points, with the ``Timing/standard`` timing if `animated`.
    ///
    /// See ``zoom(to:)``.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>, animated: Bool) -> ScrollEvents {
        animated ? zoom(to: rect, animated: Timing.standard) : zoom(to: rect)
    }

    /// Zooms in about a point, or out from the maximum, with the ``Timing/standard`` timing if `animated`.
    ///
    /// See ``doubleTap(at:animated:)-(_,Timing?)``.
    @discardableResult
    public mutating func doubleTap(at point: Point<ViewSpace>, animated: Bool) -> ScrollEvents {
        doubleTap(at: point, animated: animated ? Timing.standard : nil)
    }

    /// Zooms out about a point, with the ``Timing/standard`` timing if `animated`.
    ///
    /// See ``twoFingerTap(at:animated:)-(_,Timing?)``.
    @discardableResult
    public mutating func twoFingerTap(at point: Point<ViewSpace>, animated: Bool) -> ScrollEvents {
        twoFingerTap(at: point, animated: animated ? Timing.standard : nil)
    }

    /// Scrolls to a page, with the ``Timing/standard`` timing if `animated`.
    ///
    /// See ``scrollToPage(_:_:animated:)-(_,_,Timing?)``.
    @discardableResult
    public mutating func scrollToPage(_ across: Int, _ down: Int, animated: Bool) -> ScrollEvents {
        scrollToPage(across, down, animated: animated ? Timing.standard : nil)
    }
}

/// Types that UIKit nests in UIScrollView.
extension ScrollView {
    /// The rate at which content loses its velocity after a flick.
    public typealias DecelerationRate = ScrollModel.DecelerationRate
    /// The edges at which the safe area is added to the content inset.
    public typealias ContentInsetAdjustmentBehavior = ScrollModel.ContentInsetAdjustmentBehavior
}

// MARK: - Other names

extension ScrollView {
    /// See ``ScrollView/init(bounds:viewSize:)``.
    @available(*, unavailable, message: "use init(bounds:viewSize:)")
    public init(frame: Rect<ViewSpace>) { self.init(bounds: frame.size, viewSize: .zero) }

    /// See ``ScrollView/bounds``.
    @available(*, unavailable, message: "a scroll view has a size only: use bounds and setBounds(_:)")
    public var frame: Rect<ViewSpace> {
        get { .zero }
        set {}
    }

    /// See ``ScrollView/show(_:)``.
    @available(*, unavailable, message: "use show(_:), which sets scale, alignment and offset once")
    public var contentMode: ContentMode {
        get { .redraw }
        set {}
    }

    /// See ``ScrollView/contentAlignment``.
    @available(*, unavailable, renamed: "contentAlignment")
    public var contentAlignmentPoint: Point<ViewSpace> {
        get { .zero }
        set {}
    }

    /// See ``ScrollView/isScrollEnabled``.
    @available(*, unavailable, renamed: "isScrollEnabled")
    public var isUserInteractionEnabled: Bool {
        get { false }
        set {}
    }

    /// See ``ScrollView/isAnimating``.
    @available(*, unavailable, renamed: "isAnimating")
    public var isScrollAnimating: Bool { false }

    /// See ``ScrollView/isAnimating``.
    @available(*, unavailable, renamed: "isAnimating")
    public var isZoomAnimating: Bool { false }

    /// See ``ScrollView/stop()``.
    @available(*, unavailable, renamed: "stop()")
    public mutating func stopScrollingAndZooming() {}

    /// See ``ScrollView/press(_:animated:)``.
    @available(*, unavailable, message: "the program passes keys to press(_:animated:), or does not")
    public var allowsKeyboardScrolling: Bool {
        get { false }
        set {}
    }

    /// See ``ScrollEvents``.
    @available(
        *, unavailable,
        message: "operations return their events; DelegatedScrollView of ViewportControl has a delegate"
    )
    public var delegate: Any? {
        get { nil }
        set {}
    }

    /// See ``ScrollEvent/didChangeAdjustedContentInset``.
    @available(*, unavailable, message: "operations return the event didChangeAdjustedContentInset")
    public func adjustedContentInsetDidChange() {}
}

extension DecelerationRate {
    /// See ``DecelerationRate/perMillisecond``.
    @available(*, unavailable, renamed: "perMillisecond")
    public var rawValue: Double { perMillisecond }

    /// See ``DecelerationRate/init(perMillisecond:)``.
    @available(*, unavailable, renamed: "init(perMillisecond:)")
    public init(rawValue: Double) { self.init(perMillisecond: rawValue) }
}

// MARK: - Touches

extension ScrollView {
    /// See ``ScrollView/touches(_:_:phase:)``.
    @available(*, unavailable, message: "pass touches to touches(_:phase:), which recognizes drags")
    public var panGestureRecognizer: Any? { nil }

    /// See ``ScrollView/touches(_:_:phase:)``.
    @available(*, unavailable, message: "pass touches to touches(_:phase:), which recognizes pinches")
    public var pinchGestureRecognizer: Any? { nil }

    /// See ``ScrollView/press(_:animated:)``.
    @available(*, unavailable, message: "pass keys to press(_:animated:)")
    public var directionalPressGestureRecognizer: Any? { nil }

    /// The content has no subviews.
    @available(*, unavailable, message: "the content has no subviews that receive touches")
    public var delaysContentTouches: Bool {
        get { false }
        set {}
    }

    /// The content has no subviews.
    @available(*, unavailable, message: "the content has no subviews that receive touches")
    public var canCancelContentTouches: Bool {
        get { false }
        set {}
    }

    /// A scroll view has no parent.
    @available(*, unavailable, message: "a scroll view has no parent")
    public var transfersHorizontalScrollingToParent: Bool {
        get { false }
        set {}
    }

    /// A scroll view has no parent.
    @available(*, unavailable, message: "a scroll view has no parent")
    public var transfersVerticalScrollingToParent: Bool {
        get { false }
        set {}
    }
}

// MARK: - What only a screen has

extension ScrollView {
    /// See ``ScrollView/horizontalScrollIndicator``.
    @available(*, unavailable, message: "draw the frame horizontalScrollIndicator, or do not")
    public var showsHorizontalScrollIndicator: Bool {
        get { false }
        set {}
    }

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "draw the frame verticalScrollIndicator, or do not")
    public var showsVerticalScrollIndicator: Bool {
        get { false }
        set {}
    }

    /// See ``ScrollView/horizontalScrollIndicator``.
    @available(*, unavailable, message: "horizontalScrollIndicator is inside the insets and the safe area")
    public var horizontalScrollIndicatorInsets: EdgeInsets {
        get { .zero }
        set {}
    }

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "verticalScrollIndicator is inside the insets and the safe area")
    public var verticalScrollIndicatorInsets: EdgeInsets {
        get { .zero }
        set {}
    }

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "the indicators are inside the insets and the safe area")
    public var scrollIndicatorInsets: EdgeInsets {
        get { .zero }
        set {}
    }

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "the indicators are always inside the insets and the safe area")
    public var automaticallyAdjustsScrollIndicatorInsets: Bool {
        get { true }
        set {}
    }

    /// The style of an indicator that a program draws.
    @available(*, unavailable, message: "the program draws the indicators")
    public enum IndicatorStyle {
        case `default`, black, white
    }

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "the program draws the indicators")
    public var indicatorStyle: IndicatorStyle {
        get { .default }
        set {}
    }

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "the program draws the indicators")
    public func flashScrollIndicators() {}

    /// See ``ScrollView/verticalScrollIndicator``.
    @available(*, unavailable, message: "the program draws the indicators")
    public func withScrollIndicatorsShown(forContentOffsetChanges changes: () -> Void) {}

    /// The model has no on-screen keyboard.
    @available(*, unavailable, message: "the model has no on-screen keyboard: react to willBeginDragging")
    public enum KeyboardDismissMode {
        case none, onDrag, interactive, onDragWithAccessory, interactiveWithAccessory
    }

    /// The model has no on-screen keyboard.
    @available(*, unavailable, message: "the model has no on-screen keyboard: react to willBeginDragging")
    public var keyboardDismissMode: KeyboardDismissMode {
        get { .none }
        set {}
    }

    /// The program draws.
    @available(*, unavailable, message: "compare contentOffset with minimumContentOffset")
    public var refreshControl: Any? {
        get { nil }
        set {}
    }

    /// The model has no layout system.
    @available(*, unavailable, message: "use bounds, or the product ConstraintLayout")
    public var frameLayoutGuide: Any? { nil }

    /// The model has no layout system.
    @available(*, unavailable, message: "use contentSize, or the product ConstraintLayout")
    public var contentLayoutGuide: Any? { nil }

    /// The model draws nothing.
    @available(*, unavailable, message: "the model draws nothing: draw the image within visibleRect")
    public func addSubview(_ view: Any) {}
}

// UIKit's own types would be ambiguous with these.
#if !canImport(UIKit)
/// See ``ScrollView``.
@available(*, unavailable, renamed: "ScrollView")
public typealias UIScrollView = ScrollView
/// See ``ScrollEvent``.
@available(*, unavailable, message: "operations return ScrollEvents; ViewportControl has ScrollViewDelegate")
public typealias UIScrollViewDelegate = Never
/// See ``RectEdge/Set``.
@available(*, unavailable, renamed: "RectEdge.Set")
public typealias UIRectEdge = RectEdge.Set
/// See ``ScreenEdgePanRecognizer``.
@available(*, unavailable, renamed: "ScreenEdgePanRecognizer")
public typealias UIScreenEdgePanGestureRecognizer = ScreenEdgePanRecognizer
/// See ``ScrollView/touches(_:_:phase:)``.
@available(*, unavailable, message: "pass touches to ScrollView.touches(_:phase:), which recognizes drags")
public final class UIPanGestureRecognizer {
    public init(target: Any? = nil, action: Any? = nil) {}
}
/// See ``ScrollView/touches(_:_:phase:)``.
@available(*, unavailable, message: "pass touches to ScrollView.touches(_:phase:), which recognizes pinches")
public final class UIPinchGestureRecognizer {
    public init(target: Any? = nil, action: Any? = nil) {}
}
/// See ``ScrollView/doubleTap(at:animated:)-(_,Bool)``.
@available(*, unavailable, message: "use ScrollView.doubleTap(at:) and twoFingerTap(at:)")
public final class UITapGestureRecognizer {
    public init(target: Any? = nil, action: Any? = nil) {}
}
/// See ``ScrollView/scrollToPage(_:_:animated:)-(_,_,Bool)``.
@available(*, unavailable, message: "set isPagingEnabled of ScrollView; ViewportControl has PageController")
public typealias UIPageViewController = Never
/// See ``Touch``.
@available(*, unavailable, renamed: "Touch")
public typealias UITouch = Touch
#endif

#endif
