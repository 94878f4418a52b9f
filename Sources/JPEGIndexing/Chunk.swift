internal import Dispatch
internal import Synchronization

/// A run of bytes of the entropy-coded data, read without knowing what is before it.
///
/// JPEG's codes are self-synchronizing: a reader that starts anywhere soon reads the same MCUs as one from the
/// beginning, without knowing their numbers and DC values. The reader from the beginning proves it by reaching a
/// position where this one was between two MCUs: from there, both read the same.
// The thread that claimed a chunk uses it, then the reader that waits for that thread.
final class Chunk: @unchecked Sendable {
    /// A position between two MCUs, with DC values counted from the reader's start.
    struct Position {
        var bitPosition: UInt64
        var predictors: SIMD4<Int32>
    }

    let window: ByteWindow
    /// The first byte.
    private var start = 0
    /// The position in bits where the next chunk begins.
    private(set) var end: UInt64 = 0
    /// The positions behind each of the first MCUs, behind some of the others, and behind the last that was read.
    private(set) var positions: [Position] = []
    /// The samples of all MCUs, where an overview is made.
    private(set) var samples = DCRelativeSamples()
    /// The number of the first MCU: not 0 where restart markers count MCUs.
    private var firstMCU = 0
    fileprivate let isRead = DispatchSemaphore(value: 0)

    /// The MCUs in a row at the beginning whose positions are all kept: readers synchronize within 55 MCUs or so.
    private static let denseCount = 1024
    /// The MCUs between two positions behind those.
    private static let step = 4

    init(_ window: ByteWindow) {
        self.window = window
    }

    /// Makes it a chunk of other bytes.
    fileprivate func move(to bytes: Range<Int>, isLast: Bool) {
        start = bytes.lowerBound
        end = isLast ? .max : UInt64(bytes.upperBound) << 3
        positions.removeAll(keepingCapacity: true)
    }

    /// Reads as far as possible, from the first byte or from one of a few behind it.
    fileprivate func read(_ scanner: EntropyScanner, _ plan: OverviewPlan?) {
        for attempt in 0..<32 {
            // The next restart marker may be far away.
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt),
                cursor.bitPosition < end
            else { return }
            if read(cursor, plan) { return }
        }
    }

    /// Returns false where the data breaks so early that the reader was most likely not synchronized.
    private func read(_ first: MCUCursor, _ plan: OverviewPlan?) -> Bool {
        var cursor = first
        firstMCU = first.mcu
        positions.removeAll(keepingCapacity: true)
        samples.removeAll()
        do throws(JPEGIndexError) {
            while true {
                positions.append(
                    Position(bitPosition: cursor.bitPosition, predictors: cursor.state.predictors))
                guard cursor.bitPosition < end else { return true }
                let count = positions.count <= Self.denseCount ? 1 : Self.step
                if let plan {
                    for _ in 0..<count { try cursor.decode(plan, to: &samples) }
                } else {
                    try cursor.advance(by: count)
                }
            }
        } catch {
            return positions.count > 64
        }
    }

    /// The number of the last MCU whose position is known.
    var lastMCU: Int { mcu(at: positions.count - 1) }

    /// The number of the MCU behind a position.
    func mcu(at index: Int) -> Int {
        firstMCU + min(index, Self.denseCount) + max(0, index - Self.denseCount) * Self.step
    }

    /// The last position at an MCU or before it.
    func position(before mcu: Int) -> Int {
        let count = max(0, mcu - firstMCU)
        let index = min(count, Self.denseCount) + max(0, count - Self.denseCount) / Self.step
        return min(index, positions.count - 1)
    }

    /// The positions at which a reader from the beginning may meet this one.
    var candidates: ArraySlice<Position> { positions.prefix(Self.denseCount + 1) }

    /// The number of an MCU among the samples.
    func sampleNumber(of mcu: Int) -> Int { mcu - firstMCU }
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
    private let plan: OverviewPlan?
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
        _ window: ByteWindow, _ scanner: EntropyScanner, _ plan: OverviewPlan?, from start: Int, threads: Int,
        chunkSize: Int?
    ) {
        self.scanner = scanner
        self.plan = plan
        fileEnd = window.count
        let size = chunkSize ?? max(1 << 16, min(window.count / 32, ByteWindow.sequentialReadAhead))
        self.chunkSize = size
        self.threads = max(0, min(threads - 1, (window.count - start) / size))
        state = Mutex(State(end: start))
        // A thread reads past the end of its chunk by an MCU or so, and windows load more before they are empty.
        let readAhead = size + 32 * scanner.maximumMCUSize
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
