private import Synchronization

#if canImport(Dispatch)
public import Dispatch
#endif

/// A message from one part of a program to others: the type is its name, and its properties are the payload.
///
/// ```swift
/// struct ImageWasImported: Notice { var path: String }
/// ```
public protocol Notice: Sendable {}

/// Delivers notices to observers by their type.
///
/// ```swift
/// let pool = ObservationPool()
/// center.observe(ImageWasImported.self, in: pool) { print($0.path) }
/// center.post(ImageWasImported(path: "lake.jpg"))
/// ```
///
/// A notice goes to the observers of exactly its type, in the order in which they began to observe:
///
/// - Observers without a queue or actor are called on the posting thread before ``post(_:)`` returns. A notice that an
///   observer posts is delivered at once, before the rest of the first.
/// - Observers with a queue or an actor, and readers of ``notices(of:buffering:)``, get notices in the order of the posts.
///   Posts of several threads that overlap arrive in any order, which may differ between observers.
///
/// An observer that is added during a post gets the next notice. One that ends during a post is not called any more; a
/// call that has begun on another thread is completed.
public final class NoticeCenter: Sendable {
    /// A closure for notices of a type, until it is ended.
    final class Observer: Sendable {
        private let isActive = Atomic(true)
        private let body: @Sendable (any Notice, Observer) -> Void

        init(_ body: @escaping @Sendable (any Notice, Observer) -> Void) { self.body = body }

        func deliver(_ notice: any Notice) { ifActive { body(notice, self) } }

        /// Runs a closure unless the observation has ended.
        func ifActive(_ run: () -> Void) {
            if isActive.load(ordering: .sequentiallyConsistent) { run() }
        }

        func end() { isActive.store(false, ordering: .sequentiallyConsistent) }
    }

    private let observers = Mutex([ObjectIdentifier: [Observer]]())

    /// Creates a center without observers.
    public init() {}

    /// Delivers a notice.
    public func post<N: Notice>(_ notice: N) { post(notice, except: nil) }

    /// Delivers a notice to all observers but one.
    func post<N: Notice>(_ notice: N, except excluded: Observer?) {
        for observer in observers.withLock({ $0[ObjectIdentifier(N.self)] ?? [] }) where observer !== excluded
        {
            observer.deliver(notice)
        }
    }

    /// The number of observers of a type.
    public func observerCount<N: Notice>(of type: N.Type) -> Int {
        observers.withLock { $0[ObjectIdentifier(type)]?.count ?? 0 }
    }

    // MARK: Observing

    /// Calls a closure on the posting thread with each notice of a type, until the pool ends the observation.
    public func observe<N: Notice>(
        _ type: N.Type, in pool: ObservationPool, _ body: @escaping @Sendable (N) -> Void
    ) {
        pool.insert(add(type) { notice, _ in body(notice) }.remove)
    }

    #if canImport(Dispatch)
    /// Calls a closure on a queue with each notice of a type, until the pool ends the observation.
    public func observe<N: Notice>(
        _ type: N.Type, on queue: DispatchQueue, in pool: ObservationPool,
        _ body: @escaping @Sendable (N) -> Void
    ) {
        let added = add(type) { notice, observer in
            queue.async { observer.ifActive { body(notice) } }
        }
        pool.insert(added.remove)
    }
    #endif

    /// Calls a closure on an actor with each notice of a type, until the pool ends the observation.
    ///
    /// The notices wait in order; none is dropped.
    public func observe<N: Notice, A: Actor>(
        _ type: N.Type, on actor: A, in pool: ObservationPool,
        _ body: @escaping @Sendable (isolated A, N) -> Void
    ) {
        let (notices, continuation) = AsyncStream.makeStream(of: N.self)
        let (observer, remove) = add(type) { notice, _ in continuation.yield(notice) }
        Task {
            for await notice in notices { await Self.deliver(notice, to: actor, observer, body) }
        }
        pool.insert {
            remove()
            continuation.finish()
        }
    }

    private static func deliver<N: Notice, A: Actor>(
        _ notice: N, to actor: isolated A, _ observer: Observer, _ body: @Sendable (isolated A, N) -> Void
    ) {
        observer.ifActive { body(actor, notice) }
    }

    /// The notices of a type from now on, until the task that reads them ends.
    ///
    /// - Parameter limit: The number of notices that wait for a slow reader; beyond it, the oldest are dropped.
    public func notices<N: Notice>(of type: N.Type, buffering limit: Int = 256) -> AsyncStream<N> {
        let (notices, continuation) = AsyncStream.makeStream(
            of: type, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let (_, remove) = add(type) { notice, _ in continuation.yield(notice) }
        continuation.onTermination = { _ in remove() }
        return notices
    }

    /// Adds an observer, and returns it with a closure that ends it.
    func add<N: Notice>(
        _ type: N.Type, _ body: @escaping @Sendable (N, Observer) -> Void
    ) -> (observer: Observer, remove: @Sendable () -> Void) {
        let type = ObjectIdentifier(type)
        // Observers are stored by the type of their notices.
        let observer = Observer { notice, observer in if let notice = notice as? N { body(notice, observer) }
        }
        observers.withLock { $0[type, default: []].append(observer) }
        let remove: @Sendable () -> Void = { [weak self] in
            observer.end()
            self?.observers.withLock { observers in
                observers[type]?.removeAll { $0 === observer }
                if observers[type]?.isEmpty == true { observers[type] = nil }
            }
        }
        return (observer, remove)
    }
}

/// Holds observations, and ends all of them when it is released or ``end()`` is called.
public final class ObservationPool: Sendable {
    private let endings = Mutex([@Sendable () -> Void]())

    /// Creates an empty pool.
    public init() {}

    deinit { end() }

    /// The number of observations.
    public var count: Int { endings.withLock { $0.count } }

    /// Ends all observations; the pool can be used again.
    public func end() {
        let all = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        for ending in all { ending() }
    }

    func insert(_ ending: @escaping @Sendable () -> Void) { endings.withLock { $0.append(ending) } }
}
