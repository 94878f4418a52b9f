internal import Basics
internal import Dispatch
internal import Files
private import Synchronization

/// The source of memory warnings of a process, to which its caches listen.
///
/// ```swift
/// let memory = MemoryWatch()
/// memory.add(tileCache)
/// let observation = memory.onPressure { print($0) }
/// await memory.run()
/// ```
///
/// On Apple systems the warnings are those of a dispatch source. On Linux they come from pressure stall information: a
/// *warning* when tasks waited for memory for 10 % of two seconds, a *critical* one when all of them waited for 5 %.
/// The thread sleeps until then. Pressure that was not repeated for 10 seconds has ended.
///
/// Stalls come too late in a control group without swap, and not every kernel reports them. In these two cases a check every
/// 5 seconds compares the usage with the limit, if a cache has contents or pressure was reported: it is a *warning* from
/// 85 % and *critical* from 95 %. While all caches are empty, the check reads no file. A limit of the process is checked in
/// the same way.
public final class MemoryWatch: Sendable {
    private struct State {
        var pressure = MemoryPressure.normal
        var caches: [WeakCache] = []
        var handlers: [(id: Int, body: @Sendable (MemoryPressure) -> Void)] = []
        var lastID = 0
    }

    private struct WeakCache {
        weak var cache: (any MemoryReleasing)?
    }

    private let files: SystemFiles
    private let intervals: (check: Duration, calm: Duration)
    /// The memory that the process should not exceed, in bytes.
    private let limit: Int?
    private let state = Mutex(State())

    /// Creates a source of warnings; ``run()`` starts it.
    public convenience init() {
        self.init(root: "")
    }

    /// Creates a source that also warns when the process approaches a limit; ``run()`` starts it.
    ///
    /// The limit is checked on Linux; on Apple systems only the warnings of the system arrive.
    ///
    /// - Parameter limit: The resident memory that the process should not exceed, in bytes.
    public convenience init(limit: Int) {
        self.init(root: "", limit: limit)
    }

    /// - Parameters:
    ///   - root: The folder that contains `proc` and `sys`: "" for the system's, another one for tests.
    ///   - check: The interval of checks of the usage.
    ///   - calm: The time after which pressure that was not repeated has ended.
    ///   - limit: The resident memory that the process should not exceed, in bytes.
    package init(
        root: String, check: Duration = .seconds(5), calm: Duration = .seconds(10), limit: Int? = nil
    ) {
        files = SystemFiles(root: root)
        self.limit = limit
        intervals = (check, calm)
    }

    /// The level that was reported last, or `normal`; can be read on any thread.
    public var pressure: MemoryPressure { state.withLock { $0.pressure } }

    // MARK: Listeners

    /// Makes a cache release memory under pressure, as long as it lives.
    ///
    /// Caches are held weakly, and called in the order in which they were added.
    public func add(_ cache: any MemoryReleasing) {
        state.withLock { state in
            state.caches.removeAll { $0.cache == nil || $0.cache === cache }
            state.caches.append(WeakCache(cache: cache))
        }
    }

    /// Calls a closure with each level that is reported, until the observation is cancelled or released.
    ///
    /// Closures are called after the caches have released memory, in the order in which they were added.
    public func onPressure(_ body: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryObservation {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers.append((state.lastID, body))
            return state.lastID
        }
        return MemoryObservation { [weak self] in
            self?.state.withLock { state in state.handlers.removeAll { $0.id == id } }
        }
    }

    /// The levels that are reported from now on; a slow reader gets the latest one only.
    public var pressures: AsyncStream<MemoryPressure> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
        let observation = onPressure { continuation.yield($0) }
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Reports a level to all caches and listeners, as the system's warnings do.
    ///
    /// Reports of `warning` and `critical` are repeated while the pressure lasts, because caches fill again.
    public func report(_ pressure: MemoryPressure) {
        let (caches, handlers) = state.withLock { state in
            state.pressure = pressure
            state.caches.removeAll { $0.cache == nil }
            return (state.caches.compactMap(\.cache), state.handlers)
        }
        if pressure > .normal {
            for cache in caches { cache.releaseMemory(under: pressure) }
            #if os(Linux)
            // Otherwise the C library keeps the freed memory for the process.
            Heap.trim()
            #endif
        }
        for handler in handlers { handler.body(pressure) }
    }

    /// Releases what caches hold if the process comes near its limit with more memory than it has.
    ///
    /// An eighth of the limit is left for what nobody asks for: small work, and gaps that allocators cannot return.
    ///
    /// - Parameter total: Returns the memory that the process will have, from its resident memory, in bytes.
    /// - Returns: Whether that fits now, and the resident memory.
    package func releaseMemory(toFit total: (_ resident: Int) -> Int) -> (fits: Bool, resident: Int) {
        guard let limit else { return (true, 0) }
        var resident = 0
        func fits() -> Bool {
            resident = files.residentByteCount ?? 0
            return total(resident) <= limit - limit / 8
        }
        for pressure in [MemoryPressure.normal, .warning, .critical] {
            if fits() { return (true, resident) }
            if pressure > .normal {
                for cache in state.withLock({ $0.caches.compactMap(\.cache) }) {
                    cache.releaseMemory(under: pressure)
                }
            }
            #if os(Linux)
            Heap.trim()
            #endif
        }
        return (fits(), resident)
    }

    /// The size of what all caches could release, in bytes.
    public var releasableByteCount: Int {
        state.withLock { $0.caches.compactMap(\.cache) }.reduce(0) { $0 + $1.releasableByteCount }
    }

    // MARK: Source

    /// Reports the warnings of the system until the task is cancelled.
    public func run() async {
        #if canImport(Darwin)
        let (levels, continuation) = AsyncStream.makeStream(
            of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
        // One source per level, so that no handler needs its source.
        let events: [(DispatchSource.MemoryPressureEvent, MemoryPressure)] = [
            (.normal, .normal), (.warning, .warning), (.critical, .critical),
        ]
        let sources = events.map { event, level in
            let source = DispatchSource.makeMemoryPressureSource(eventMask: event, queue: .global())
            source.setEventHandler { continuation.yield(level) }
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        for await level in levels { report(level) }
        #else
        guard let alarms = alarms() else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own, which sleeps in the system.
                DispatchQueue(label: "viewport.memory").async {
                    self.watch(alarms)
                    continuation.resume()
                }
            }
        } onCancel: {
            alarms.interrupt()
        }
        #endif
    }

    #if !canImport(Darwin)
    /// The share of a two-second window in which tasks wait, in microseconds: the first is a warning.
    static let triggers = ["some 200000 2000000", "full 100000 2000000"]

    /// Sets the triggers; without a file that accepts them, only the time ends a wait.
    private func alarms() -> PressureAlarms? {
        for path in files.pressurePaths {
            if let alarms = try? PressureAlarms(path, triggers: Self.triggers) { return alarms }
        }
        return try? PressureAlarms("", triggers: [])
    }

    /// The pressure of the process's own limit.
    private var ownPressure: MemoryPressure {
        guard let limit, let used = files.residentByteCount else { return .normal }
        return SystemFiles.Usage(byteCount: used, limit: limit).pressure
    }

    /// Waits and reports until the wait is interrupted.
    private func watch(_ alarms: PressureAlarms) {
        let hasLimit = limit != nil || files.hasGroupLimit
        while true {
            let checksUsage = hasLimit || !alarms.hasTriggers
            let isCalm = pressure == .normal
            let interval = checksUsage ? intervals.check : isCalm ? nil : intervals.calm
            switch alarms.wait(milliseconds: interval.map { Int($0 / .milliseconds(1)) }) {
            case .alarm(let index): report(index == 0 ? .warning : .critical)
            case .timeout where isCalm && (!checksUsage || releasableByteCount == 0): break
            case .timeout:
                let now = checksUsage ? max(files.pressure, ownPressure) : .normal
                if now > .normal || !isCalm { report(now) }
            case .interruption: return
            }
        }
    }
    #endif
}

/// A closure that receives levels of a ``MemoryWatch`` until it is cancelled or released.
public final class MemoryObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }

    /// Ends the calls; a call that has begun on another thread may still run.
    public func cancel() { end() }
}
