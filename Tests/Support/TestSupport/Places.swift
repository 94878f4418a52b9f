private import Foundation

/// A counting semaphore whose tasks wait without blocking a thread.
package actor Places {
    /// The number of processors, at least two.
    package static let processors = max(2, ProcessInfo.processInfo.activeProcessorCount)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(_ count: Int) {
        free = count
    }

    /// Waits for a free place, and runs a closure in it.
    nonisolated package func with<R: Sendable>(_ body: () async throws -> R) async rethrows -> R {
        await take()
        do {
            let result = try await body()
            await give()
            return result
        } catch {
            await give()
            throw error
        }
    }

    private func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
