internal import ScrollModel
public import ViewportGeometry

/// Containers of a controller.
extension ViewController {
    /// The nearest navigation controller that contains this controller; nil for none.
    public var navigationController: NavigationController? { container() }

    /// The nearest tab controller that contains this controller; nil for none.
    public var tabController: TabController? { container() }

    private func container<Container: ViewController>() -> Container? {
        for case let container as Container in sequence(first: self, next: \.parent).dropFirst() {
            return container
        }
        return nil
    }
}

/// Properties and operations of UIScrollView; the events of changes go to the delegate.
extension DelegatedScrollView {
    /// The content point at the top-left corner of the bounds, in zoomed points; may be set out of range.
    public var contentOffset: Point<ContentSpace> {
        get { model.contentOffset }
        set { perform { $0.setContentOffset(newValue) } }
    }

    /// View points per image point; a new scale is clamped to the limits, and the center of the bounds stays.
    public var zoomScale: Double {
        get { model.zoomScale }
        set { perform { $0.setZoomScale(newValue) } }
    }

    /// The size of the zoomed content.
    public var contentSize: Size<ContentSpace> {
        get { model.contentSize }
        set { perform { $0.setContentSize(newValue) } }
    }

    /// The space around the content, in view points.
    public var contentInset: EdgeInsets {
        get { model.contentInset }
        set { perform { $0.setContentInset(newValue) } }
    }

    /// Sets the content offset, in zoomed points, animated or at once.
    public func setContentOffset(_ offset: Point<ContentSpace>, animated: Bool) {
        perform { $0.setContentOffset(offset, animated: animated) }
    }

    /// Sets the zoom scale, in view points per image point, about the center of the bounds, animated or at once.
    public func setZoomScale(_ scale: Double, animated: Bool) {
        perform { $0.setZoomScale(scale, animated: animated) }
    }

    /// Zooms to a rectangle, in unzoomed image points, animated or at once.
    public func zoom(to rect: Rect<ImageSpace>, animated: Bool) {
        perform { $0.zoom(to: rect, animated: animated) }
    }

    /// Scrolls until a rectangle, in zoomed points, is visible, animated or at once.
    public func scrollRectToVisible(_ rect: Rect<ContentSpace>, animated: Bool) {
        perform { $0.scrollRectToVisible(rect, animated: animated) }
    }
}

// MARK: - Other names

extension NavigationController {
    /// See ``NavigationController/init(root:)``.
    @available(*, unavailable, renamed: "init(root:)")
    public convenience init(rootViewController: ViewController) { self.init(root: rootViewController) }

    /// See ``NavigationController/push(_:animated:)``.
    @available(*, unavailable, renamed: "push(_:animated:)")
    public func pushViewController(_ controller: ViewController, animated: Bool) {}

    /// See ``NavigationController/pop(animated:)``.
    @available(*, unavailable, renamed: "pop(animated:)")
    @discardableResult
    public func popViewController(animated: Bool) -> ViewController? { nil }

    /// See ``NavigationController/pop(to:animated:)``.
    @available(*, unavailable, renamed: "pop(to:animated:)")
    @discardableResult
    public func popToViewController(_ controller: ViewController, animated: Bool) -> [ViewController]? { nil }

    /// See ``NavigationController/popToRoot(animated:)``.
    @available(*, unavailable, renamed: "popToRoot(animated:)")
    @discardableResult
    public func popToRootViewController(animated: Bool) -> [ViewController]? { nil }

    /// See ``NavigationController/push(_:animated:)``.
    @available(*, unavailable, message: "push and pop controllers, or create another NavigationController")
    public func setViewControllers(_ controllers: [ViewController], animated: Bool) {}

    /// See ``NavigationController/topViewController``.
    @available(*, unavailable, renamed: "topViewController")
    public var visibleViewController: ViewController? { nil }

    /// See ``NavigationController/cancelPop()``.
    @available(*, unavailable, message: "a swipe is pop(animated: true); cancelPop() gives it up")
    public var interactivePopGestureRecognizer: Any? { nil }
}

extension TabController {
    /// See ``TabController/init(_:)``.
    @available(*, unavailable, message: "pass the controllers to init(_:)")
    public func setViewControllers(_ controllers: [ViewController]?, animated: Bool) {}
}

extension PageController {
    /// The number of pages and a closure replace a data source.
    @available(*, unavailable, message: "pass a closure to init(pageCount:first:page:)")
    public var dataSource: Any? {
        get { nil }
        set {}
    }

    /// See ``PageController/currentViewController``.
    @available(*, unavailable, message: "use currentViewController")
    public var viewControllers: [ViewController]? { nil }

    /// See ``PageController/scrollView``.
    @available(*, unavailable, message: "use scrollView.perform { $0.scrollToPage(index, 0) }")
    public func setViewControllers(
        _ controllers: [ViewController]?, direction: Any, animated: Bool, completion: ((Bool) -> Void)? = nil
    ) {}
}

extension ViewController {
    /// See ``ViewController/tabController``.
    @available(*, unavailable, renamed: "tabController")
    public var tabBarController: TabController? { nil }

    /// Modal presentation is not modeled.
    @available(*, unavailable, message: "push onto a NavigationController, or set Window.rootViewController")
    public func present(_ controller: ViewController, animated: Bool, completion: (() -> Void)? = nil) {}

    /// Modal presentation is not modeled.
    @available(*, unavailable, message: "pop from the NavigationController, or set Window.rootViewController")
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}

extension Window {
    /// See ``Window/show()``.
    @available(*, unavailable, renamed: "show()")
    public func makeKeyAndVisible() {}

    /// See ``Window/isShown``.
    @available(*, unavailable, message: "use isShown, show() and hide()")
    public var isHidden: Bool {
        get { false }
        set {}
    }
}

extension View {
    /// See ``View/addSubview(_:)``.
    @available(*, unavailable, message: "addSubview(_:) brings it to the front")
    public func bringSubviewToFront(_ view: View) {}
}

// UIKit's own types would be ambiguous with these.
#if !canImport(UIKit)
/// See ``View``.
@available(*, unavailable, renamed: "View")
public typealias UIView = View
/// See ``Window``.
@available(*, unavailable, renamed: "Window")
public typealias UIWindow = Window
/// See ``ViewController``.
@available(*, unavailable, renamed: "ViewController")
public typealias UIViewController = ViewController
/// See ``NavigationController``.
@available(*, unavailable, renamed: "NavigationController")
public typealias UINavigationController = NavigationController
/// See ``TabController``.
@available(*, unavailable, renamed: "TabController")
public typealias UITabBarController = TabController
#endif
