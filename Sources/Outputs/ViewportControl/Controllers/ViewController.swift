public import ViewportGeometry

/// Manages a view and its children, with the life cycle and the containment of UIViewController.
///
/// Override the methods of the life cycle as in UIKit; the implementations here do nothing, and calling `super` is not
/// necessary except in ``viewWillTransition(to:)``, ``didReceiveMemoryWarning()`` and ``loadView()``.
@MainActor
open class ViewController {
    /// The controller that contains this one.
    public private(set) weak var parent: ViewController?
    /// The controllers in this one.
    public private(set) var children: [ViewController] = []
    /// The view, if it is loaded.
    public private(set) var viewIfLoaded: View?
    /// The progress of the view onto the screen and off it.
    public private(set) var appearance = Appearance.disappeared

    /// The appearance within the parent: what transitions of the parent leave out.
    private var ownAppearance = Appearance.disappeared
    /// Whether the last transition that this controller began is animated.
    private var isAnimated = false
    /// The number of steps, to detect callbacks that cause further steps.
    private var stepCount = 0
    private var isLoading = false

    /// Creates a controller; its view is loaded when it is first used.
    public init() {}

    // MARK: The view

    /// The view, which is loaded by its first use.
    ///
    /// Its size is zero until the first layout.
    public var view: View {
        get {
            loadViewIfNeeded()
            // While `loadView` runs there may be none.
            return viewIfLoaded ?? View()
        }
        set {
            viewIfLoaded?.controller = nil
            viewIfLoaded = newValue
            newValue.controller = self
        }
    }

    /// Whether the view is loaded.
    public var isViewLoaded: Bool { viewIfLoaded != nil }

    /// Loads the view if it is not loaded.
    public func loadViewIfNeeded() {
        guard viewIfLoaded == nil, !isLoading else { return }
        isLoading = true
        loadView()
        if viewIfLoaded == nil { view = View() }
        isLoading = false
        viewDidLoad()
    }

    /// Sets ``view``; overrides set a view of another class and do not call `super`.
    open func loadView() { view = View() }

    // MARK: Life cycle

    /// The view is loaded, once; its size is not known.
    open func viewDidLoad() {}
    /// The view is about to appear; its size is not known the first time.
    open func viewWillAppear(_ animated: Bool) {}
    /// The view is about to be laid out; its size is known.
    open func viewWillLayoutSubviews() {}
    /// The view was laid out.
    open func viewDidLayoutSubviews() {}
    /// The view is on screen.
    open func viewDidAppear(_ animated: Bool) {}
    /// The view is about to disappear; it may also appear again without having disappeared.
    open func viewWillDisappear(_ animated: Bool) {}
    /// The view is off screen.
    open func viewDidDisappear(_ animated: Bool) {}

    /// The view is about to get another size; sent to the children whose size will change, too.
    open func viewWillTransition(to size: Size<ViewSpace>) {
        for child in children where child.viewIfLoaded?.superview != nil {
            let new = self.size(forChild: child, withParentSize: size)
            if new != child.view.bounds { child.viewWillTransition(to: new) }
        }
    }

    // In the class, so that the messages are for overrides, too.

    /// See ``viewWillTransition(to:)``.
    @available(*, unavailable, message: "use viewWillTransition(to:); there is no coordinator")
    open func viewWillTransition(to size: Size<ViewSpace>, with coordinator: Any) {}

    /// See ``viewWillLayoutSubviews()``.
    @available(*, unavailable, message: "use viewWillLayoutSubviews(), when the size is known")
    open func viewIsAppearing(_ animated: Bool) {}

    /// Returns the size that a child will have when this controller's view has the size `size`.
    ///
    /// By default, a child that fills the view continues to fill it, and others keep their size.
    open func size(forChild child: ViewController, withParentSize size: Size<ViewSpace>) -> Size<ViewSpace> {
        child.view.bounds == view.bounds ? size : child.view.bounds
    }

    /// Memory is short; sent to all children.
    open func didReceiveMemoryWarning() {
        for child in children { child.didReceiveMemoryWarning() }
    }

    // MARK: Containment

    /// Whether children appear and disappear with this controller and with their views.
    ///
    /// Containers that override it with false call ``beginAppearanceTransition(_:animated:)`` and
    /// ``endAppearanceTransition()`` of their children.
    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

    /// Adds a child, after removing it from its parent.
    ///
    /// Calls the child's ``willMove(toParent:)``. The container adds the child's view and then calls
    /// ``didMove(toParent:)``. A controller that contains this one is not added.
    public func addChild(_ child: ViewController) {
        guard child.parent !== self, !sequence(first: self, next: \.parent).contains(where: { $0 === child })
        else { return }
        child.removeFromParent()
        child.willMove(toParent: self)
        children.append(child)
        child.parent = self
        child.updateInHierarchy()
    }

    /// Removes the controller from its parent and calls ``didMove(toParent:)``.
    ///
    /// The container calls ``willMove(toParent:)`` and removes the view first. A controller that is on screen disappears.
    public func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        setOwnAppearance(.disappeared)
        didMove(toParent: nil)
    }

    /// The controller is about to get a parent, or to lose it.
    open func willMove(toParent parent: ViewController?) {}
    /// The controller got a parent, or lost it.
    open func didMove(toParent parent: ViewController?) {}

    /// Begins a transition; the view appears or disappears within the parent.
    ///
    /// Calls ``viewWillAppear(_:)`` or ``viewWillDisappear(_:)`` unless that was called already, or the parent is off
    /// screen and forwards its appearance. The opposite transition may be in progress: it is reversed.
    public func beginAppearanceTransition(_ isAppearing: Bool, animated: Bool) {
        guard ownAppearance.isVisible != isAppearing else { return }
        isAnimated = animated
        setOwnAppearance(isAppearing ? .appearing : .disappearing)
    }

    /// Ends a transition with ``viewDidAppear(_:)`` or ``viewDidDisappear(_:)``.
    ///
    /// Without a transition it does nothing.
    public func endAppearanceTransition() {
        setOwnAppearance(ownAppearance.isVisible ? .appeared : .disappeared)
    }
}

/// How appearances follow from those of the parent and the views.
extension ViewController {
    /// The parent whose appearance limits this one.
    private var forwarding: ViewController? {
        parent.flatMap { $0.shouldAutomaticallyForwardAppearanceMethods ? $0 : nil }
    }

    /// Follows a change of the view's place in the hierarchy.
    func updateInHierarchy() {
        guard let parent = forwarding else { return }
        guard let view = viewIfLoaded, let above = parent.viewIfLoaded, view !== above,
            view.isDescendant(of: above)
        else { return setOwnAppearance(.disappeared) }
        guard ownAppearance == .disappeared else { return }
        // Within a transition of the parent the child appears with it.
        guard parent.appearance == .appeared, let window = view.window else {
            return setOwnAppearance(.appeared)
        }
        beginAppearanceTransition(true, animated: false)
        window.atEndOfUpdate { [weak self] in self?.endAppearanceTransition() }
    }

    /// Ends a transition unless the opposite one has begun.
    func endAppearanceTransition(appearing: Bool) {
        if ownAppearance.isVisible == appearing { endAppearanceTransition() }
    }

    private func setOwnAppearance(_ appearance: Appearance) {
        ownAppearance = appearance
        updateAppearance()
    }

    /// Makes the calls that lead to the appearance which follows from the parent's.
    ///
    /// Callbacks may change anything: each step starts from the state that they left.
    private func updateAppearance() {
        while let step = appearance.step(to: ownAppearance.within(forwarding?.appearance ?? .appeared)) {
            if step == .appearing, viewIfLoaded == nil, !isLoading {
                loadViewIfNeeded()
                continue
            }
            appearance = step
            stepCount += 1
            let (count, animated) = (stepCount, transition.isAnimated)
            // Parents begin before their children and end after them.
            if step == .appearing { viewWillAppear(animated) }
            if step == .disappearing { viewWillDisappear(animated) }
            if shouldAutomaticallyForwardAppearanceMethods {
                for child in children where child.parent === self { child.updateAppearance() }
            }
            guard count == stepCount else { continue }
            if step == .appeared { viewDidAppear(animated) }
            if step == .disappeared { viewDidDisappear(animated) }
        }
    }

    /// The controller whose transition this one takes part in.
    private var transition: ViewController {
        guard ownAppearance.isSettled, let parent = forwarding else { return self }
        return parent.transition
    }
}
