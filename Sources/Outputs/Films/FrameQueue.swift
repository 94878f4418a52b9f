internal import Basics
internal import Dispatch
internal import Synchronization

/// Makes the frames of a film on all processors and delivers them in order.
///
/// Memory is bounded: while a window of frames is in progress, adding another one waits for the oldest.
final class FrameQueue<Frame: Sendable> {
    private let executor = BlockingExecutor(for: .computing)
    private let deliver: (_ number: Int, Frame) throws -> Void
    private let checkInterruption: () throws -> Void
    private let window: Int
    /// The oldest first.
    private var jobs: [Job] = []

    /// - Parameters:
    ///   - checkInterruption: called often; its error ends the film.
    ///   - deliver: receives the frames in the order in which they were added, on the thread that adds them.
    init(
        checkInterruption: @escaping () throws -> Void = {},
        deliver: @escaping (_ number: Int, Frame) throws -> Void
    ) {
        self.deliver = deliver
        self.checkInterruption = checkInterruption
        window = 2 * executor.width
    }

    deinit {
        for job in jobs { job.task.cancel() }
    }

    /// Starts a frame, and delivers those that are finished.
    ///
    /// - Throws: an error of an earlier frame, of its delivery or of the interruption.
    func add(_ number: Int, _ make: @escaping @Sendable () throws -> Frame) throws {
        while let first = jobs.first, jobs.count >= window || first.isFinished { try deliverFirst() }
        jobs.append(Job(number, on: executor, make))
    }

    /// Waits for all frames and delivers them.
    func finish() throws {
        while !jobs.isEmpty { try deliverFirst() }
    }

    private func deliverFirst() throws {
        let frame = try jobs[0].wait(checkInterruption)
        let number = jobs.removeFirst().number
        try deliver(number, frame)
    }

    /// A frame that is being made.
    private struct Job {
        /// The frame, once it is made.
        private final class Outcome: Sendable {
            let result = Mutex<Result<Frame, any Error>?>(nil)
            let isFinished = DispatchSemaphore(value: 0)
        }

        let number: Int
        let task: Task<Void, Never>
        private let outcome: Outcome

        init(_ number: Int, on executor: BlockingExecutor, _ make: @escaping @Sendable () throws -> Frame) {
            let outcome = Outcome()
            self.number = number
            self.outcome = outcome
            task = Task.detached(executorPreference: executor) {
                let result = Result { try make() }
                outcome.result.withLock { $0 = result }
                outcome.isFinished.signal()
            }
        }

        var isFinished: Bool { outcome.result.withLock { $0 != nil } }

        func wait(_ checkInterruption: () throws -> Void) throws -> Frame {
            repeat {
                try checkInterruption()
            } while outcome.isFinished.wait(timeout: .now() + 0.1) == .timedOut
            // It was set before the signal.
            return try outcome.result.withLock { $0! }.get()
        }
    }
}
