internal import ViewportGeometry

/// A stack of controllers of which the top one is shown, with the order of calls of UINavigationController.
///
/// Transitions end in the next update of the window, or, if they are animated, when the window finishes its animations.
/// A push or pop during a transition ends that transition first.
open class NavigationController: ViewController {
    /// The controllers, from the root to the top.
    public private(set) var viewControllers: [ViewController] = []

    private var change: Change?

    /// A transition in progress.
    private struct Change {
        let exchange: AppearanceExchange
        /// The controllers that leave the stack at the end.
        let leaving: [ViewController]
        let number: Int
    }

    private var changeCount = 0

    /// Creates a stack of one controller.
    public init(root: ViewController) {
        super.init()
        viewControllers = [root]
        addChild(root)
        root.didMove(toParent: self)
    }

    /// The controller on top.
    public var topViewController: ViewController { viewControllers[viewControllers.count - 1] }

    /// Pushes a controller.
    ///
    /// A controller that is on the stack is not pushed again.
    public func push(_ controller: ViewController, animated: Bool = false) {
        guard !viewControllers.contains(where: { $0 === controller }) else { return }
        finishTransition()
        let old = topViewController
        addChild(controller)
        guard controller.parent === self else { return }
        viewControllers.append(controller)
        begin(from: old, to: controller, leaving: [], animated)
    }

    /// Pops the top controller and returns it; the root stays.
    @discardableResult
    public func pop(animated: Bool = false) -> ViewController? {
        pop(to: viewControllers.count - 2, animated).last
    }

    /// Pops all controllers except the root and returns them.
    @discardableResult
    public func popToRoot(animated: Bool = false) -> [ViewController] { pop(to: 0, animated) }

    /// Pops the controllers above `controller` and returns them; a controller that is not on the stack pops none.
    @discardableResult
    public func pop(to controller: ViewController, animated: Bool = false) -> [ViewController] {
        guard let index = viewControllers.firstIndex(where: { $0 === controller }) else { return [] }
        return pop(to: index, animated)
    }

    /// Reverses a pop in progress, as when a swipe from the edge of the screen is given up.
    public func cancelPop() {
        guard let change, !change.leaving.isEmpty else { return }
        self.change = nil
        viewControllers += change.leaving
        change.exchange.cancel(animated: true)
        removeViewsBelowTop()
        for controller in change.leaving { controller.didMove(toParent: self) }
    }

    /// Ends a transition in progress.
    public func finishTransition() {
        guard let change else { return }
        self.change = nil
        change.exchange.finish()
        removeViewsBelowTop()
        if change.leaving.isEmpty { change.exchange.new?.didMove(toParent: self) }
        for controller in change.leaving.reversed() {
            controller.viewIfLoaded?.removeFromSuperview()
            controller.removeFromParent()
        }
    }

    private func pop(to index: Int, _ animated: Bool) -> [ViewController] {
        finishTransition()
        guard index >= 0, index < viewControllers.count - 1 else { return [] }
        let leaving = Array(viewControllers[(index + 1)...])
        for controller in leaving.reversed() { controller.willMove(toParent: nil) }
        viewControllers.removeLast(leaving.count)
        begin(from: leaving.last, to: topViewController, leaving: leaving, animated)
        return leaving
    }

    private func begin(
        from old: ViewController?, to new: ViewController, leaving: [ViewController], _ animated: Bool
    ) {
        changeCount += 1
        let number = changeCount
        change = Change(
            exchange: AppearanceExchange(old: old, new: new, order: .navigation), leaving: leaving,
            number: number)
        guard isViewLoaded, let window = view.window else { return finishTransition() }
        // UIKit loads the new view before the first call.
        new.loadViewIfNeeded()
        change?.exchange.begin(animated: animated) { change?.number == number }
        guard change?.number == number else { return }
        view.addSubview(new.view)
        window.atEndOfUpdate(animated: animated) { [weak self] in
            if self?.change?.number == number { self?.finishTransition() }
        }
    }

    private func removeViewsBelowTop() {
        guard isViewLoaded, change == nil else { return }
        for controller in viewControllers.dropLast() { controller.viewIfLoaded?.removeFromSuperview() }
        if topViewController.viewIfLoaded?.superview !== view { view.addSubview(topViewController.view) }
    }

    /// Adds the view of the top controller.
    open override func viewDidLoad() { removeViewsBelowTop() }

    /// All views fill this one.
    open override func viewWillLayoutSubviews() {
        for controller in children {
            controller.viewIfLoaded?.frame = Rect(origin: .zero, size: view.bounds)
        }
    }
}
