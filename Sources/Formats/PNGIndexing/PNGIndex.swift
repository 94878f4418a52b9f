package import Files
internal import ViewportGeometry

/// Checkpoints in a PNG's image data from which decoding can begin.
///
/// An index is a hint about the file it was made from: whatever it says, reading through it stays inside the file.
package struct PNGIndex: Hashable, Sendable {
    /// A point between two symbols of the compressed data, with what is needed to go on from there.
    struct Checkpoint: Hashable, Sendable {
        /// The position in the inflated stream.
        var output: Int
        var position: Inflater.Position
        /// The IDAT chunk with the next symbol.
        var chunk: ImageDataInput.Chunk
        /// The 32 KB of the inflated stream before, of which only bytes that matches refer to are kept; deflated.
        var window: [UInt8]
        /// The row above the first whole row behind the checkpoint; deflated, empty where that row needs none.
        var above: [UInt8]

        /// The position of the next symbol in the file.
        var filePosition: Int { Self.filePosition(of: position.bit, in: chunk) }

        /// What is read besides before the next symbol: the headers of chunks, and that of the block.
        var headers: [Range<Int>] {
            let block = Self.filePosition(of: position.block, in: position.blockChunk)
            return [
                position.blockChunk.file..<(position.blockChunk.file + 8), block..<(block + 512),
                chunk.file..<(chunk.file + 8),
            ]
        }

        private static func filePosition(of bit: Int, in chunk: ImageDataInput.Chunk) -> Int {
            chunk.file + 8 + max(0, bit >> 3 - chunk.stream)
        }

        /// The size of the saved form in bytes.
        var byteCount: Int { Self.numbers * 8 + window.count + above.count }

        /// The numbers of the saved form.
        static let numbers = 9
    }

    /// In the order of the file.
    private(set) var checkpoints: [Checkpoint] = []
    /// The most bytes of all checkpoints.
    private let budget: Int
    /// The bytes of the inflated stream between two checkpoints, at least.
    private var interval = defaultInterval
    private var byteCount = 0

    /// Less saves no measurable time.
    package static let defaultInterval = 1 << 20

    /// The largest size of a saved index, as a share of its file: 2 %.
    package static var maximumSavedShare: Double { 0.02 }

    private init(fileSize: Int, share: Double) {
        budget = max(0, Int(share * Double(fileSize)) - Self.savedHeaderSize)
    }

    init(fileSize: Int, checkpoints: [Checkpoint]) {
        self.init(fileSize: fileSize, share: Self.maximumSavedShare)
        self.checkpoints = checkpoints
    }

    /// The number of points at which decoding can begin, without the start of the file.
    package var count: Int { checkpoints.count }

    /// Makes an index by decoding the whole file once.
    ///
    /// - Parameters:
    ///   - interval: The bytes of the inflated stream between two checkpoints; more where the budget demands it.
    ///   - share: The largest size of the saved index, as a share of the file.
    ///   - threads: With 2 or more, two other threads inflate.
    ///   - isCancelled: Called on all threads; once it returns true, this throws `PNGIndexError.cancelled`.
    /// - Throws: `PNGIndexError`.
    package init(
        _ file: any RandomAccessBytes, header: PNGHeader, interval: Int = defaultInterval,
        share: Double = maximumSavedShare, threads: Int = 1,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(PNGIndexError) {
        self.init(fileSize: file.count, share: share)
        self.interval = interval
        do {
            try scan(file, header, threads, isCancelled)
        } catch let error as PNGIndexError {
            throw error
        } catch {
            // Only the closures of `scan` could throw others.
            throw .brokenData
        }
    }

    private mutating func scan(
        _ file: any RandomAccessBytes, _ header: PNGHeader, _ threads: Int,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws {
        let height = header.size.height
        let decoder = RowDecoder(header, rows: height..<height, columns: 0..<header.size.width)
        let windows = WindowReader(file, header.firstChunk, isCancelled)
        var sizes = InflationSizes()
        sizes.chunk = min(interval, sizes.chunk)
        var pending: Checkpoint?
        var last = 0
        try ChunkPipeline.read(
            { ImageDataInput(file, header.firstChunk, checksPassed: true, isCancelled: isCancelled) },
            from: nil, to: header.position(ofRow: height), threads: threads,
            sizes: sizes
        ) { piece in
            if pending == nil, piece.chunk.start - last >= interval, budget > 0 {
                pending = Checkpoint(
                    output: piece.chunk.start, position: piece.position, chunk: piece.dataChunk,
                    window: piece.chunk.windowBefore, above: [])
                decoder.mark(position: piece.chunk.start)
            }
            // Valid until the chunk is filled again.
            try unsafe decoder.read(piece.chunk.contents) { _ in }
            if var found = pending, let marked = decoder.takeMarked() {
                last = found.output
                // Sub and None predict nothing from above.
                if let filter = marked.filter, filter >= 2 { found.above = Deflated.deflate(marked.above) }
                found.window = Deflated.deflate(try windows.references(of: found))
                append(found)
                pending = nil
            }
            return !decoder.isDone
        }
        guard decoder.isDone else { throw PNGIndexError.truncated }
    }

    /// Appends a checkpoint; where the budget is used up, drops every second one and doubles the interval.
    private mutating func append(_ checkpoint: Checkpoint) {
        checkpoints.append(checkpoint)
        byteCount += checkpoint.byteCount
        while byteCount > budget, !checkpoints.isEmpty {
            // The last one is kept: distances stay at least the interval.
            let last = checkpoints.count - 1
            checkpoints = checkpoints.enumerated().filter { (last - $0.offset) % 2 == 0 }.map(\.element)
            if checkpoints.count == 1, checkpoints[0].byteCount > budget { checkpoints = [] }
            byteCount = checkpoints.reduce(0) { $0 + $1.byteCount }
            interval *= 2
        }
    }
}

extension PNGIndex.Checkpoint {
    /// The first whole row behind the checkpoint.
    func row(_ header: PNGHeader) -> Int { (output + header.rowBytes) / (header.rowBytes + 1) }

    /// The bytes before the checkpoint.
    func inflatedWindow() throws(PNGIndexError) -> [UInt8] {
        guard let bytes = Deflated.inflate(raw: window, size: min(output, InflatedChunk.window)) else {
            throw .staleIndex
        }
        return bytes
    }

    /// The row above the first whole row; empty where that row needs none.
    func inflatedAbove(_ header: PNGHeader) throws(PNGIndexError) -> [UInt8] {
        guard !above.isEmpty else { return [] }
        guard let bytes = Deflated.inflate(raw: above, size: header.rowBytes) else { throw .staleIndex }
        return bytes
    }
}

extension PNGHeader {
    /// The first IDAT chunk.
    var firstChunk: ImageDataInput.Chunk { .init(file: dataStart, stream: 0) }
}

/// Finds the bytes of windows that matches refer to, by inflating what follows them again.
///
/// Photographs refer to few, and zeros in their places compress to nothing.
private struct WindowReader {
    private let file: any RandomAccessBytes
    private let first: ImageDataInput.Chunk
    private let isCancelled: @Sendable () -> Bool
    private let chunk = InflatedChunk(size: InflatedChunk.window)

    init(
        _ file: any RandomAccessBytes, _ first: ImageDataInput.Chunk,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.file = file
        self.first = first
        self.isCancelled = isCancelled
    }

    /// Returns the window of a checkpoint, which is not deflated yet, with zeros where no match refers to it.
    func references(of checkpoint: PNGIndex.Checkpoint) throws(PNGIndexError) -> [UInt8] {
        let input = ImageDataInput(file, first, isCancelled: isCancelled)
        let inflater = try Inflater(input, at: checkpoint.position, in: checkpoint.chunk)
        chunk.begin(at: checkpoint.output, window: checkpoint.window)
        chunk.trackReferences()
        _ = try inflater.fill(chunk)
        let start = InflatedChunk.window - checkpoint.window.count
        return checkpoint.window.enumerated().map { chunk.references[start + $0.offset] ? $0.element : 0 }
    }
}
