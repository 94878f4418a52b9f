import Testing
import ViewportControl

/// The calls that controllers got, in order, as "name.call".
@MainActor
final class CallLog {
    private(set) var calls: [String] = []

    func append(_ name: String, _ call: String) { calls.append("\(name).\(call)") }

    /// Returns the calls since the last use.
    func take() -> [String] {
        defer { calls = [] }
        return calls
    }

    /// Returns the calls since the last use, without those of layout and containment.
    func takeAppearances() -> [String] { take().filter { $0.hasSuffix("ppear") } }
}

/// A controller that logs its calls and checks them with an automaton of its own.
class LoggedController: ViewController {
    let name: String
    let log: CallLog
    /// Performed after a call, once: for changes in the middle of others.
    var after: [String: @MainActor () -> Void] = [:]
    /// The contracts that were broken.
    private(set) var faults: [String] = []
    private(set) var state = "new"
    private(set) var sizeAtLayout: Size<ViewSpace>?
    /// Whether `willMove` was called without `didMove`.
    private var isMoving = false

    init(_ name: String, _ log: CallLog) {
        self.name = name
        self.log = log
    }

    /// The legal calls of each state, written down from UIKit's documentation.
    private static let automaton: [String: [String: String]] = [
        "new": ["loadView": "loading"],
        "loading": ["viewDidLoad": "off"],
        "off": ["willAppear": "appearing"],
        "appearing": ["didAppear": "on", "willDisappear": "disappearing"],
        "on": ["willDisappear": "disappearing"],
        "disappearing": ["didDisappear": "off", "willAppear": "appearing"],
    ]

    private func note(_ call: String) {
        log.append(name, call)
        if let next = Self.automaton[state]?[call] {
            state = next
        } else {
            faults.append("\(name): \(call) in the state \(state)")
        }
        after.removeValue(forKey: call)?()
    }

    override func loadView() {
        note("loadView")
        super.loadView()
    }
    override func viewDidLoad() {
        if view.bounds != .zero { faults.append("\(name): the size is known too early") }
        note("viewDidLoad")
    }
    override func viewWillAppear(_ animated: Bool) { note("willAppear") }
    override func viewDidAppear(_ animated: Bool) { note("didAppear") }
    override func viewWillDisappear(_ animated: Bool) { note("willDisappear") }
    override func viewDidDisappear(_ animated: Bool) { note("didDisappear") }
    override func viewWillLayoutSubviews() {
        log.append(name, "willLayout")
        for child in children { child.viewIfLoaded?.frame = Rect(origin: .zero, size: view.bounds) }
    }
    override func viewDidLayoutSubviews() {
        if view.window == nil { faults.append("\(name): layout outside a window") }
        log.append(name, "didLayout")
        sizeAtLayout = view.bounds
    }
    override func viewWillTransition(to size: Size<ViewSpace>) {
        log.append(name, "willTransition(\(Int(size.width))x\(Int(size.height)))")
        super.viewWillTransition(to: size)
    }
    override func didReceiveMemoryWarning() {
        log.append(name, "memoryWarning")
        super.didReceiveMemoryWarning()
    }
    override func willMove(toParent parent: ViewController?) {
        if isMoving, parent != nil { faults.append("\(name): willMove(toParent:) twice") }
        isMoving = true
        log.append(name, parent == nil ? "willMove(nil)" : "willMove")
    }
    override func didMove(toParent parent: ViewController?) {
        isMoving = false
        log.append(name, parent == nil ? "didMove(nil)" : "didMove")
    }

    /// Adds a child as UIKit's documentation shows.
    func embed(_ child: ViewController) {
        addChild(child)
        view.addSubview(child.view)
        child.didMove(toParent: self)
    }

    /// Removes a child as UIKit's documentation shows.
    func unembed(_ child: ViewController) {
        child.willMove(toParent: nil)
        child.view.removeFromSuperview()
        child.removeFromParent()
    }
}

/// A container that forwards by hand.
final class ForwardingController: LoggedController {
    override var shouldAutomaticallyForwardAppearanceMethods: Bool { false }
}

let phone = Size<ViewSpace>(width: 320, height: 480)
