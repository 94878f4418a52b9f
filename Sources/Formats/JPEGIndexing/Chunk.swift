internal import Dispatch
internal import Synchronization

/// A run of bytes of the entropy-coded data, read without knowing what is before it.
///
/// JPEG's codes are self-synchronizing: a reader that starts anywhere soon reads the same MCUs as one from the
/// beginning, without knowing their numbers and DC values. The reader from the beginning proves it by reaching a
/// position where this one was between two MCUs: from there, both read the same.
// The thread that claimed a chunk uses it, then the reader that waits for that thread.
final class Chunk: @unchecked Sendable {
    let window: ByteWindow
    /// The first byte.
    private var start = 0
    /// The position in bits where the next chunk begins.
    private(set) var end: UInt64 = 0
    /// The states before each of the first MCUs, before some of the others, and behind the last that was read, with DC
    /// values counted from the reader's start.
    private(set) var states: [EntropyState] = []
    /// The samples of all MCUs, where an overview is made.
    private(set) var samples = DCRelativeSamples()
    /// The same where the image at one quarter is made.
    private(set) var quarters: [SIMD4<Int16>] = []
    /// The number of the first MCU: not 0 where restart markers count MCUs.
    private var firstMCU = 0
    fileprivate let isRead = DispatchSemaphore(value: 0)

    /// The first MCUs, whose states are all kept: readers synchronize within 55 MCUs or so.
    private static let denseCount = 512
    /// The MCUs between two states behind those.
    private static let step = 4

    init(_ window: ByteWindow) {
        self.window = window
    }

    /// Makes it a chunk of other bytes.
    fileprivate func move(to bytes: Range<Int>, isLast: Bool) {
        start = bytes.lowerBound
        end = isLast ? .max : UInt64(bytes.upperBound) << 3
        states.removeAll(keepingCapacity: true)
    }

    /// Reads as far as possible, from the first byte or from one of a few behind it.
    fileprivate func read(_ scanner: EntropyScanner, _ plan: ReductionPlan?) {
        for attempt in 0..<32 {
            // The next restart marker may be far away.
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt),
                cursor.bitPosition < end
            else { return }
            // A start inside of a code may lead to what is no code at all: a start some bytes on is in another phase.
            if read(cursor, plan) { return }
        }
    }

    /// Returns false where the data breaks so early that the reader was most likely not synchronized.
    private func read(_ first: MCUCursor, _ plan: ReductionPlan?) -> Bool {
        var cursor = first
        firstMCU = first.mcu
        states.removeAll(keepingCapacity: true)
        samples.removeAll()
        quarters.removeAll(keepingCapacity: true)
        let endByte = Int(truncatingIfNeeded: end >> 3)
        do throws(JPEGIndexError) {
            // What is read ahead does not matter.
            while cursor.state.position < endByte {
                let isDense = states.count < Self.denseCount
                let step = isDense ? 1 : Self.step
                guard let plan else {
                    let times = isDense ? min(16, Self.denseCount - states.count) : 16
                    try cursor.advance(by: step, times: times, noting: &states)
                    continue
                }
                states.append(cursor.state)
                switch plan {
                case .overview(let plan): for _ in 0..<step { try cursor.decode(plan, to: &samples) }
                case .quarter(let plan): for _ in 0..<step { try cursor.decode(plan, to: &quarters) }
                }
            }
        } catch {
            // A reader is in step after 55 MCUs or so. What breaks later is damage of the file,
            // which the reader from the beginning reports when it gets there.
            return states.count > 64
        }
        states.append(cursor.state)
        return true
    }

    /// The number of the MCU behind the last state.
    var lastMCU: Int { mcu(at: states.count - 1) }

    /// The number of the MCU behind a state.
    func mcu(at index: Int) -> Int {
        firstMCU + min(index, Self.denseCount) + max(0, index - Self.denseCount) * Self.step
    }

    /// The last state at an MCU or before it.
    func state(before mcu: Int) -> Int {
        let count = max(0, mcu - firstMCU)
        let index = min(count, Self.denseCount) + max(0, count - Self.denseCount) / Self.step
        return min(index, states.count - 1)
    }

    /// The states at which a reader from the beginning may meet this one.
    var candidates: ArraySlice<EntropyState> { states.prefix(Self.denseCount + 1) }

    /// The number of an MCU among the samples.
    func sampleNumber(of mcu: Int) -> Int { mcu - firstMCU }
}

/// What is made of the blocks while they are read.
enum ReductionPlan {
    case overview(OverviewPlan)
    case quarter(QuarterPlan)
}

/// The chunks of a file, some of which other threads read before the reader of the file reaches them.
///
/// Threads claim chunks in the order of the file. The reader helps them while it waits, so that all of it works, if
/// slower, where no other thread is free.
final class ChunkQueue: Sendable {
    private struct State {
        /// The next chunks of the file.
        var chunks: [Chunk] = []
        /// How many of them were claimed.
        var claimed = 0
        /// Whether the reader has taken the first.
        var isTaken = false
        /// The position behind the last.
        var end: Int
        /// The other threads at work.
        var threads = 0
        var isEnded = false

        /// Adds a chunk of the bytes behind the last, if there are any.
        mutating func append(_ chunk: Chunk, _ size: Int, end fileEnd: Int) {
            guard end < fileEnd || chunks.isEmpty else { return }
            chunk.move(to: end..<(end + size), isLast: end + size >= fileEnd)
            chunks.append(chunk)
            end += size
        }
    }

    private let scanner: EntropyScanner
    private let plan: ReductionPlan?
    private let fileEnd: Int
    private let chunkSize: Int
    /// The most other threads.
    private let threads: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - start: the first byte of the first chunk.
    ///   - threads: the threads, with that of the reader.
    ///   - chunkSize: the bytes of a chunk; nil for what suits the file.
    init(
        _ window: ByteWindow, _ scanner: EntropyScanner, _ plan: ReductionPlan?, from start: Int,
        threads: Int, chunkSize: Int?
    ) {
        self.scanner = scanner
        self.plan = plan
        fileEnd = window.count
        // Small files are divided, too, but synchronizing must remain a small part of a chunk.
        let size = chunkSize ?? max(1 << 16, min(window.count / 32, ByteWindow.sequentialReadAhead))
        self.chunkSize = size
        self.threads = max(0, min(threads - 1, (window.count - start) / size))
        state = Mutex(State(end: start))
        // A thread reads past the end of its chunk by an MCU or so, and windows load more before they are empty.
        let readAhead = size + 20 * scanner.maximumMCUSize
        // Two for each thread: one that it reads, and one that waits for the reader of the file.
        let count = self.threads > 0 ? 2 * (self.threads + 1) : 1
        state.withLock { state in
            for _ in 0..<count {
                state.append(Chunk(window.duplicate(readAhead: readAhead)), size, end: fileEnd)
            }
        }
    }

    /// Takes the next chunk of the file; returns whether it was read.
    func take() -> (chunk: Chunk, isRead: Bool) {
        let (chunk, isClaimed) = state.withLock { state in
            state.isTaken = true
            let isClaimed = state.claimed > 0
            if !isClaimed { state.claimed = 1 }
            return (state.chunks[0], isClaimed)
        }
        startThreads()
        guard isClaimed else { return (chunk, false) }
        while chunk.isRead.wait(timeout: .now()) == .timedOut {
            guard let next = claim() else {
                chunk.isRead.wait()
                break
            }
            read(next)
        }
        return (chunk, true)
    }

    /// Gives back the chunk that was taken.
    func giveBack() {
        state.withLock { state in
            let chunk = state.chunks.removeFirst()
            state.claimed -= 1
            state.isTaken = false
            state.append(chunk, chunkSize, end: fileEnd)
        }
    }

    /// Waits until no other thread reads, and lets none begin.
    func end() {
        let reading = state.withLock { state in
            state.isEnded = true
            let first = state.isTaken ? 1 : 0
            let reading = state.chunks[first..<state.claimed]
            state.claimed = first
            return reading
        }
        for chunk in reading { chunk.isRead.wait() }
    }

    private func startThreads() {
        let count = state.withLock { state in
            guard !state.isEnded else { return 0 }
            let count = max(0, min(threads - state.threads, state.chunks.count - state.claimed))
            state.threads += count
            return count
        }
        for _ in 0..<count {
            DispatchQueue.global().async {
                while let chunk = self.claim(onThread: true) { self.read(chunk) }
            }
        }
    }

    /// Claims the next chunk; nil where there is none.
    private func claim(onThread: Bool = false) -> Chunk? {
        state.withLock { state in
            guard !state.isEnded, state.claimed < state.chunks.count else {
                if onThread { state.threads -= 1 }
                return nil
            }
            state.claimed += 1
            return state.chunks[state.claimed - 1]
        }
    }

    private func read(_ chunk: Chunk) {
        chunk.read(scanner, plan)
        chunk.isRead.signal()
    }
}
