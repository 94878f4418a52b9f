#if Server
package import Basics
internal import Files
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The threads that read the files of one root.
///
/// Storage that does not answer, such as a network share that hangs, holds up only requests for its own root: these wait
/// for a limited time, and a limited number of them.
///
/// A thread that waits in the system for such storage cannot be stopped, neither by a timeout nor by cancellation. It
/// can only be left behind, and callers go without it. While all roots shared their threads, a network share that hung
/// stopped the tiles, lists and pages of other folders. So each root has threads of its own, and several groups of them:
/// short work does not wait for long work.
///
/// - A root counts as hanging if nothing was answered for two seconds. Before that, any number may wait: a slow disk
///   refuses nobody.
/// - Each request for an open image asks for the status of its file. One reading serves all callers that came before it
///   began. Later ones get the next reading, since the file may have changed after it was read.
/// - One thread reads statuses. Further ones start only where it seems to hang, and one is left to find out whether the
///   storage answers.
package final class RootThreads: Sendable {
    /// For work on open files: renders, and what follows from a look.
    package let executor = BlockingExecutor(for: .computing, leavesCancelledWork: true)
    /// For long work, so that it never delays a render.
    let builders = BlockingExecutor(for: .computing)
    /// For downloads: slow disks must not keep pictures waiting.
    package let downloads = BlockingExecutor(for: .waiting, leavesCancelledWork: true)
    private let looks = BlockingExecutor(for: .waiting, leavesCancelledWork: true)
    /// For statuses, which must not wait for files that are opened.
    private let readers = BlockingExecutor(for: .waiting, leavesCancelledWork: true)
    private let path: String
    private let timeout: Duration
    private let state = Mutex(State())

    private struct State {
        var lastID = 0
        /// The looks that wait or run.
        var tasks: [Int: @Sendable () -> Void] = [:]
        /// When the storage answered, or began to be asked.
        var lastProgress = ContinuousClock.now
        var isStopped = false
        var statuses = StatusReads()
    }

    /// The looks, and the requests for statuses, that may wait for storage that does not answer.
    fileprivate static let capacity = 512
    /// The time without an answer after which no more may wait.
    private static let patience = Duration.seconds(2)

    /// - Parameters:
    ///   - path: The path of the root.
    ///   - timeout: The time in which its storage must answer.
    package init(_ path: String, timeout: Duration = .seconds(60)) {
        (self.path, self.timeout) = (path, timeout)
    }

    /// Runs a look at files, such as a status or a list of names, or opens a file.
    ///
    /// - Throws: `RouteError.storageBusy` if too many wait, or the storage does not answer in time; the error of `look`, or
    ///   `CancellationError`.
    package func run<R: Sendable>(_ look: @escaping @Sendable () throws -> R) async throws -> R {
        try await run(on: looks, look)
    }

    private func run<R: Sendable>(
        on executor: BlockingExecutor, _ look: @escaping @Sendable () throws -> R
    ) async throws -> R {
        let task = Task { try await executor.run(look) }
        guard let id = begin({ task.cancel() }) else {
            task.cancel()
            throw RouteError.storageBusy
        }
        let expiry = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(timeout)) {
            self.end(id, isAnswered: false)?()
        }
        defer { expiry.cancel() }
        do {
            let result = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            _ = end(id, isAnswered: true)
            return result
        } catch {
            // Whoever ended it before has given it up.
            throw end(id, isAnswered: !(error is CancellationError)) == nil ? RouteError.storageBusy : error
        }
    }

    /// Returns whether the storage answers within a second.
    func answers() async -> Bool {
        do {
            try await withTimeout(.seconds(1)) { [readers, path] in
                try await readers.run { _ = FileStatus(folder: path) }
            }
            return true
        } catch {
            return false
        }
    }

    private func begin(_ cancel: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            // An answer to any of them counts.
            let isHanging = ContinuousClock.now - state.lastProgress > Self.patience
            guard state.tasks.count < Self.capacity || !isHanging, !state.isStopped else { return nil }
            if state.tasks.isEmpty { state.lastProgress = .now }
            state.lastID += 1
            state.tasks[state.lastID] = cancel
            return state.lastID
        }
    }

    /// Removes a look; returns how to cancel it, nil if it was removed before.
    private func end(_ id: Int, isAnswered: Bool) -> (@Sendable () -> Void)? {
        state.withLock { state in
            if isAnswered { state.lastProgress = .now }
            return state.tasks.removeValue(forKey: id)
        }
    }

    /// Gives up the looks that wait; later ones fail at once.
    func stop() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            state.isStopped = true
            return state.tasks.values
        }
        for cancel in tasks { cancel() }
    }
}

// MARK: - Statuses

extension RootThreads {
    /// Returns the status of a file, which is read after this call has begun.
    ///
    /// Calls that come while a status is read share the next reading.
    ///
    /// - Throws: As `run`.
    func status(of path: String) async throws -> FileStatus? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let (isAccepted, reader) = state.withLock { state in
                    let isAccepted = !state.isStopped && state.statuses.add(waiter, id, path)
                    return (isAccepted, isAccepted ? state.statuses.reader(state.lastID) : nil)
                }
                guard isAccepted else { return waiter.resume(throwing: RouteError.storageBusy) }
                if Task.isCancelled { leave(path, id) }
                if let reader { Task { await read(as: reader) } }
            }
        } onCancel: {
            leave(path, id)
        }
    }

    private func leave(_ path: String, _ id: Int) {
        let waiter = state.withLock { $0.statuses.remove(id, path) }
        waiter?.resume(throwing: CancellationError())
    }

    private func read(as reader: Int) async {
        do {
            while try await run(on: readers, { self.readStatuses(as: reader) }) {}
        } catch {
            for waiter in state.withLock({ $0.statuses.fail(reader) }) { waiter.resume(throwing: error) }
        }
    }

    /// Reads statuses for some time; returns whether more are to be read.
    private func readStatuses(as reader: Int) -> Bool {
        // Not for long: `run` limits the time of this work, and takes its end for an answer of the storage.
        let end = ContinuousClock.now + .milliseconds(100)
        while let path = state.withLock({ $0.statuses.begin(reader) }) {
            let status = FileStatus(path)
            guard let waiters = state.withLock({ $0.statuses.finish(reader) }) else { return false }
            for waiter in waiters { waiter.resume(returning: status) }
            if ContinuousClock.now > end { return true }
        }
        return false
    }
}

/// The requests that wait for the statuses of files, and the threads that read these.
private struct StatusReads {
    typealias Waiter = CheckedContinuation<FileStatus?, any Error>

    /// The paths that no thread reads, in the order of their first waiters.
    private var paths: [String] = []
    private var waiters: [String: [Int: Waiter]] = [:]
    /// What each thread reads.
    private var reading: [Int: [Waiter]] = [:]
    private var count = 0
    /// When a thread began or ended a reading.
    private var lastProgress = ContinuousClock.now

    /// The time after which a reading counts as hanging.
    private static let patience = Duration.milliseconds(100)
    /// The most threads; one of the executor's remains to find out whether the storage answers.
    private static let mostReaders = BlockingExecutor.Work.waiting.width - 1

    private var isHanging: Bool { ContinuousClock.now - lastProgress > Self.patience }

    /// Returns false where too many wait for storage that does not answer.
    mutating func add(_ waiter: Waiter, _ id: Int, _ path: String) -> Bool {
        guard count < RootThreads.capacity || !isHanging else { return false }
        if waiters[path] == nil { paths.append(path) }
        waiters[path, default: [:]][id] = waiter
        count += 1
        return true
    }

    mutating func remove(_ id: Int, _ path: String) -> Waiter? {
        guard let waiter = waiters[path]?.removeValue(forKey: id) else { return nil }
        count -= 1
        return waiter
    }

    /// Returns a new thread's number where one more is needed.
    mutating func reader(_ number: Int) -> Int? {
        guard reading.isEmpty || reading.count < Self.mostReaders && isHanging else { return nil }
        reading[number] = []
        lastProgress = .now
        return number
    }

    /// Returns the next path to read; nil where the thread is no longer needed.
    mutating func begin(_ reader: Int) -> String? {
        guard reading[reader] != nil else { return nil }
        lastProgress = .now
        while !paths.isEmpty {
            let path = paths.removeFirst()
            guard let first = waiters.removeValue(forKey: path), !first.isEmpty else { continue }
            reading[reader] = Array(first.values)
            return path
        }
        reading[reader] = nil
        return nil
    }

    /// Returns who waits for what a thread has read; nil where that was given up.
    mutating func finish(_ reader: Int) -> [Waiter]? {
        guard let done = reading[reader] else { return nil }
        (lastProgress, reading[reader]) = (.now, [])
        count -= done.count
        return done
    }

    /// Gives up a thread; returns all that wait.
    mutating func fail(_ reader: Int) -> [Waiter] {
        let all = (reading.removeValue(forKey: reader) ?? []) + waiters.values.flatMap(\.values)
        (paths, waiters) = ([], [:])
        count -= all.count
        return all
    }
}
#endif
