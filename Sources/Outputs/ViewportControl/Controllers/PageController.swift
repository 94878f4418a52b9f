internal import ScrollModel
public import ViewportGeometry

/// Controllers side by side, one page each, in a scroll view with pages.
///
/// A page appears when the scroll view starts to show it, and has appeared when the scroll view rests on it, in the
/// order of calls of UIPageViewController with the style `scroll`. Pages that are off screen are no children.
open class PageController: ViewController {
    /// The number of pages.
    public let pageCount: Int
    /// The index of the page at which the scroll view last rested.
    public private(set) var currentIndex: Int
    /// The view, as wide as a page; its content is all pages.
    public let scrollView = DelegatedScrollView(ScrollView(bounds: .zero, viewSize: .zero))

    private let page: @MainActor (Int) -> ViewController
    private var pages: [Int: ViewController] = [:]
    private var exchange: (AppearanceExchange, index: Int)?

    /// Creates a container of 1 to 10^9 pages.
    ///
    /// - Parameter page: Returns the controller of a page, each time when the page comes on screen; no other page has it.
    public init(pageCount: Int, first: Int = 0, page: @escaping @MainActor (Int) -> ViewController) {
        self.pageCount = min(max(1, pageCount), 1_000_000_000)
        self.page = page
        currentIndex = min(max(0, first), self.pageCount - 1)
        super.init()
        scrollView.perform { view in
            view.isPagingEnabled = true
            return ScrollEvents()
        }
        scrollView.modelDidChange = { [weak self] in self?.followScroll() }
        add(currentIndex)
    }

    /// The controller of the current page.
    public var currentViewController: ViewController? { pages[currentIndex] }

    /// Turns to a page; one that does not exist is the first or the last.
    ///
    /// As UIPageViewController's `setViewControllers`. An animation is one of ``scrollView``: it ends as the
    /// time of the scroll view passes.
    public func show(page index: Int, animated: Bool = false) {
        // Before the first layout there is nothing to scroll.
        guard scrollView.model.bounds.width > 0 else { return settle(at: min(max(0, index), pageCount - 1)) }
        scrollView.perform { $0.scrollToPage(index, 0, animated: animated) }
    }

    /// Shows the page beside the current one that the scroll view shows a part of.
    private func followScroll() {
        let scroll = scrollView.model
        guard isViewLoaded, scroll.bounds.width > 0 else { return }
        // Overscroll shows the first or the last page.
        let position = min(max(0, scroll.contentOffset.x / scroll.bounds.width), Double(pageCount - 1))
        if !scroll.isTracking, !scroll.isDecelerating, !scroll.isAnimating {
            settle(at: Int(position.rounded()))
        } else if position != Double(currentIndex) {
            let neighbor = Int(position.rounded(position < Double(currentIndex) ? .down : .up))
            if neighbor != currentIndex { begin(neighbor) }
        }
        view.setNeedsLayout()
    }

    private func begin(_ index: Int) {
        guard exchange?.index != index else { return }
        cancel()
        add(index)
        let change = AppearanceExchange(old: pages[currentIndex], new: pages[index], order: .pages)
        exchange = (change, index)
        change.begin(animated: true) { exchange?.index == index }
        guard exchange?.index == index, let new = pages[index] else { return }
        view.addSubview(new.view)
    }

    private func settle(at index: Int) {
        if index == currentIndex { return cancel() }
        begin(index)
        guard let (change, _) = exchange else { return }
        exchange = nil
        let old = currentIndex
        currentIndex = index
        change.finish()
        remove(old)
    }

    private func cancel() {
        guard let (change, index) = exchange else { return }
        exchange = nil
        change.cancel(animated: true)
        remove(index)
    }

    private func add(_ index: Int) {
        let controller = page(index)
        pages[index] = controller
        addChild(controller)
        controller.didMove(toParent: self)
    }

    private func remove(_ index: Int) {
        guard let controller = pages.removeValue(forKey: index) else { return }
        controller.willMove(toParent: nil)
        controller.viewIfLoaded?.removeFromSuperview()
        controller.removeFromParent()
    }

    /// Makes ``scrollView`` the view.
    open override func loadView() { view = scrollView }

    /// Adds the view of the current page.
    open override func viewDidLoad() {
        if let currentViewController { view.addSubview(currentViewController.view) }
    }

    /// Pages that are partly shown have the size of this view, too.
    open override func size(
        forChild child: ViewController, withParentSize size: Size<ViewSpace>
    ) -> Size<ViewSpace> { size }

    /// Positions the pages; a new size keeps the current page.
    open override func viewWillLayoutSubviews() {
        let size = view.bounds
        if scrollView.model.bounds != size {
            cancel()
            scrollView.perform { view in
                view.setBounds(size)
                view.setViewSize(Size(width: size.width * Double(pageCount), height: size.height))
                return view.setContentOffset(Point(x: size.width * Double(currentIndex), y: 0))
            }
        }
        for (index, controller) in pages {
            controller.viewIfLoaded?.frame = Rect(
                x: size.width * Double(index) - scrollView.model.contentOffset.x, y: 0, width: size.width,
                height: size.height)
        }
    }
}
