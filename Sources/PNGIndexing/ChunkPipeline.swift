internal import Dispatch
internal import Files
internal import Synchronization

/// The inflated stream, chunk by chunk, which another thread can inflate ahead.
// One thread uses what is not in a mutex: the caller's, or the one that inflates ahead.
final class ChunkPipeline: @unchecked Sendable {
    /// A chunk of the stream, and the position that it begins at.
    struct Piece: Sendable {
        let chunk: InflatedChunk
        let position: Inflater.Position
        /// The IDAT chunk with the next symbol.
        let dataChunk: ImageDataInput.Chunk
        let isLast: Bool
    }

    /// The size of a chunk: fits into the processor's cache together with the input.
    static let chunkSize = 1 << 18

    private let inflater: Inflater
    private var previous: InflatedChunk?
    private let size: Int
    /// The position in the inflated stream that nothing is needed behind.
    private let needed: Int
    private let firstStart: (position: Int, window: [UInt8])

    private let pieces = Mutex<[Result<Piece, PNGIndexError>]>([])
    private let free = Mutex<[InflatedChunk]>([])
    private let filled = DispatchSemaphore(value: 0)
    private let emptied: DispatchSemaphore
    private let ended = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    private init(_ inflater: Inflater, from start: Int, to needed: Int, window: [UInt8], chunkSize size: Int)
    {
        self.size = size
        self.needed = needed
        self.inflater = inflater
        firstStart = (start, window)
        emptied = DispatchSemaphore(value: 0)
    }

    /// Inflates the stream and lends its pieces until `body` returns false or the stream ends.
    ///
    /// - Parameters:
    ///   - checkpoint: Where to begin; nil for the beginning.
    ///   - needed: The position in the inflated stream that nothing is needed behind.
    ///   - threads: With 2 or more, another thread inflates ahead.
    /// - Throws: `PNGIndexError`, or what `body` throws.
    static func read(
        _ input: ImageDataInput, from checkpoint: PNGIndex.Checkpoint?, to needed: Int, threads: Int,
        chunkSize: Int = ChunkPipeline.chunkSize, _ body: (Piece) throws -> Bool
    ) throws {
        let inflater: Inflater
        var window: [UInt8] = []
        if let checkpoint {
            inflater = try Inflater(input, at: checkpoint.position, in: checkpoint.chunk)
            window = try checkpoint.inflatedWindow()
        } else {
            inflater = try Inflater(input)
        }
        let pipeline = ChunkPipeline(
            inflater, from: checkpoint?.output ?? 0, to: needed, window: window, chunkSize: chunkSize)
        try threads > 1 ? pipeline.readAhead(body) : pipeline.readDirectly(body)
    }

    /// Inflates a chunk behind the previous one.
    private func next(_ chunk: InflatedChunk) throws(PNGIndexError) -> Piece {
        if let previous {
            chunk.follow(previous)
        } else {
            chunk.begin(at: firstStart.position, window: firstStart.window)
        }
        previous = chunk
        chunk.limit(to: needed)
        let (position, dataChunk) = (inflater.position, inflater.chunk)
        let isLast = try !inflater.fill(chunk) || chunk.nextStart >= needed
        return Piece(chunk: chunk, position: position, dataChunk: dataChunk, isLast: isLast)
    }

    private func readDirectly(_ body: (Piece) throws -> Bool) throws {
        let chunk = InflatedChunk(size: size)
        while true {
            let piece = try next(chunk)
            guard try body(piece), !piece.isLast else { return }
        }
    }

    private func readAhead(_ body: (Piece) throws -> Bool) throws {
        for _ in 0..<4 { recycle(InflatedChunk(size: size)) }
        DispatchQueue.global(qos: .userInitiated).async { self.fillPieces() }
        // The other thread must not read the file after this returns.
        defer {
            isStopped.store(true, ordering: .relaxed)
            emptied.signal()
            ended.wait()
        }
        while true {
            filled.wait()
            let piece = try pieces.withLock { $0.removeFirst() }.get()
            guard try body(piece), !piece.isLast else { return }
            recycle(piece.chunk)
        }
    }

    private func recycle(_ chunk: InflatedChunk) {
        free.withLock { $0.append(chunk) }
        emptied.signal()
    }

    private func fillPieces() {
        var isLast = false
        while !isLast {
            emptied.wait()
            guard !isStopped.load(ordering: .relaxed) else { break }
            let chunk = free.withLock { $0.removeFirst() }
            let result = Result { () throws(PNGIndexError) in try next(chunk) }
            isLast = (try? result.get().isLast) ?? true
            pieces.withLock { $0.append(result) }
            filled.signal()
        }
        ended.signal()
    }
}
