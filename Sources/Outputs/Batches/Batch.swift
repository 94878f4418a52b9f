package import Basics
internal import Digests
package import Files
internal import Foundation
internal import ImageReading
package import MemoryWatching
internal import RemoteFiles
internal import Synchronization

/// Does the work of many items: one item per worker, one result per entry, in constant memory.
package struct Batch: Sendable {
    package let work: any BatchWork
    /// The number of items processed at a time.
    package var jobs: Int
    /// The batch ends when more items than this fail; nil for no limit.
    package var allowedFailures: Int?
    /// The memory that items share; nil if any items fit side by side.
    private let memory: MemoryBudget?

    /// - Parameters:
    ///   - jobs: the most items processed at a time; nil for one per processor.
    ///   - limit: that of the process: items wait until their estimates fit into 60 % of the memory.
    package init(_ work: any BatchWork, jobs: Int? = nil, limit: MemoryLimit? = MemoryLimit.current) {
        self.work = work
        let jobs = max(1, jobs ?? Processors.count)
        self.jobs = jobs
        memory = MemoryBudget(jobs: jobs, limit: limit)
    }

    private struct State {
        var summary = BatchSummary()
        var error: BatchError?
        /// The greatest share of the list that was started; the item that ends last may have been started earlier.
        var started: Double?
    }

    /// Runs until the list ends or the batch is stopped; items in progress are finished.
    ///
    /// - Parameters:
    ///   - isStopped: called on the workers' threads before each item.
    ///   - report: receives each result with the counts so far, one call at a time, in the order of completion.
    /// - Throws: `BatchError` of the list or of `report`, after the items in progress are finished.
    package func run(
        _ plan: sending BatchPlan, isStopped: @escaping @Sendable () -> Bool = { false },
        _ report: @escaping @Sendable (BatchResult, BatchSummary) throws(BatchError) -> Void
    ) throws(BatchError) -> BatchSummary {
        // A worker can read a million lines before it finds a task.
        let plan = Exclusive(plan)
        let state = Exclusive(State())
        let isEnded = Atomic(false)
        let running = Atomic(0)
        let (maker, memory) = (work, memory)
        let isOver: @Sendable () -> Bool = { isEnded.load(ordering: .relaxed) || isStopped() }
        let work: @Sendable () -> Void = {
            while !isOver() {
                let next: (BatchPlan.Task, share: Double?)?
                do throws(BatchError) {
                    next = try plan.withValueEvenIfCancelled { (plan) throws(BatchError) in
                        guard let task = try plan.next(isStopped: isOver) else { return nil }
                        running.wrappingAdd(1, ordering: .relaxed)
                        return (task, plan.share)
                    }
                } catch {
                    isEnded.store(true, ordering: .relaxed)
                    return state.withValueEvenIfCancelled { $0.error = $0.error ?? error }
                }
                guard let (task, share) = next else { return }
                let result =
                    switch task {
                    case .known(let result): result
                    case .make(let item, let outputs):
                        if let memory {
                            memory.holding(maker.memory(of: item)) { maker.result(item, outputs) }
                        } else {
                            maker.result(item, outputs)
                        }
                    }
                state.withValueEvenIfCancelled { state in
                    state.summary.count(result)
                    let others = running.wrappingSubtract(1, ordering: .relaxed).newValue
                    // The share is that of the files that were started, a sum with roundings.
                    state.started = share.map { max($0, state.started ?? 0) }
                    let isLast = others == 0 && state.started ?? 0 > 1 - 1e-9
                    state.summary.fraction = state.started.map {
                        isLast ? 1 : max(min($0, 0.999), state.summary.fraction ?? 0)
                    }
                    do throws(BatchError) {
                        if state.error == nil { try report(result, state.summary) }
                    } catch {
                        state.error = error
                    }
                    let hasTooManyFailures = allowedFailures.map { state.summary.failed > $0 } ?? false
                    if state.error != nil || hasTooManyFailures { isEnded.store(true, ordering: .relaxed) }
                }
            }
        }
        // Dedicated threads: for files on a network there can be more of them than processors.
        let workers = DispatchGroup()
        for _ in 0..<jobs {
            workers.enter()
            Self.onOwnThread {
                work()
                workers.leave()
            }
        }
        workers.wait()
        var (summary, error) = state.withValueEvenIfCancelled { ($0.summary, $0.error) }
        if let error { throw error }
        if !isOver() {
            summary.fraction = 1
        } else {
            summary.left = try plan.withValueEvenIfCancelled { (plan) throws(BatchError) in
                try plan.countRest()
            }
        }
        return summary
    }
}

extension Batch {
    /// Runs work on a dedicated thread.
    package static func onOwnThread(_ work: @escaping @Sendable () -> Void) { Thread.detachNewThread(work) }
}

/// The work of a batch: what it makes of an item, and where.
package protocol BatchWork: Sendable {
    /// One output in messages, such as "thumbnail".
    var noun: String { get }

    /// Which later items are duplicates.
    var identity: BatchIdentity { get }

    /// How the paths of outputs follow from an item's path and id; nil if they need more.
    var naming: OutputNaming? { get }

    /// Returns the paths of an item's outputs.
    func outputs(of item: BatchItem) throws(BatchFailure) -> [String]

    /// What fingerprints depend on.
    var recipe: BatchRecipe { get }

    /// Members with which a line has a recipe of its own: its item is told apart from others of its file, by its id.
    var ownMembers: [StaticString] { get }

    /// Members that the result of a success must have to be kept.
    var resultMembers: [String] { get }

    /// Returns a hash of everything but the item's file that decides its outputs.
    func fingerprint(of item: BatchItem) -> String

    /// Returns an estimate of the memory that an item takes, in bytes, from the header of its file.
    func memory(of item: BatchItem) -> Int

    /// Makes the outputs of an item, or finds that they exist; blocks the calling thread.
    ///
    /// - Parameter source: the state of the item's file before it is read; nil if there is none.
    func make(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> BatchOutput

    /// Records that an item's file failed, if the work can.
    func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus)
}

/// What items of a list have in common if the later one is a duplicate.
package enum BatchIdentity: Sendable {
    /// The path relative to the root.
    case path
    /// The key.
    case key
    /// The key, which without an id has the other members of the line: a file has any number of items.
    case line
}

/// What the fingerprints of items depend on, apart from their files.
package enum BatchRecipe: Sendable {
    /// The same for all items: their fingerprint.
    case common(String)
    /// A text, and the other members of the line; the fingerprint is a hash of both.
    case line(String)
    /// More than the line.
    case item
}

extension BatchRecipe {
    /// Returns the fingerprint of an item; nil if it depends on more than the line.
    ///
    /// - Parameter rest: returns the other members of the line as JSON; nil if they are not at hand.
    func fingerprint(_ rest: () -> [UInt8]?) -> String? {
        switch self {
        case .common(let fingerprint): fingerprint
        case .line(let text):
            rest().map { SHA256.hash((Array("\(text) ".utf8) + $0).span).hexadecimal(first: 8) }
        case .item: nil
        }
    }
}

/// Fingerprints of scanned lines with their digests; one that all lines have in common is hashed once.
struct FingerprintScan: Sendable {
    private let recipe: BatchRecipe
    private let ownMembers: [StaticString]
    private let common: (text: String, digest: BatchPlan.Digest)?

    init(_ work: any BatchWork) {
        (recipe, ownMembers) = (work.recipe, work.ownMembers)
        common = if case .common(let text) = recipe { (text, BatchPlan.Digest(text)) } else { nil }
    }

    /// Returns the fingerprint of an item; nil if it depends on more than the line.
    ///
    /// - Parameter line: the line that was scanned last.
    func fingerprint(_ scan: LineScan, _ line: Span<UInt8>) -> (text: String, digest: BatchPlan.Digest)? {
        guard !scan.hasMember(of: ownMembers, line) else { return nil }
        return common ?? recipe.fingerprint { scan.rest(line) }.map { ($0, BatchPlan.Digest($0)) }
    }
}

/// Work whose lines have options: a file has any number of items, and a line can name its output.
package protocol LineWork: BatchWork {
    /// The paths of outputs that lines do not name.
    var template: OutputTemplate { get }

    /// What all lines have in common and decides the outputs.
    var commonOptions: String { get }
}

extension LineWork {
    package var identity: BatchIdentity { .line }

    package var naming: OutputNaming? {
        OutputNaming(template, [OutputNaming.Size("")], member: "output")
    }

    package var recipe: BatchRecipe { .line(commonOptions) }
}

/// What was made of an item.
package struct BatchOutput {
    var outcome: BatchResult.Outcome
    /// Members of the result beside the outputs.
    var notes: [JSONValue.Member]

    package init(_ outcome: BatchResult.Outcome, notes: [JSONValue.Member] = []) {
        (self.outcome, self.notes) = (outcome, notes)
    }
}

extension BatchWork {
    package func outputs(of item: BatchItem) throws(BatchFailure) -> [String] {
        try naming?.outputs(of: item) ?? []
    }

    package var recipe: BatchRecipe { .item }

    package func fingerprint(of item: BatchItem) -> String {
        recipe.fingerprint { Array(JSONValue.object(item.rest).description.utf8) } ?? ""
    }

    package var ownMembers: [StaticString] { [] }

    package var resultMembers: [String] { [] }

    /// What tells an item apart from other ones: its file, or its key.
    func identity(of item: BatchItem) -> String {
        identity == .path && !item.hasMember(of: ownMembers) ? item.relativePath : item.key
    }

    package func memory(of item: BatchItem) -> Int {
        (try? ImageFile.open(item.file))?.decodingByteCount ?? 0
    }

    package func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus) {}

    /// Makes the outputs of an item, once more where its file has changed on a server meanwhile.
    private func makeOnceMore(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> BatchOutput {
        do throws(BatchFailure) {
            return try make(item, outputs, source)
        } catch let failure where failure.code == "changed" && RemoteAddress.isRemote(item.file) {
            return try make(item, outputs, FileStatus(image: item.file))
        }
    }

    /// Returns the result of an item, also of a failure; blocks the calling thread.
    func result(_ item: BatchItem, _ outputs: [String]) -> BatchResult {
        let clock = ContinuousClock()
        let start = clock.now
        // The state before reading: if the file changes meanwhile, the next run notices.
        let source = FileStatus(image: item.file)
        var result = BatchResult(item, outcome: .duplicate)
        do throws(BatchFailure) {
            let output = try makeOnceMore(item, outputs, source)
            result.outcome = output.outcome
            result.notes = output.notes
        } catch {
            result.outcome = .failed(error)
            if let source, error.isLasting { note(error, of: item, source) }
        }
        result.origin = source.map { BatchResult.Origin(recipe: fingerprint(of: item), source: $0) }
        result.duration = clock.now - start
        return result
    }
}
