internal import Foundation
internal import Synchronization

/// Makes the thumbnails of many files: one file a worker, one result an entry, memory that does not grow with the
/// list.
package struct Batch: Sendable {
    package var maker: ThumbnailMaker
    package var store: any ThumbnailStore
    /// How many files are worked on at once.
    package var jobs: Int
    /// The batch ends when more items than this have failed; nil for never.
    package var allowedFailures: Int?

    package init(_ recipe: ThumbnailRecipe, to store: any ThumbnailStore, jobs: Int) {
        maker = ThumbnailMaker(recipe)
        self.store = store
        self.jobs = max(1, jobs)
    }

    /// What became of a batch's entries.
    package struct Summary: Sendable, Hashable {
        package var made = 0
        package var skipped = 0
        package var duplicates = 0
        package var failed = 0
        /// Those of `failed` whose thumbnails could not be written.
        package var unwritten = 0
        /// Entries that were not begun; nil where the list is a stream.
        package var left: Int? = 0
        /// How much of the list was begun, from 0 to 1; nil where its length is not known.
        package var share: Double?

        package var done: Int { made + skipped + duplicates + failed }

        mutating func count(_ result: BatchResult) {
            switch result.outcome {
            case .made: made += 1
            case .skipped: skipped += 1
            case .duplicate: duplicates += 1
            case .failed(let failure):
                failed += 1
                if failure.code == BatchFailure.cannotWrite { unwritten += 1 }
            }
        }
    }

    private struct State {
        var summary = Summary()
        var error: BatchError?
        var isOver = false
    }

    /// Works until the list ends, or it is stopped: then what has begun is finished.
    ///
    /// - Parameters:
    ///   - isStopped: asked from the workers' threads before every item.
    ///   - tell: gets each result with the sums so far, one at a time, in the order in which they are ready.
    /// - Throws: `BatchError` of the list or of `tell`, when what has begun is finished.
    package func run(
        _ plan: sending BatchPlan, isStopped: @escaping @Sendable () -> Bool = { false },
        _ tell: @escaping @Sendable (BatchResult, Summary) throws(BatchError) -> Void
    ) throws(BatchError) -> Summary {
        let plan = Mutex(plan)
        let state = Mutex(State())
        let worker = BatchWorker(maker, store)
        let isOver: @Sendable () -> Bool = { state.withLock(\.isOver) || isStopped() }
        let work: @Sendable () -> Void = {
            while !isOver() {
                let next: (BatchPlan.Task, share: Double?)?
                do throws(BatchError) {
                    next = try plan.withLock { (plan) throws(BatchError) in
                        guard let task = try plan.next(isStopped: isOver) else { return nil }
                        return (task, plan.share)
                    }
                } catch {
                    return state.withLock { ($0.error, $0.isOver) = ($0.error ?? error, true) }
                }
                guard let (task, share) = next else { return }
                let result =
                    switch task {
                    case .make(let item, let outputs): worker.work(item, outputs)
                    case .tell(let result): result
                    }
                state.withLock { state in
                    state.summary.count(result)
                    state.summary.share = share
                    do throws(BatchError) {
                        if state.error == nil { try tell(result, state.summary) }
                    } catch {
                        (state.error, state.isOver) = (error, true)
                    }
                    if let allowedFailures, state.summary.failed > allowedFailures { state.isOver = true }
                }
            }
        }
        // Threads of their own: there may be more of them than processors, where files come over a network.
        let workers = DispatchGroup()
        for _ in 0..<jobs {
            workers.enter()
            Thread.detachNewThread {
                work()
                workers.leave()
            }
        }
        workers.wait()
        var (summary, error) = state.withLock { ($0.summary, $0.error) }
        if let error { throw error }
        if isOver() { summary.left = try plan.withLock { (plan) throws(BatchError) in try plan.countRest() } }
        return summary
    }
}
