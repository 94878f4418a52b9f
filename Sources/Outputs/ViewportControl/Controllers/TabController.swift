internal import ViewportGeometry

/// Controllers of which the selected one is shown, with the order of calls of UITabBarController.
///
/// Views are loaded when they are first selected. A change ends in the next update of the window.
open class TabController: ViewController {
    /// The controllers of the tabs.
    public let viewControllers: [ViewController]
    /// The index of the selected tab.
    ///
    /// Setting an index without a tab has no effect.
    public var selectedIndex: Int {
        get { selected }
        set { if newValue != selected, viewControllers.indices.contains(newValue) { select(newValue) } }
    }

    private var selected = 0
    private var exchange: (AppearanceExchange, number: Int)?
    private var selectionCount = 0

    /// Creates a container of tabs, which selects the first.
    public init(_ viewControllers: [ViewController]) {
        self.viewControllers = viewControllers
        super.init()
        for controller in viewControllers {
            addChild(controller)
            controller.didMove(toParent: self)
        }
    }

    /// The controller of the selected tab; nil if there are no tabs.
    public var selectedViewController: ViewController? {
        viewControllers.isEmpty ? nil : viewControllers[selected]
    }

    private func select(_ index: Int) {
        finish()
        let (old, new) = (viewControllers[selected], viewControllers[index])
        selected = index
        guard isViewLoaded, old !== new else { return }
        selectionCount += 1
        let number = selectionCount
        exchange = (AppearanceExchange(old: old, new: new, order: .tabs), number)
        guard let window = view.window else {
            view.addSubview(new.view)
            return finish()
        }
        new.loadViewIfNeeded()
        exchange?.0.begin(animated: false) { exchange?.number == number }
        guard exchange?.number == number else { return }
        view.addSubview(new.view)
        window.atEndOfUpdate { [weak self] in
            if self?.exchange?.number == number { self?.finish() }
        }
    }

    private func finish() {
        guard let (exchange, _) = exchange else { return }
        self.exchange = nil
        exchange.finish()
        if self.exchange == nil, exchange.old !== selectedViewController {
            exchange.old?.viewIfLoaded?.removeFromSuperview()
        }
    }

    /// Adds the view of the selected tab.
    open override func viewDidLoad() {
        if let selectedViewController { view.addSubview(selectedViewController.view) }
    }

    /// All views fill this one.
    open override func viewWillLayoutSubviews() {
        for controller in viewControllers {
            controller.viewIfLoaded?.frame = Rect(origin: .zero, size: view.bounds)
        }
    }
}
