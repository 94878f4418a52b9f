internal import Basics
internal import Dispatch
internal import Synchronization

/// A run of bytes of the entropy-coded data, read without knowing what is before it.
///
/// JPEG's codes are self-synchronizing: a reader that starts anywhere soon reads the same MCUs as one from the
/// beginning, without knowing their numbers and DC values. The reader from the beginning proves it by reaching a
/// position where this one was between two MCUs: from there, both read the same.
///
/// MCUs and DC values are counted from the reader's start: DC values are coded as differences (T.81, F.1.1.5.1), so
/// that `IndexScan` adds one constant for each component when it knows it. A chunk is a hint that may be useless:
/// nothing is taken from one whose reader did not get in step, and damage is reported by the reader from the
/// beginning. Where the file has restart markers (E.2.4), reading begins behind the first one, whose number the count
/// of MCUs begins with.
///
/// Before, one thread read from the beginning of the file and another from its middle. Chunks serve any number of
/// threads, and reading stops soon behind the last row that is needed.
// The thread that claimed a chunk uses it, then the reader that waits for that thread.
final class Chunk: @unchecked Sendable {
    let window: ByteWindow
    /// Its bytes.
    private(set) var bytes = 0..<0
    /// The position in bits where the next chunk begins.
    private(set) var end: UInt64 = 0
    /// What was read.
    private(set) var content = Content()
    fileprivate let isRead = DispatchSemaphore(value: 0)

    init(_ window: ByteWindow) {
        self.window = window
    }

    /// Makes it a chunk of other bytes.
    fileprivate func move(to bytes: Range<Int>, isLast: Bool) {
        self.bytes = bytes
        end = isLast ? .max : UInt64(bytes.upperBound) << 3
        content.removeAll()
    }

    /// Lets a reader change the content, which is with it alone meanwhile.
    @inline(__always)
    func read(_ body: (inout Content) -> Void) {
        var own = Content()
        swap(&own, &content)
        body(&own)
        swap(&own, &content)
    }

    /// What was read of a chunk.
    struct Content {
        /// The states before each of the first MCUs, before some of the others, and behind the last that was read, with
        /// DC values counted from the reader's start.
        private(set) var states: [MCUStart] = []
        /// The MCUs that were read.
        private var count = 0
        /// The samples of all MCUs, where an overview is made.
        var samples = DCRelativeSamples()
        /// The lowest coefficients of all blocks, where the image at one quarter is made, and room for more.
        private(set) var quarters: [SIMD4<Int16>] = []
        /// The blocks of `quarters`.
        var quarterCount = 0
        /// The number of the first MCU: not 0 where restart markers count MCUs.
        private var firstMCU = 0

        /// The first MCUs, whose states are all kept: readers synchronize within 55 MCUs or so.
        private static let denseCount = 512
        /// The MCUs between two states behind those.
        private static let step = 4

        fileprivate mutating func removeAll() {
            (firstMCU, count) = (0, 0)
            states.removeAll(keepingCapacity: true)
            samples.removeAll()
            quarterCount = 0
        }

        /// Begins with the MCU at a position.
        mutating func begin(at bitPosition: UInt64, mcu: Int) {
            removeAll()
            firstMCU = mcu
            states.append(MCUStart(bitPosition: bitPosition, predictors: .zero))
        }

        /// Counts an MCU; returns whether the state behind it is kept.
        @inline(__always)
        mutating func countMCU() -> Bool {
            count &+= 1
            return count <= Self.denseCount || (count - Self.denseCount) % Self.step == 0
        }

        /// Adds the state behind the MCUs that were counted.
        @inline(__always)
        mutating func append(_ state: MCUStart) { states.append(state) }

        /// Calls `body` with room in `quarters` for more blocks.
        @inline(__always)
        mutating func addQuarters(
            upTo count: Int, _ body: (inout Self, UnsafeMutableBufferPointer<SIMD4<Int16>>) -> Void
        ) {
            var blocks: [SIMD4<Int16>] = []
            swap(&blocks, &quarters)
            let missing = quarterCount + count - blocks.count
            if missing > 0 { blocks += [SIMD4<Int16>](repeating: .zero, count: missing + blocks.count) }
            // The array lends its memory for this call.
            unsafe blocks.withUnsafeMutableBufferPointer { unsafe body(&self, $0) }
            swap(&blocks, &quarters)
        }

        /// The number of the MCU behind those that were read.
        var nextMCU: Int { firstMCU + count }

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
        var candidates: ArraySlice<MCUStart> { states.prefix(Self.denseCount + 1) }

        /// The number of an MCU among the samples.
        func sampleNumber(of mcu: Int) -> Int { mcu - firstMCU }
    }
}

/// A position before an MCU.
struct MCUStart {
    var bitPosition: UInt64
    /// The DC values before it.
    var predictors: SIMD4<Int32>
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

        /// The chunks that a thread may claim at once.
        func claimable(end fileEnd: Int) -> Int {
            let free = chunks.count - claimed
            return free >= BlockWalk.width ? BlockWalk.width : end >= fileEnd ? free : 0
        }
    }

    /// Nil where chunks are only read by the reader of the file.
    private let tables: StepTables?
    private let plan: ReductionPlan?
    private let fileEnd: Int
    private let chunkSize: Int
    /// The bytes that are loaded for a chunk: its last MCUs end behind it, and one more must be there as a whole.
    private let capacity: Int
    /// The most other threads.
    private let threads: Int
    private let state: Mutex<State>

    /// Files with less data are not divided: to synchronize takes a part of each chunk.
    private static let smallestDivided = 1 << 16
    // Those that are read at once have at most as many bytes as a window reads ahead.
    private static let chunkSizes = 1 << 15...ByteWindow.sequentialReadAhead / BlockWalk.width

    /// - Parameters:
    ///   - start: the first byte of the first chunk.
    ///   - threads: the threads, with that of the reader.
    ///   - chunkSize: the bytes of a chunk; nil for what suits the file.
    init(
        _ window: ByteWindow, _ scanner: EntropyScanner, _ plan: ReductionPlan?, from start: Int,
        threads: Int, chunkSize: Int?
    ) {
        self.plan = plan
        fileEnd = window.count
        let data = fileEnd - start
        let isDivided = chunkSize != nil || data >= Self.smallestDivided
        tables = isDivided ? StepTables(scanner) : nil
        let size = chunkSize ?? min(max(data / 64, Self.chunkSizes.lowerBound), Self.chunkSizes.upperBound)
        let capacity = size + 1024 + scanner.maximumMCUSize
        (self.chunkSize, self.capacity) = (size, capacity)
        self.threads = max(0, min(threads - 1, data / (size * BlockWalk.width)))
        state = Mutex(State(end: start))
        // Twice what each thread reads: as much waits for the reader of the file.
        let count = isDivided ? 2 * BlockWalk.width * (self.threads + 1) : 1
        state.withLock { state in
            for _ in 0..<count {
                state.append(Chunk(window.duplicate(of: capacity)), size, end: fileEnd)
            }
        }
    }

    /// Takes the next chunk of the file, with what was read of it.
    func take(_ walk: inout BlockWalk?) -> Chunk {
        let (chunk, isClaimed, isDivided) = state.withLock { state in
            state.isTaken = true
            let isClaimed = state.claimed > 0
            let isDivided = tables != nil && !state.isEnded
            // The reader of the file takes it without anything that was read of it.
            if !isClaimed, !isDivided { state.claimed = 1 }
            return (state.chunks[0], isClaimed, isDivided)
        }
        if !isClaimed {
            guard isDivided else { return chunk }
            read(claim(atLeast: 1), &walk)
        }
        startThreads()
        while chunk.isRead.wait(timeout: .now()) == .timedOut {
            let next = claim()
            if next.isEmpty {
                chunk.isRead.wait()
                break
            }
            read(next, &walk)
        }
        return chunk
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
            // The reader of the file has waited for the first already.
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
            let count = max(0, min(threads - state.threads, state.claimable(end: fileEnd)))
            state.threads += count
            return count
        }
        for _ in 0..<count {
            WorkerThread.start("viewport.scan") {
                var walk: BlockWalk?
                while true {
                    let chunks = self.claim(onThread: true)
                    if chunks.isEmpty { return }
                    self.read(chunks, &walk)
                }
            }
        }
    }

    /// Claims the next chunks: as many as are read at once, fewer at the end of the file.
    ///
    /// - Parameter least: how many to claim, if there are so many, although more will follow.
    private func claim(atLeast least: Int = 0, onThread: Bool = false) -> [Chunk] {
        state.withLock { state in
            let wanted = max(least, state.claimable(end: fileEnd))
            let count = state.isEnded ? 0 : min(wanted, state.chunks.count - state.claimed)
            if count == 0, onThread { state.threads -= 1 }
            let first = state.claimed
            state.claimed += count
            return Array(state.chunks[first..<(first + count)])
        }
    }

    private func read(_ chunks: [Chunk], _ walk: inout BlockWalk?) {
        if let first = chunks.first, let last = chunks.last {
            let end = last.bytes.lowerBound + capacity
            first.window.willRead(first.bytes.lowerBound..<end)
        }
        if walk == nil, let tables { walk = BlockWalk(tables, plan, capacity: capacity) }
        walk?.read(chunks)
        for chunk in chunks { chunk.isRead.signal() }
    }
}
