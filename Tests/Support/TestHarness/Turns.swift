private import Dispatch
private import Foundation
private import TestSupport
package import Testing

/// Runs tests that block or compute for long on separate threads, a few at a time.
///
/// Swift's cooperative pool has one thread per processor. A test that blocks a thread, or computes for seconds, delays
/// all other tests and the servers in this process.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    fileprivate let places: Places

    package var isRecursive: Bool { true }

    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await places.with {
            try await withTaskExecutorPreference(DispatchThread()) { try await function() }
        }
    }
}

extension Trait where Self == OwnThread {
    /// For tests that block or compute for long: as many at a time as there are processors.
    package static var ownThread: Self { Self(places: .heavy) }
    /// For tests that start servers: one at a time.
    package static var inTurn: Self { Self(places: .servers) }
    /// For tests with a page in a browser: one more at a time than there are processors, for they wait, too.
    package static var inBrowser: Self { Self(places: .browsers) }
}

extension Places {
    fileprivate static let heavy = Places(processors)
    fileprivate static let servers = Places(1)
    fileprivate static let browsers = Places(processors + 1)
}

/// A serial queue that gets a thread from the system whenever it has work.
private final class DispatchThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Each job is run once, as `enqueue` requires.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The selection of tests by the environment: `VIEWPORT_TESTS=all swift test`.
///
/// - Not set: the fast suites, which take minutes even in a debug build.
/// - `all`: every suite. Tests with kills, changing files and random inputs run for a while.
/// - `long`: every suite, with all repetitions of these tests.
package enum TestLength: Sendable {
    private static let words = ProcessInfo.processInfo.environment["VIEWPORT_TESTS"]

    package static let isLong = words == "long"
    fileprivate static let includesHeavy = isLong || words == "all"

    /// Returns a number of repetitions.
    package static func repetitions(_ long: Int, short: Int) -> Int { isLong ? long : short }

    /// Returns the cases of a test.
    package static func cases<C: Collection>(_ all: C, short count: Int) -> [C.Element] {
        Array(isLong ? all.prefix(all.count) : all.prefix(count))
    }
}

extension Trait where Self == ConditionTrait {
    /// For suites that need much processor time, browsers, kills or full disks: not part of a plain `swift test`.
    package static var heavy: Self { .enabled(if: TestLength.includesHeavy, "runs with VIEWPORT_TESTS=all") }
}
