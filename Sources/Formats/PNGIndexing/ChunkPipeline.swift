/// The inflated stream, chunk by chunk.
enum ChunkPipeline {
    /// A chunk of the stream, and the position that it begins at.
    struct Piece: Sendable {
        let chunk: InflatedChunk
        let position: Inflater.Position
        /// The IDAT chunk with the next symbol.
        let dataChunk: ImageDataInput.Chunk
        let isLast: Bool
    }

    /// Inflates the stream and lends its pieces until `body` returns false or the stream ends.
    ///
    /// - Parameters:
    ///   - makeInput: Returns the compressed data; called for each thread that inflates.
    ///   - checkpoint: Where to begin; nil for the beginning.
    ///   - needed: The position in the inflated stream that nothing is needed behind; the last piece may reach beyond it, by
    ///     less than a chunk.
    ///   - threads: With 2 or more, others than the calling thread inflate.
    /// - Throws: `PNGIndexError`, or what `body` throws.
    static func read(
        _ makeInput: @escaping @Sendable () -> ImageDataInput, from checkpoint: PNGIndex.Checkpoint?,
        to needed: Int, threads: Int, sizes: InflationSizes, _ body: (Piece) throws -> Bool
    ) throws {
        let lane: Lane
        if let checkpoint {
            let inflater = try Inflater(makeInput(), at: checkpoint.position, in: checkpoint.chunk)
            lane = Lane(inflater, at: checkpoint.output, window: try checkpoint.inflatedWindow())
        } else {
            lane = Lane(try Inflater(makeInput()))
        }
        guard threads < 2 else {
            var sizes = sizes
            // Checksums of what lies between checkpoint and leader are not checked.
            if checkpoint != nil { sizes.failures = 0 }
            let team = InflationTeam(lane, to: needed, sizes: sizes) {
                Lane(Inflater(scouting: makeInput()))
            }
            return try team.read(body)
        }
        let chunk = InflatedChunk(size: sizes.chunk)
        while true {
            let piece = try lane.fill(chunk, to: needed)
            guard try body(piece), !piece.isLast else { return }
        }
    }
}

/// An inflater, and what is known where it has got to.
final class Lane {
    let inflater: Inflater
    /// The position in the inflated stream behind the previous chunk.
    private(set) var nextStart: Int
    /// The last bytes of the previous chunk.
    private(set) var window: [UInt8]

    init(_ inflater: Inflater, at position: Int = 0, window: [UInt8] = []) {
        self.inflater = inflater
        (nextStart, self.window) = (position, window)
    }

    /// Begins again at a position of the inflated stream.
    func begin(at position: Int, window: [UInt8]) { (nextStart, self.window) = (position, window) }

    /// Continues behind a chunk.
    func follow(_ chunk: InflatedChunk) { begin(at: chunk.nextStart, window: chunk.windowAfter) }

    /// Inflates a chunk that follows the previous one, which may be the same object.
    ///
    /// - Parameters:
    ///   - needed: The position in the inflated stream that nothing is needed behind.
    ///   - target: The chunk ends at the first header of a block from this bit on.
    func fill(
        _ chunk: InflatedChunk, to needed: Int, until target: Int = .max
    ) throws(PNGIndexError) -> ChunkPipeline.Piece {
        chunk.begin(at: nextStart, window: window)
        chunk.limit(to: needed)
        let (position, dataChunk) = (inflater.position, inflater.chunk)
        let continues = try inflater.fill(chunk, until: target)
        follow(chunk)
        return ChunkPipeline.Piece(
            chunk: chunk, position: position, dataChunk: dataChunk, isLast: !continues || nextStart >= needed)
    }
}
