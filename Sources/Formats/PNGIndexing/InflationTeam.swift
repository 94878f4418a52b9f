internal import Basics
internal import Dispatch
internal import Synchronization

/// How much is inflated at once, and how far a second thread is ahead.
package struct InflationSizes: Sendable {
    /// The size of a chunk: fits into the processor's cache together with the input.
    package var chunk = 1 << 18
    /// The inflated bytes between the leader and the start of the scout, about.
    package var leap = 4 << 20
    /// The inflated bytes that are needed at least for a second thread that inflates.
    package var least = 16 << 20
    /// The symbols after which the scout checks whether the window still matters.
    package var step = 1 << 15
    /// Wrong starts after which there is no scout any more; 0 for none.
    package var failures = 3

    package init() {}
}

/// Two threads that inflate one stream, and the calling thread that uses it.
///
/// One thread leads: it knows the window. The other scouts: it searches for the header of a block some megabytes ahead
/// and decodes from there, with markers for bytes of the window that it does not know. Once the leader reaches that
/// header, the scout leads, and the leader leaps ahead. A header that the leader does not reach was none.
///
/// Deflate has no marks between blocks, but a block with codes of its own (RFC 1951, 3.2.7) begins with lengths that
/// must form complete codes, which other bits rarely do. Until 32 KB of known bytes are in a row, matches may refer to
/// bytes before the start, so the scout writes numbers instead of bytes (`MarkedChunk`). After that it inflates as the
/// leader does. Nothing that it finds is used before the leader proves the start: the bytes are those of one thread.
///
/// The scout stops at its leap and waits, and the leader is at most four chunks ahead of the calling thread: memory
/// does not grow with the image. Before, the leap was 6 MB, and each thread had chunks of its own; both took more
/// memory. Images of one color stay with one thread: their matches are copied as fast as their markers would be.
final class InflationTeam: @unchecked Sendable {
    typealias Piece = ChunkPipeline.Piece

    private struct State {
        /// In the order of the stream.
        var pieces: [Result<Lent, PNGIndexError>] = []
        var isStopped = false
        /// The threads that were started.
        var threads = 1
        /// The bit that the scout began at.
        var scoutStart: Int?
        /// What the scout needs to lead, once the leader reached its start.
        var handover: (output: Int, window: [UInt8])?
        /// Starts that were no headers of blocks.
        var failures = 0
        /// How far the leader is.
        var bit = 0
        var output = 0
    }

    private struct Lent: Sendable {
        let piece: Piece
        let isLeaders: Bool
    }

    /// What belongs to one thread, except for `woken`.
    private final class Worker: @unchecked Sendable {
        let lane: Lane
        /// Signaled when the state changed.
        let woken = DispatchSemaphore(value: 0)
        lazy var marked = MarkedChunk()

        init(_ lane: Lane) { self.lane = lane }
    }

    private let needed: Int
    private let sizes: InflationSizes
    private let first: Worker
    /// The thread that scouts first.
    private let second: Mutex<Worker?> = Mutex(nil)
    private let makeLane: @Sendable () -> Lane
    private let state = Mutex(State())
    /// The chunks that nobody uses.
    private let free = Mutex<[InflatedChunk]>([])
    private let filled = DispatchSemaphore(value: 0)
    /// The chunks that the leader may be ahead.
    private let room = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - lane: The beginning of the stream.
    ///   - needed: The position in the inflated stream that nothing is needed behind.
    init(_ lane: Lane, to needed: Int, sizes: InflationSizes, _ makeLane: @escaping @Sendable () -> Lane) {
        first = Worker(lane)
        self.needed = needed
        self.sizes = sizes
        self.makeLane = makeLane
    }

    /// Lends the pieces in order until `body` returns false or the stream ends.
    func read(_ body: (Piece) throws -> Bool) throws {
        // The chunks of the leader that may wait for the calling thread.
        for _ in 0..<4 { room.signal() }
        WorkerThread.start("viewport.inflation") { self.work(self.first, leads: true) }
        // The other threads must not read the file after this returns.
        defer { stop() }
        while true {
            filled.wait()
            let lent = try state.withLock { $0.pieces.removeFirst() }.get()
            guard try body(lent.piece), !lent.piece.isLast else { return }
            free.withLock { $0.append(lent.piece.chunk) }
            if lent.isLeaders { room.signal() }
        }
    }

    private func stop() {
        let threads = state.withLock { state in
            state.isStopped = true
            return state.threads
        }
        // Each thread may sleep at one of these; it ends when it wakes and sees that the team is stopped.
        room.signal()
        first.woken.signal()
        second.withLock { $0 }?.woken.signal()
        for _ in 0..<threads { ended.wait() }
    }

    private func work(_ worker: Worker, leads: Bool) {
        var leads = leads
        while leads ? lead(worker) : scout(worker) { leads.toggle() }
        ended.signal()
    }

    /// A chunk that nobody uses; a new one where there is none.
    private func chunk() -> InflatedChunk {
        free.withLock { $0.popLast() } ?? InflatedChunk(size: sizes.chunk)
    }

    private func publish(_ results: [Result<Lent, PNGIndexError>]) {
        // All at once, so that what the scout found is not mixed with pieces of the next leader.
        state.withLock { $0.pieces += results }
        for _ in results { filled.signal() }
    }

    // MARK: Leading

    /// Inflates until the start of the scout is reached; false where nothing is left to do.
    private func lead(_ worker: Worker) -> Bool {
        let lane = worker.lane
        while true {
            room.wait()
            let (isStopped, target) = state.withLock { ($0.isStopped, $0.scoutStart ?? .max) }
            guard !isStopped else { return false }
            let chunk = chunk()
            let result = Result { () throws(PNGIndexError) in
                try lane.fill(chunk, to: needed, until: target)
            }
            publish([result.map { Lent(piece: $0, isLeaders: true) }])
            guard let piece = try? result.get(), !piece.isLast else { return false }
            let bit = lane.inflater.position.bit
            let isReached = lane.inflater.isBetweenBlocks && bit >= target
            let isHandedOver = state.withLock { state in
                (state.bit, state.output) = (bit, lane.nextStart)
                guard isReached, state.scoutStart == target else { return false }
                guard bit == target else {
                    // No block begins there: the first header behind it was reached instead.
                    // The scout sees that its start is gone.
                    state.scoutStart = nil
                    state.failures += 1
                    return false
                }
                state.handover = (lane.nextStart, lane.window)
                return true
            }
            if isReached { other(than: worker)?.woken.signal() }
            if isHandedOver { return true }
            startSecond()
        }
    }

    private func other(than worker: Worker) -> Worker? {
        worker === first ? second.withLock { $0 } : first
    }

    /// Starts the second thread once it is worth it, and a whole window is before all that it can find.
    private func startSecond() {
        let isStarted = state.withLock { state in
            // An image that deflates to a fiftieth is nearly all matches.
            guard state.output < 50 * (state.bit / 8) else { return false }
            guard state.threads == 1, !state.isStopped, sizes.failures > 0,
                state.output >= max(sizes.leap / 4, InflatedChunk.window),
                needed - state.output >= sizes.least
            else { return false }
            state.threads = 2
            return true
        }
        guard isStarted else { return }
        let worker = Worker(makeLane())
        second.withLock { $0 = worker }
        WorkerThread.start("viewport.inflation") { self.work(worker, leads: false) }
    }
}

// MARK: Scouting

extension InflationTeam {
    /// What the scout has decoded.
    private struct Found {
        var pieces: [Piece] = []
        var error: PNGIndexError?
    }

    private enum Turn {
        case waits
        case leads(output: Int, window: [UInt8])
        /// The start was wrong, or others stopped.
        case drops
    }

    private enum Outcome {
        case leads
        case startsAgain
        case ends
    }

    /// Decodes from a later block on until the leader reaches it; false where nothing is left to do.
    private func scout(_ worker: Worker) -> Bool {
        while let isFound = findStart(worker) {
            guard isFound else {
                state.withLock { $0.failures += 1 }
                continue
            }
            switch decode(worker) {
            case .leads: return true
            case .startsAgain: break
            case .ends: return false
            }
        }
        return false
    }

    /// Searches for the header of a block ahead of the leader; nil where nothing is left to do.
    private func findStart(_ worker: Worker) -> Bool? {
        while true {
            let (isUseful, isSettled, byte) = state.withLock { state in
                // The place of an inflated byte is not known; the ratio so far gives a guess.
                let perByte = max(1, Double(state.output) / Double(max(1, state.bit / 8)))
                let isUseful =
                    !state.isStopped && state.failures < sizes.failures
                    && needed - state.output > 2 * sizes.leap
                return (
                    isUseful, state.scoutStart == nil,
                    state.bit / 8 + Int(Double(sizes.leap) / perByte)
                )
            }
            guard isUseful else { return nil }
            // The last scout leads as soon as it has published what it found.
            guard isSettled else {
                worker.woken.wait()
                continue
            }
            let inflater = worker.lane.inflater
            let start = max(byte, inflater.input.start)
            let result = Result { () throws(PNGIndexError) in
                // Blocks of photographs have some 20 KB.
                try inflater.findBlock(from: start, to: start + 1 << 19)
            }
            guard let isFound = try? result.get() else { return nil }
            if isFound { state.withLock { $0.scoutStart = inflater.position.block } }
            return isFound
        }
    }

    /// Decodes until it is known whether the start was right.
    private func decode(_ worker: Worker) -> Outcome {
        let (lane, marked) = (worker.lane, worker.marked)
        let start = lane.inflater.position.block
        var found = Found()
        var (isMarked, isDone) = (true, false)
        marked.removeAll()
        while true {
            switch turn(start) {
            case .drops:
                free.withLock { $0 += found.pieces.map(\.chunk) }
                return .startsAgain
            case .leads(let output, let window): return takeOver(worker, from: output, window, found)
            case .waits: break
            }
            guard !isDone else {
                worker.woken.wait()
                continue
            }
            do throws(PNGIndexError) {
                if isMarked {
                    isDone = try !marked.append(min(sizes.step, sizes.chunk), from: lane.inflater)
                    // A match reaches back 32 KB at most: once so many bytes are known, no unknown one can follow.
                    if !isDone, let window = marked.windowAfter {
                        // The position is not known yet.
                        lane.begin(at: InflatedChunk.window, window: window)
                        isMarked = false
                    }
                } else {
                    let piece = try lane.fill(chunk(), to: .max)
                    found.pieces.append(piece)
                    isDone = piece.isLast || found.pieces.count * sizes.chunk >= sizes.leap
                }
            } catch {
                (found.error, isDone) = (error, true)
                dropStart()
            }
        }
    }

    /// Gives up the start of the scout, unless the leader has reached it.
    ///
    /// Decoding from wrong starts soon fails. Where the start was right, the leader finds the error later.
    private func dropStart() {
        state.withLock { state in
            guard state.handover == nil else { return }
            state.scoutStart = nil
            state.failures += 1
        }
    }

    private func turn(_ start: Int) -> Turn {
        state.withLock { state in
            guard !state.isStopped, state.scoutStart == start else { return .drops }
            guard let handover = state.handover else { return .waits }
            return .leads(output: handover.output, window: handover.window)
        }
    }

    /// Publishes what was found, now that the window is known.
    private func takeOver(
        _ worker: Worker, from output: Int, _ window: [UInt8], _ found: Found
    ) -> Outcome {
        let (lane, marked) = (worker.lane, worker.marked)
        var pieces: [Piece] = []
        lane.begin(at: output, window: window)
        for segment in marked.segments where lane.nextStart < needed {
            let chunk = chunk()
            chunk.begin(at: lane.nextStart, window: lane.window)
            marked.resolve(segment, window: window, into: chunk)
            lane.follow(chunk)
            pieces.append(
                Piece(
                    chunk: chunk, position: segment.position, dataChunk: segment.dataChunk,
                    isLast: chunk.nextStart >= needed))
        }
        for piece in found.pieces where lane.nextStart < needed {
            piece.chunk.place(at: lane.nextStart)
            lane.follow(piece.chunk)
            pieces.append(
                Piece(
                    chunk: piece.chunk, position: piece.position, dataChunk: piece.dataChunk,
                    isLast: piece.isLast || piece.chunk.nextStart >= needed))
        }
        publish(pieces.map { .success(Lent(piece: $0, isLeaders: false)) })
        if let error = found.error { publish([.failure(error)]) }
        let ends = found.error != nil || pieces.last?.isLast == true
        state.withLock { state in
            (state.scoutStart, state.handover) = (nil, nil)
            (state.bit, state.output) = (lane.inflater.position.bit, lane.nextStart)
        }
        other(than: worker)?.woken.signal()
        return ends ? .ends : .leads
    }
}
