private import Synchronization

/// Passes progress on from several threads: one value at a time, none below an earlier one, and 1 at the end.
package final class ProgressReporter: Sendable {
    private struct State {
        var latest: WorkProgress
        /// The value that was passed on last.
        var passed: WorkProgress?
        /// Whether a thread passes values on: then it takes those of the others, too.
        var isPassing = false
    }

    private let receive: @Sendable (WorkProgress) -> Void
    private let state: Mutex<State>

    package init(
        _ what: WorkProgress.What, of total: Int? = nil, _ receive: @escaping @Sendable (WorkProgress) -> Void
    ) {
        self.receive = receive
        state = Mutex(State(latest: WorkProgress(what, done: 0, of: total)))
    }

    /// The number of things that are done.
    package var done: Int { state.withLock(\.latest.done) }

    /// Reports a number of things that are done; smaller ones than before are left out.
    ///
    /// - Parameter total: the number of all things; nil where it has not changed.
    package func report(_ done: Int, of total: Int? = nil) {
        note { WorkProgress($0.what, done: done, of: total ?? $0.total) }
    }

    /// Reports a share of the work; smaller ones than before are left out.
    package func report(fraction: Double) {
        note { latest in
            let total = latest.total ?? 0
            let done = Int((max(0, min(fraction, 1)) * Double(total)).rounded(.down))
            return WorkProgress(latest.what, done: done, of: total, fraction: fraction)
        }
    }

    /// Reports that all is done.
    package func finish() {
        state.withLock { state in
            let total = state.latest.total ?? state.latest.done
            state.latest = WorkProgress(state.latest.what, done: total, of: total)
        }
        pass()
    }

    private func note(_ next: (WorkProgress) -> WorkProgress) {
        state.withLock { state in
            let next = next(state.latest)
            // 1 is reported once: at the end.
            guard next.done >= state.latest.done, next.fraction >= state.latest.fraction, next.fraction < 1
            else {
                return
            }
            state.latest = next
        }
        pass()
    }

    private func pass() {
        var isMine = false
        while true {
            let next: WorkProgress? = state.withLock { state in
                if state.isPassing, !isMine { return nil }
                state.isPassing = state.passed != state.latest
                guard state.isPassing else { return nil }
                state.passed = state.latest
                return state.latest
            }
            guard let next else { return }
            isMine = true
            receive(next)
        }
    }
}
