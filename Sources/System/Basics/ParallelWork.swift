private import Dispatch
private import Synchronization

extension Processors {
    /// Calls a closure with each number below `threads`, all at once, and returns after the last one.
    package static func run(threads: Int, _ body: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            let others = DispatchGroup()
            for number in 1..<max(1, threads) {
                WorkerThread.start("viewport.parallel", in: others) { body(number) }
            }
            if threads > 0 { body(0) }
            others.wait()
        }
    }

    /// Calls a closure with each number below `count`, in order, on several threads, and returns after the last one.
    ///
    /// - Parameters:
    ///   - threads: One per processor at most.
    ///   - flag: No further number is begun after it is raised.
    package static func forEach(
        below count: Int, threads: Int = Processors.count, until flag: CancellationFlag? = nil,
        _ body: @Sendable (Int) -> Void
    ) {
        // Not `concurrentPerform`: it knows no quota of a container, takes numbers in any order, and occupies Swift's threads.
        let next = Atomic(0)
        run(threads: min(count, threads)) { _ in
            while flag?.isRaised != true {
                let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard number < count else { return }
                body(number)
            }
        }
    }

    /// Returns what a closure makes of each number below `count`, in the order of the numbers, on several threads.
    ///
    /// - Parameters:
    ///   - threads: One per processor at most.
    ///   - flag: No further number is begun after it is raised; the results then end before the first that is missing.
    package static func map<Result: Sendable>(
        below count: Int, threads: Int = Processors.count, until flag: CancellationFlag? = nil,
        _ body: @Sendable (Int) -> Result
    ) -> [Result] {
        let results = Mutex([Result?](repeating: nil, count: count))
        forEach(below: count, threads: threads, until: flag) { number in
            let result = body(number)
            results.withLock { $0[number] = result }
        }
        return results.withLock { $0.prefix { $0 != nil }.compactMap(\.self) }
    }
}

/// A sign, to all threads that do some work, that it is to end.
package final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package func raise() { flag.store(true, ordering: .relaxed) }
    package var isRaised: Bool { flag.load(ordering: .relaxed) }
}
