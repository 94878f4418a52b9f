internal import Basics
internal import Replay
public import ScrollModel
public import ViewportGeometry
public import ViewportRendering

/// Shows an image of any size in a scroll view: first roughly, then at full quality in the same place.
///
/// The image fits when it is first shown, and cannot be made smaller. Pictures are loaded off the main actor while the
/// view is on screen; loading stops when it disappears, and starts again for the visible part when that changes.
open class ImageScrollViewController: ViewController {
    /// The image; nil until it is opened.
    public private(set) var file: ImageFile?
    /// The view; its model is empty until the image is opened and the size of the view is known.
    public let scrollView = DelegatedScrollView(ScrollView(bounds: .zero, viewSize: .zero))
    /// The best picture so far of the visible part; nil when there is none.
    public private(set) var refinement: ViewportRefinement?
    /// The error that ended loading.
    public private(set) var error: (any Error)?
    /// Called with each picture of the visible part.
    public var onRefinement: (@MainActor (ViewportRefinement) -> Void)?
    /// Pixels of a picture per view point.
    public var displayScale = 1.0 { didSet { load() } }
    /// The maximum zoom scale of images that are larger than the view.
    public let maximumZoomScale: Double

    private let openFile: @Sendable () throws -> ImageFile
    fileprivate let renderer: ViewportRenderer
    private let loader: TileLoader
    private var opening: Task<Void, Never>?
    private var loading: Task<Void, Never>?
    private var loadCount = 0
    private var restored: ScrollView.Archive?
    private var loadedViewport: Viewport?

    /// Creates a controller that opens an image when it appears.
    ///
    /// - Parameters:
    ///   - thumbnail: shown in place of the image until that is opened.
    ///   - loader: the tiles in memory; controllers can share it.
    ///   - open: opens the image, on a thread for blocking work.
    public init(
        thumbnail: ImageFile? = nil, renderer: ViewportRenderer = ViewportRenderer(),
        loader: TileLoader = TileLoader(), maximumZoomScale: Double = 4,
        open: @escaping @Sendable () throws -> ImageFile
    ) {
        file = thumbnail
        isOpen = false
        self.maximumZoomScale = maximumZoomScale > 0 && maximumZoomScale.isFinite ? maximumZoomScale : 4
        (self.renderer, self.loader, openFile) = (renderer, loader, open)
        super.init()
        scrollView.modelDidChange = { [weak self] in self?.follow() }
    }

    /// Creates a controller of an open image.
    public convenience init(_ file: ImageFile) {
        self.init(thumbnail: file) { file }
        isOpen = true
    }

    /// Creates a controller of the image at a path, which is opened when the controller appears.
    public convenience init(path: String) { self.init { try ImageFile(path: path) } }

    deinit {
        opening?.cancel()
        loading?.cancel()
    }

    // MARK: Showing

    /// Whether ``file`` is the image and not a thumbnail.
    public private(set) var isOpen: Bool

    /// The visible part and the size of its picture; nil until both sizes are known.
    public var viewport: Viewport? {
        guard file != nil, isPlaced else { return nil }
        return Viewport(scrollView.model, displayScale: displayScale)
    }

    /// Replaces the image by another resolution of it, in the same place.
    public func show(_ file: ImageFile) {
        stop()
        self.file = file
        isOpen = true
        let isFitting = scrollView.model.zoomScale <= scrollView.model.minimumZoomScale * (1 + 1e-9)
        if isPlaced {
            scrollView.perform { $0.setViewSize(file.uprightSize.imageSize, keepingPlace: true) }
            setZoomLimits()
            if isFitting { scrollView.perform { $0.setZoomScale($0.minimumZoomScale) } }
        } else {
            placeFirst()
        }
        load()
    }

    /// Returns a picture of what is seen, at full quality, as ``/ViewportRendering/ViewportRenderer`` renders it.
    ///
    /// - Throws: the error of opening or rendering; ``ViewNotLaidOut`` before the first layout.
    public func snapshot() async throws -> Picture {
        try await openIfNeeded()
        guard let viewport, let file else { throw ViewNotLaidOut() }
        return try await renderer.render(viewport, of: file).picture
    }

    /// Waits until the visible part is shown at full quality, or the controller disappears.
    ///
    /// - Throws: the error that ended loading.
    public func finishLoading() async throws {
        var count = -1
        while count != loadCount {
            count = loadCount
            await opening?.value
            await loading?.value
        }
        if let error { throw error }
    }

    // MARK: State

    /// The place in the image, for ``restore(_:)`` in a later run; nil before the image is shown.
    public var archive: ScrollView.Archive? { viewport == nil ? restored : scrollView.model.archive }

    /// Returns to a place, in a view of any size; before the image is shown, as soon as it is.
    public func restore(_ archive: ScrollView.Archive) {
        restored = archive
        if viewport != nil { scrollView.perform { $0.restore(archive) } }
    }

    // MARK: Life cycle

    /// Makes ``scrollView`` the view.
    open override func loadView() { view = scrollView }

    /// Starts loading.
    open override func viewWillAppear(_ animated: Bool) { load() }

    /// Stops loading.
    open override func viewDidDisappear(_ animated: Bool) { stop() }

    /// Places the image: the first time it fits, later it keeps its place.
    open override func viewDidLayoutSubviews() {
        if isPlaced { setZoomLimits() } else { placeFirst() }
    }

    /// Frees the picture if the view is off screen.
    open override func didReceiveMemoryWarning() {
        super.didReceiveMemoryWarning()
        if appearance == .disappeared { refinement = nil }
    }

    private var isPlaced: Bool { !scrollView.model.bounds.isEmpty && !scrollView.model.viewSize.isEmpty }

    private func placeFirst() {
        guard let file, !scrollView.model.bounds.isEmpty else { return }
        scrollView.perform { view in
            view = ScrollView(bounds: view.bounds, viewSize: file.uprightSize.imageSize)
            return view.setContentAlignment(.center)
        }
        setZoomLimits()
        scrollView.perform { $0.show(.scaleAspectFit) }
        if let restored { scrollView.perform { $0.restore(restored) } }
    }

    /// The minimum fits, also after the size of the view or the image has changed.
    private func setZoomLimits() {
        let fitting = scrollView.model.fittingZoomScale
        let maximum = max(maximumZoomScale, min(fitting, 1))
        scrollView.perform { $0.setZoomLimits(minimum: min(fitting, maximum), maximum: maximum) }
    }

    /// Loads the visible part when that has changed.
    private func follow() { if viewport != loadedViewport { load() } }

    private func stop() {
        opening?.cancel()
        loading?.cancel()
        opening = nil
        loadCount += 1
    }

    /// Opens the image if it is not open, and loads the pictures of the visible part instead of those of an earlier one.
    private func load() {
        guard appearance.isVisible else { return }
        loading?.cancel()
        loadCount += 1
        error = nil
        loadedViewport = viewport
        if !isOpen, opening == nil {
            opening = Task { [weak self, openFile] in
                do {
                    let file = try await BlockingExecutor.shared.run(openFile)
                    if !Task.isCancelled { self?.show(file) }
                } catch {
                    if !Task.isCancelled { self?.error = error }
                }
            }
        }
        guard let viewport, let file else { return }
        // A viewer of its own: the end of an earlier load must not cancel the tiles of this one.
        let refinements = renderer.refinements(of: viewport, in: file, through: loader, for: TileViewer())
        loading = Task { [weak self] in
            do {
                for try await refinement in refinements {
                    guard let self, !Task.isCancelled else { return }
                    self.refinement = refinement
                    onRefinement?(refinement)
                }
            } catch {
                if !Task.isCancelled { self?.error = error }
            }
        }
    }

    fileprivate func openIfNeeded() async throws {
        guard !isOpen else { return }
        let opened = try await BlockingExecutor.shared.run(openFile)
        if !isOpen { show(opened) }
    }
}

/// What a script of gestures caused.
public struct ScriptLog: Sendable {
    /// The results of the lines, as JSON; see ``/Replay``.
    public fileprivate(set) var lines: [String] = []
    /// The events of all lines.
    public fileprivate(set) var events: [ScrollEvent] = []
    /// The pictures of the frames; the last one shows the final state.
    public fileprivate(set) var pictures: [Picture] = []
    /// The names of the events; an event that is repeated is listed once.
    public var names: [String] {
        events.map { "\($0.name)" }.reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }
}

extension ScriptLog: CustomStringConvertible {
    /// The names of the events, and the number of pictures: "didScroll, didEndDragging; 3 pictures".
    public var description: String {
        "\(names.joined(separator: ", ")); \(pictures.count.counted("picture"))"
    }
}

/// Scripts of gestures.
extension ImageScrollViewController {
    /// Plays a script of gestures from the present state, and returns its events and pictures.
    ///
    /// - Parameters:
    ///   - script: lines of JSON as ``/Replay`` plays them, without a setup.
    ///   - size: the size of the window. A controller that no window shows gets one while the script
    ///     is played.
    ///   - framesPerSecond: the rate of the pictures; nil for the final one only.
    /// - Throws: ``/Replay/ReplayError`` with the number of the line; the lines before it were played. Errors of
    ///   opening and rendering; ``ViewNotLaidOut`` without a size.
    @discardableResult
    public func play(
        _ script: String, in size: Size<ViewSpace>? = nil, framesPerSecond: Double? = nil
    ) async throws -> ScriptLog {
        let shown = viewIfLoaded?.window
        if let shown, let size { shown.resize(to: size) }
        let root = sequence(first: self as ViewController, next: \.parent).reduce(self) { $1 }
        let window = shown == nil ? size.map { Window(size: $0, root: root) } : nil
        defer { window?.hide() }
        try await openIfNeeded()
        guard viewport != nil else { throw ViewNotLaidOut() }
        var (log, frames) = (ScriptLog(), [Viewport]())
        var player = Player(view: scrollView.model, framesPerSecond: framesPerSecond)
        for line in script.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let result = try player.play(String(line)) { view, _ in
                frames.append(Viewport(view, displayScale: displayScale))
            }
            if let result { log.lines.append(result) }
            log.events += player.events
            scrollView.perform { view in
                view = player.view ?? view
                return player.events.reduce(into: ScrollEvents()) { $0.append($1) }
            }
            if scrollView.model.bounds != view.bounds { view.window?.resize(to: scrollView.model.bounds) }
            player.view = scrollView.model
        }
        guard let file else { return log }
        for viewport in frames { log.pictures.append(try await renderer.render(viewport, of: file).picture) }
        log.pictures.append(try await snapshot())
        return log
    }
}

/// A controller whose view has no size yet: no window shows it, or the window is empty.
public struct ViewNotLaidOut: Error, Equatable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// One sentence.
    public var description: String { "the view has no size: show the controller in a window first" }
}
