public import ViewportGeometry

/// The screen of a device, played by code: its size, whether it is on, and the controller that it shows.
///
/// ``update()`` is a turn of the run loop. Showing, hiding and resizing include one.
public final class Window: View {
    /// The controller whose view fills the window; kept alive by it.
    public var rootViewController: ViewController? {
        didSet {
            guard rootViewController !== oldValue else { return }
            if isShown { hide(oldValue) }
            if isShown { present() }
        }
    }
    /// Whether the window is on screen.
    public private(set) var isShown = false

    private var endings: [@MainActor () -> Void] = []
    private var animations: [@MainActor () -> Void] = []

    /// Creates a window and shows a controller in it.
    public init(size: Size<ViewSpace>, root: ViewController) {
        super.init(frame: Rect(origin: .zero, size: size))
        rootViewController = root
        show()
    }

    /// Shows the window: the root appears.
    public func show() {
        guard !isShown else { return }
        isShown = true
        present()
        update()
    }

    /// Hides the window: the root disappears.
    public func hide() {
        guard isShown else { return }
        isShown = false
        hide(rootViewController)
    }

    /// Changes the size of the window after ``ViewController/viewWillTransition(to:)``.
    public func resize(to size: Size<ViewSpace>) {
        guard size != bounds, size.isFinite else { return }
        if isShown { rootViewController?.viewWillTransition(to: size) }
        frame.size = size
        update()
    }

    /// Turns the device by a quarter: width and height change places.
    public func rotate() { resize(to: Size(width: bounds.height, height: bounds.width)) }

    /// Performs one turn of the run loop: lays out the views that need it, then ends the transitions that are not animated.
    public func update() {
        guard isShown else { return }
        layoutIfNeeded()
        let ended = endings
        endings = []
        for end in ended { end() }
    }

    /// Ends the animated transitions, as if their time had passed.
    public func finishAnimations() {
        endings += animations
        animations = []
        update()
    }

    /// Sends ``ViewController/didReceiveMemoryWarning()`` to all controllers.
    public func sendMemoryWarning() { rootViewController?.didReceiveMemoryWarning() }

    /// The root fills the window.
    public override func layoutSubviews() {
        rootViewController?.viewIfLoaded?.frame = Rect(origin: .zero, size: bounds)
    }

    /// Calls a closure at the end of the next update, or when animations are finished.
    func atEndOfUpdate(animated: Bool = false, _ end: @escaping @MainActor () -> Void) {
        if animated { animations.append(end) } else { endings.append(end) }
    }

    private func present() {
        guard let root = rootViewController else { return }
        root.loadViewIfNeeded()
        root.beginAppearanceTransition(true, animated: false)
        guard root === rootViewController, isShown else { return }
        addSubview(root.view)
        atEndOfUpdate { [weak self, weak root] in
            guard let self, let root, root === rootViewController, isShown else { return }
            root.endAppearanceTransition()
        }
    }

    private func hide(_ root: ViewController?) {
        root?.beginAppearanceTransition(false, animated: false)
        root?.viewIfLoaded?.removeFromSuperview()
        root?.endAppearanceTransition()
    }
}
