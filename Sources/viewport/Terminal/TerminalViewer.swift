#if CommandLine
import ArgumentParser
import Basics
import Files
import Platform
import ScrollModel
import TerminalGraphics
import ViewportGeometry
import ViewportRendering

/// Shows images in a terminal, moved and zoomed by keys.
///
/// One picture is made at a time. Keys that arrive meanwhile move the view, and the next picture shows where it is then.
final class TerminalViewer {
    private let images: [String]
    private let open: (String) throws -> ShownImage
    private let screen: TerminalScreen
    private let renderer: ViewportRenderer
    private let device: TerminalDevice
    private let events: TerminalEvents

    private var number = 0
    private var shown: ShownImage?
    private var view = ScrollView(bounds: .zero, viewSize: .zero)
    /// What went wrong with images, by their number.
    private var failures: [Int: String] = [:]
    private var job: Task<Void, Never>?
    /// Whether the view is another one than that of the last picture.
    private var isChanged = true
    private var pictures = 0
    /// Whether the terminal has the other screen.
    private var isEntered = false

    /// The most pixels of the screen for one of the image.
    private static let greatestZoom = 32.0

    init(
        _ images: [String], _ background: Color?, _ screen: TerminalScreen, _ device: TerminalDevice,
        _ events: TerminalEvents, open: @escaping (String) throws -> ShownImage
    ) {
        (self.images, self.screen, self.device, self.events) = (images, screen, device, events)
        self.open = open
        renderer = ViewportRenderer(options: screen.options(background))
    }

    /// Shows the images until a key or a signal ends it, with the terminal as it was before.
    ///
    /// - Throws: the error of the only image; `Interruption.Stopped` for signals.
    func run() async throws {
        try show(0)
        // A signal from now on restores the terminal.
        events.watchSignals()
        defer { leave() }
        try enter()
        events.readKeys(device)
        try render()
        loop: for await event in events.events {
            switch event {
            case .key(.quit): break loop
            case .key(.interrupt): throw Interruption.Stopped(signal: SIGINT)
            case .stopped(let signal): throw Interruption.Stopped(signal: signal)
            case .closed: throw Interruption.Stopped(signal: SIGHUP)
            case .key(.suspend):
                leave()
                TerminalEvents.suspend()
                try enter()
            case .resumed: try enter()
            case .resized, .key(.redraw): try layOut()
            case .key(let key): try press(key)
            case .progress(let share): try draw(status: "\(Int(share * 100)) %  \(status)")
            case .drawn(let bytes, let image):
                job = nil
                if image == number { try draw(bytes) }
            case .failed(let error, let image):
                job = nil
                if image == number { try note(error) }
            }
            try render()
        }
        guard !failures.isEmpty else { return }
        leave()
        for (_, sentence) in failures.sorted(by: { $0.key < $1.key }) {
            StandardError.write("viewport: \(sentence)\n")
        }
        throw ExitCode(Exit.someFailed.rawValue)
    }

    // MARK: Images

    /// Opens an image and shows it as a whole, not enlarged.
    private func show(_ number: Int) throws {
        job?.cancel()
        (self.number, shown) = (number, nil)
        do {
            let image = try open(images[number])
            shown = image
            view = ScrollView(bounds: bounds, viewSize: image.file.uprightSize.imageSize)
            view.setContentAlignment(.center)
            view.setRounding(.pixel(displayScale: 1))
            setLimits()
            view.setZoomScale(min(view.fittingZoomScale, 1))
        } catch {
            try note(error)
        }
        isChanged = true
    }

    /// Keeps a failure of one of several images for the end.
    private func note(_ error: any Error) throws {
        guard !(error is CancellationError) else { return isChanged = true }
        guard images.count > 1 else { throw error }
        failures[number] = PipedInput.named(sentence(for: error))
        shown = nil
        isChanged = true
    }

    private var bounds: Size<ViewSpace> { screen.bounds(rows: max(1, screen.rows - 1)) }

    /// Allows scales from the whole image, or its own pixels if it is smaller.
    private func setLimits() {
        let fitting = view.fittingZoomScale
        view.setZoomLimits(minimum: min(fitting, 1), maximum: max(fitting, Self.greatestZoom))
    }

    private func layOut() throws {
        try put("\u{1B}[0m\u{1B}[2J")
        // Its picture has another size.
        job?.cancel()
        view.setBounds(bounds)
        setLimits()
        isChanged = true
    }

    // MARK: Keys

    private func press(_ key: ViewerKey) throws {
        let before = (view.zoomScale, view.contentOffset)
        let page = view.bounds.width * ScrollView.pageShare
        // A tenth of the screen, whose pixels are a few hundred or a few thousand.
        let step = (x: (view.bounds.width / 10).rounded(.up), y: (view.bounds.height / 10).rounded(.up))
        switch key {
        case .left: view.scroll(dx: -step.x, dy: 0)
        case .right: view.scroll(dx: step.x, dy: 0)
        case .up: view.scroll(dx: 0, dy: -step.y)
        case .down: view.scroll(dx: 0, dy: step.y)
        case .pageLeft: view.scroll(dx: -page, dy: 0)
        case .pageRight: view.scroll(dx: page, dy: 0)
        case .pageUp: view.press(.pageUp)
        case .pageDown: view.press(.pageDown)
        case .top: view.press(.home)
        case .bottom: view.press(.end)
        case .zoomIn: view.setZoomScale(view.zoomScale * 2.0.squareRoot())
        case .zoomOut: view.setZoomScale(view.zoomScale / 2.0.squareRoot())
        case .fit: view.setZoomScale(view.fittingZoomScale)
        case .full: view.setZoomScale(1)
        case .next, .previous:
            let other = number + (key == .next ? 1 : -1)
            if images.indices.contains(other) { try show(other) }
        case .quit, .interrupt, .suspend, .redraw: break
        }
        if before != (view.zoomScale, view.contentOffset) { isChanged = true }
    }

    // MARK: Pictures

    /// Makes the picture of the view, unless one is being made or it is there.
    private func render() throws {
        guard job == nil, isChanged else { return }
        isChanged = false
        guard let file = shown?.file else {
            // Nothing but the sentence below.
            return try draw(screen.painter.end + Array("\u{1B}[0m\u{1B}[2J".utf8))
        }
        let (viewport, pictures, number) = (Viewport(view), pictures, number)
        let (renderer, painter, post) = (renderer, screen.painter, events.post)
        job = Task {
            do {
                let bytes = try await BlockingExecutor.shared.run {
                    var last = ContinuousClock.now
                    let (picture, _) = try renderer.renderSynchronously(viewport, of: file) { progress in
                        guard ContinuousClock.now - last > .milliseconds(200) else { return }
                        last = .now
                        post.yield(.progress(progress.fraction))
                    }
                    return try painter.page(picture, number: pictures)
                }
                post.yield(.drawn(bytes, image: number))
            } catch {
                post.yield(.failed(error, image: number))
            }
        }
    }

    // MARK: Screen

    private func enter() throws {
        isEntered = true
        device.makeRaw()
        // The other screen, without a cursor.
        try put("\u{1B}[?1049h\u{1B}[?25l")
        try layOut()
        try draw(status: status)
    }

    /// Restores the screen and the settings of the terminal, which may be gone.
    private func leave() {
        guard isEntered else { return }
        isEntered = false
        job?.cancel()
        try? screen.write(screen.painter.end)
        try? put("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
        device.restore(dropsInput: true)
    }

    private var status: String {
        let count = images.count > 1 ? "\(number + 1)/\(images.count)  " : ""
        guard let shown else {
            return count + ShownImage.printable(failures[number] ?? ShownImage.name(of: images[number]))
        }
        let image = Rect(origin: .zero, size: view.viewSize)
        let visible = (view.visibleRect.intersection(image) ?? image)
        let numbers = [visible.minX, visible.minY, visible.width, visible.height].map {
            "\(Int($0.rounded()))"
        }
        return count + shown.status(zoom: view.zoomScale, visible: numbers.joined(separator: ","))
    }

    /// Shows a picture with the line below it, at once where the terminal can.
    private func draw(_ picture: [UInt8]) throws {
        pictures += 1
        try put("\u{1B}[?2026h")
        try screen.write(picture)
        try draw(status: status)
        try put("\u{1B}[?2026l")
    }

    /// Writes the last line of the screen; what is too long is cut by the terminal, which does not wrap it.
    private func draw(status: String) throws {
        try put("\u{1B}[\(screen.rows);1H\u{1B}[0m\u{1B}[K\u{1B}[?7l\(status)\u{1B}[?7h")
    }

    private func put(_ text: String) throws { try screen.write(Array(text.utf8)) }
}
#endif
