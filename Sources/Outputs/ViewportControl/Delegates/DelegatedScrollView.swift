public import ScrollModel
internal import ViewportGeometry

/// A view that owns a scroll model, and sends the events of its operations to a delegate.
///
/// ```swift
/// let list = DelegatedScrollView(ScrollView(bounds: screen, viewSize: content))
/// list.delegate = loader
/// list.perform { $0.press(.end) }
/// ```
///
/// Without a delegate it behaves as the model alone does. A layout of the view sets the bounds of the model. Properties
/// of the model are those of the view, too, as in UIKit: `list.visibleRect`, `list.bounces`.
@MainActor
@dynamicMemberLookup
open class DelegatedScrollView: View {
    /// The state of the scroll view; operations are performed with ``perform(_:)``.
    public private(set) var model: ScrollView {
        didSet { if model != oldValue { modelDidChange?() } }
    }
    /// The value of a property of the model.
    public subscript<Value>(dynamicMember property: KeyPath<ScrollView, Value>) -> Value {
        model[keyPath: property]
    }

    /// The value of a property of the model that causes no events, such as `bounces`.
    public subscript<Value>(dynamicMember property: WritableKeyPath<ScrollView, Value>) -> Value {
        get { model[keyPath: property] }
        set { model[keyPath: property] = newValue }
    }

    /// Receives the events; held weakly.
    public weak var delegate: (any ScrollViewDelegate)?
    /// Called when the model changed, before the events are delivered.
    var modelDidChange: (() -> Void)?
    private var streams: [Int: AsyncStream<ScrollEvent>.Continuation] = [:]
    private var lastStream = 0

    /// Creates a view whose frame has the size of the model's bounds.
    public init(_ model: ScrollView) {
        self.model = model
        super.init(
            frame: Rect(x: 0, y: 0, width: model.bounds.width, height: model.bounds.height))
    }

    deinit {
        for stream in streams.values { stream.finish() }
    }

    /// Sets the bounds of the model to those of the view.
    open override func layoutSubviews() {
        guard model.bounds != bounds else { return }
        perform { $0.setBounds(bounds) }
    }

    // MARK: Operations

    /// Performs operations on the model, then delivers their events.
    ///
    /// The targets of drags that end in `operation` cannot be changed: use ``touches(_:_:phase:)``.
    @discardableResult
    public func perform(_ operation: (inout ScrollView) -> ScrollEvents) -> ScrollEvents {
        // A copy, so that the operation may read the view.
        var changed = model
        let events = operation(&changed)
        model = changed
        deliver(events)
        return events
    }

    /// Handles one or two touches; the delegate may change the target of a drag that ends.
    ///
    /// If the delegate performs an operation on the view while it is asked, that operation replaces the target.
    @discardableResult
    public func touches(_ first: Touch, _ second: Touch? = nil, phase: TouchPhase) -> ScrollEvents {
        let start = model
        let events = model.touches(first, second, phase: phase)
        guard let delegate,
            let end = events.firstIndex(where: { if case .willEndDragging = $0 { true } else { false } }),
            case .willEndDragging(let velocity, let planned) = events[end]
        else {
            deliver(events)
            return events
        }
        for event in events[..<end] { deliver(event) }
        let released = model
        var target = planned
        delegate.scrollViewWillEndDragging(self, withVelocity: velocity, targetContentOffset: &target)
        guard target != planned, target.isFinite, model == released else {
            send(events[end])
            for event in events[events.index(after: end)...] { deliver(event) }
            return events
        }
        // A model is a value: the touch is handled again, with the new target.
        model = start
        let changed = model.touches(first, second, phase: phase) { _, offset in offset = target }
        send(changed[end])
        for event in changed[changed.index(after: end)...] { deliver(event) }
        return changed
    }

    /// Scrolls to the top, as a tap on the status bar does, if the delegate agrees.
    @discardableResult
    public func statusBarTap(animated timing: Timing? = .standard) -> ScrollEvents {
        var trial = model
        guard !trial.statusBarTap(animated: timing).isEmpty else { return ScrollEvents() }
        let agrees = delegate?.scrollViewShouldScrollToTop(self) ?? true
        return perform { $0.statusBarTap(animated: timing) { agrees } }
    }

    /// Adds content at an edge, or removes it if `length` is negative; what is seen does not move.
    @discardableResult
    public func addContent(_ length: Double, at edge: RectEdge) -> ScrollEvents {
        perform { $0.addContent(length, at: edge) }
    }

    /// Takes the state of a model that something else owns, such as a controller, and delivers its events.
    public func receive(_ events: ScrollEvents, from model: ScrollView) {
        self.model = model
        deliver(events)
    }

    // MARK: Events

    /// The events from now on, until the view is released.
    ///
    /// - Parameter limit: The number of events that wait for a slow reader; beyond it, the oldest are dropped.
    public func events(buffering limit: Int = 256) -> AsyncStream<ScrollEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ScrollEvent.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        lastStream += 1
        let number = lastStream
        streams[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.streams[number] = nil }
        }
        return stream
    }

    private func send(_ event: ScrollEvent) {
        for (_, stream) in streams.sorted(by: { $0.key < $1.key }) { stream.yield(event) }
    }

    private func deliver(_ events: ScrollEvents) {
        for event in events { deliver(event) }
    }

    private func deliver(_ event: ScrollEvent) {
        send(event)
        guard let delegate else { return }
        switch event {
        case .didScroll: delegate.scrollViewDidScroll(self)
        case .didZoom: delegate.scrollViewDidZoom(self)
        case .willBeginDragging: delegate.scrollViewWillBeginDragging(self)
        case .willEndDragging(let velocity, var target):
            // The drag has ended already: a changed target has no effect.
            delegate.scrollViewWillEndDragging(self, withVelocity: velocity, targetContentOffset: &target)
        case .didEndDragging(let willDecelerate):
            delegate.scrollViewDidEndDragging(self, willDecelerate: willDecelerate)
        case .willBeginDecelerating: delegate.scrollViewWillBeginDecelerating(self)
        case .didEndDecelerating: delegate.scrollViewDidEndDecelerating(self)
        case .willBeginZooming:
            delegate.scrollViewWillBeginZooming(self, with: delegate.viewForZooming(in: self))
        case .didEndZooming(let scale):
            delegate.scrollViewDidEndZooming(
                self, with: delegate.viewForZooming(in: self), atScale: scale)
        case .didEndScrollingAnimation: delegate.scrollViewDidEndScrollingAnimation(self)
        case .didChangeAdjustedContentInset: delegate.scrollViewDidChangeAdjustedContentInset(self)
        case .reachedEdge(let edge): delegate.scrollView(self, didReachEdge: edge)
        // It was asked before.
        case .shouldScrollToTop: break
        case .didScrollToTop: delegate.scrollViewDidScrollToTop(self)
        }
    }
}
