/// Rectangle that constraints can name: a ``LayoutView`` or a ``LayoutGuide``.
public class LayoutItem {
    /// Name in texts of constraints and in reports.
    public let name: String

    /// The rectangle after ``LayoutEngine/layout()``, in points of the superview.
    public var frame: LayoutRect {
        let origin = container?.rootFrame ?? LayoutRect()
        return LayoutRect(
            x: rootFrame.x - origin.x, y: rootFrame.y - origin.y, width: rootFrame.width,
            height: rootFrame.height)
    }

    /// The rectangle after ``LayoutEngine/layout()``, in points of the root view.
    public internal(set) var rootFrame = LayoutRect()

    /// Number of the item in the engine that laid it out last.
    var slot = 0

    /// The view that positions without a second item, and positions times a factor, are measured in.
    var container: LayoutView? { nil }

    fileprivate init(name: String) { self.name = name }
}

/// Rectangle without content, for spaces between views.
public final class LayoutGuide: LayoutItem {
    /// The view that the guide belongs to.
    public fileprivate(set) weak var owner: LayoutView?

    override var container: LayoutView? { owner }

    fileprivate init(name: String, owner: LayoutView) {
        self.owner = owner
        super.init(name: name)
    }
}

/// Rectangle with content, and with subviews in it.
///
/// Changes take effect with the next ``LayoutEngine/layout()``.
public final class LayoutView: LayoutItem {
    /// Natural size of the content, in points; without one, constraints alone decide.
    public var intrinsicContentSize = IntrinsicSize()
    /// Priorities that keep the view from growing beyond its intrinsic size.
    public var contentHugging = AxisPriorities(.low)
    /// Priorities that keep the view from becoming smaller than its intrinsic size.
    public var compressionResistance = AxisPriorities(.high)
    /// Distance of the first line's baseline from the top edge; nil without text.
    public var firstBaseline: Double?
    /// Distance of the last line's baseline from the bottom edge; nil without text.
    public var lastBaseline: Double?
    /// Returns the height of the content at a width, as of text that wraps.
    ///
    /// The engine first solves without it, then calls it with the width, and solves again with the height as the intrinsic height.
    public var heightForWidth: ((Double) -> Double)?
    /// Distances of ``layoutMarginsGuide`` from the edges; 8 points as in UIKit.
    public var layoutMargins = LayoutMargins(8)
    /// Direction of reading among the subviews; nil takes that of the superview, and of roots from left to right.
    public var layoutDirection: LayoutDirection?

    /// The view that contains this view; held weakly, nil for a root.
    public private(set) weak var superview: LayoutView?
    /// Views in this view, in the order of their addition.
    public private(set) var subviews: [LayoutView] = []
    /// Guides of this view, without ``layoutMarginsGuide``.
    public private(set) var layoutGuides: [LayoutGuide] = []
    /// Guide that is smaller than the view by ``layoutMargins``.
    public var layoutMarginsGuide: LayoutGuide {
        if let marginsGuide { return marginsGuide }
        let guide = LayoutGuide(name: "\(name).margins", owner: self)
        marginsGuide = guide
        return guide
    }
    /// The margins guide, if it is in use.
    private(set) var marginsGuide: LayoutGuide?

    override var container: LayoutView? { superview }

    /// Makes a view without a superview.
    public override init(name: String) { super.init(name: name) }

    /// Adds a view, and removes it from its superview before.
    ///
    /// Does nothing if it contains this view.
    public func addSubview(_ view: LayoutView) {
        guard !sequence(first: self, next: \.superview).contains(where: { $0 === view }) else { return }
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
    }

    /// Removes this view from its superview; its constraints have no effect while it is outside.
    public func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }

    /// Adds a guide, and returns it: a rectangle in this view that constraints can name.
    @discardableResult
    public func addLayoutGuide(name: String) -> LayoutGuide {
        let guide = LayoutGuide(name: name, owner: self)
        layoutGuides.append(guide)
        return guide
    }

    /// Removes a guide; its constraints have no effect while it is outside.
    public func removeLayoutGuide(_ guide: LayoutGuide) {
        guard guide.owner === self else { return }
        layoutGuides.removeAll { $0 === guide }
        guide.owner = nil
    }

    /// The direction of this view, or that of the nearest superview with a direction.
    public var effectiveLayoutDirection: LayoutDirection {
        sequence(first: self, next: \.superview).lazy.compactMap(\.layoutDirection).first ?? .leftToRight
    }
}
