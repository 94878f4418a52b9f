internal import Basics
internal import CViewport
internal import Synchronization

/// A call of a C program, whose work is done by tasks on the program's own threads, so that it can be cancelled.
final class Call: Sendable {
    private struct State {
        var isCancelled = false
        /// The share that was reported last.
        var reported = 0.0
        /// The share of the index, where the call makes one first.
        var index = 0.0
        /// Whether a thread reports.
        var isReporting = false
        /// One for each thread.
        var tasks: [Task<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let progress: CallerProgress

    init(_ progress: CallerProgress = unsafe CallerProgress(nil)) { self.progress = progress }

    /// Ends the work of all threads, soon.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }

    /// Reports the share that is done, on any thread, and cancels the call where the program wants that.
    ///
    /// One thread reports at a time; what others have to say meanwhile is left out, as are steps of less than a thousandth.
    func report(_ fraction: Double) { report { state in state.index + (1 - state.index) * fraction } }

    /// Reports the share of an index that is done, which is nine tenths of the work then.
    func report(index fraction: Double) {
        report { state in
            state.index = 0.9
            return 0.9 * fraction
        }
    }

    private func report(_ fraction: (inout State) -> Double) {
        let reported = state.withLock { state -> Double? in
            let fraction = min(1, fraction(&state))
            guard !state.isReporting, !state.isCancelled, fraction > state.reported,
                fraction >= state.reported + 0.001 || fraction == 1
            else { return nil }
            (state.reported, state.isReporting) = (fraction, true)
            return fraction
        }
        guard let reported else { return }
        let goesOn = progress.report(reported)
        if !goesOn { cancel() }
        state.withLock { $0.isReporting = false }
    }

    /// Throws where the program has ended the call, even if the work was done by then.
    func check() throws(CancellationError) {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    /// Runs work as a task on the calling thread.
    func run<R>(_ work: @escaping () throws -> R) throws -> R {
        let (thread, outcome) = (CallingThread(), Outcome(work))
        let task = Task.detached(executorPreference: thread) { outcome.make() }
        let isCancelled = state.withLock { state in
            state.tasks.append(task)
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        thread.run()
        do {
            return try outcome.get()
        } catch {
            // What a read that was cancelled says of the file is not its fault.
            try check()
            throw error
        }
    }
}

/// The work of a task, and its result.
// Used by the task, and after its end by the thread that ran it.
private final class Outcome<R>: @unchecked Sendable {
    private let work: () throws -> R
    private var result: Result<R, any Error>?

    init(_ work: @escaping () throws -> R) { self.work = work }

    func make() {
        result = Result {
            try Task.checkCancellation()
            return try work()
        }
    }

    func get() throws -> R {
        guard let result else { preconditionFailure("a task did not run on the thread that waits for it") }
        return try result.get()
    }
}

/// Runs the job of a task on the thread that has created it: no other thread is needed, which a forked process lacks.
private final class CallingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        // Moved into the list, from where it is run exactly once.
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.popLast() }) {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

/// The callback of a C program.
// The program promises that it may be called by the threads of its call.
@safe struct CallerProgress: @unchecked Sendable {
    private let progress: viewport_progress?

    init(_ progress: UnsafePointer<viewport_progress>?) { unsafe self.progress = progress?.pointee }

    /// Returns whether the call goes on.
    func report(_ fraction: Double) -> Bool {
        guard let progress = unsafe progress, let report = unsafe progress.report else { return true }
        return unsafe report(progress.context, fraction) == 0
    }
}
