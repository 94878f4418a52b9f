public import ViewportGeometry

/// A rectangle of a window that a controller manages, without drawing.
///
/// A view keeps its subviews alive. Its superview, its controller and its window are weak references.
@MainActor
open class View {
    /// The rectangle in the superview.
    ///
    /// A new size causes a layout.
    public var frame: Rect<ViewSpace> {
        didSet { if frame.size != oldValue.size { setNeedsLayout() } }
    }
    /// The size; zero until the first layout.
    public var bounds: Size<ViewSpace> { frame.size }
    /// The view that contains this one.
    public private(set) weak var superview: View?
    /// The views in this one, from back to front.
    public private(set) var subviews: [View] = []
    /// The controller that manages this view.
    public internal(set) weak var controller: ViewController?
    /// Whether the next update of the window lays this view out.
    public private(set) var needsLayout = true

    /// Creates a view; its size is zero until somebody sets it.
    public init(frame: Rect<ViewSpace> = .zero) { self.frame = frame }

    /// The window that shows the view.
    public var window: Window? { superview?.window ?? self as? Window }

    /// Adds a view in front of the others, after removing it from its superview.
    ///
    /// Controllers of views in it appear if their parent is on screen. A view that contains this one is not added.
    public func addSubview(_ view: View) {
        guard !isDescendant(of: view) else { return }
        if view.superview === self {
            subviews.removeAll { $0 === view }
            subviews.append(view)
            return
        }
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
        view.needsLayout = true
        setNeedsLayout()
        for controller in view.controllers { controller.updateInHierarchy() }
    }

    /// Removes the view; controllers of views in it disappear at once.
    public func removeFromSuperview() {
        guard let old = superview else { return }
        old.subviews.removeAll { $0 === self }
        superview = nil
        old.setNeedsLayout()
        for controller in controllers { controller.updateInHierarchy() }
    }

    /// Returns whether a view is this view or contains it.
    public func isDescendant(of view: View) -> Bool {
        self === view || superview?.isDescendant(of: view) ?? false
    }

    /// Requests a layout in the next update of the window.
    public func setNeedsLayout() { needsLayout = true }

    /// Positions the subviews; does nothing by default.
    open func layoutSubviews() {}

    /// Lays out this view and those in it that need it, between the calls of their controllers.
    func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            controller?.viewWillLayoutSubviews()
            layoutSubviews()
            controller?.viewDidLayoutSubviews()
        }
        for view in subviews where view.superview === self { view.layoutIfNeeded() }
    }

    /// The topmost controllers of the views in this one.
    private var controllers: [ViewController] {
        controller.map { [$0] } ?? subviews.flatMap(\.controllers)
    }
}
