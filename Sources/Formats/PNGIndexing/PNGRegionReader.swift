internal import Basics
internal import Dispatch
package import Files
internal import Synchronization
package import ViewportGeometry

/// Decodes rectangles of a PNG, from the nearest checkpoint of an index or from the beginning.
package struct PNGRegionReader: Sendable {
    package let header: PNGHeader
    /// nil where rows are decoded from the first on.
    package let index: PNGIndex?
    package var sizes = InflationSizes()

    package init(_ header: PNGHeader, index: PNGIndex? = nil) {
        self.header = header
        self.index = index
    }

    /// Decodes a rectangle and lends its rows from the top, without gaps.
    ///
    /// - Parameters:
    ///   - threads: With 2 or more, two other threads inflate, or as many threads decode parts between checkpoints.
    ///   - isCancelled: Called on all threads; once it returns true, this throws `PNGIndexError.cancelled`.
    ///   - row: Called on the calling thread.
    /// - Throws: `PNGIndexError`, or what `row` throws.
    package func read(
        _ rect: PixelRect<StoredGrid>, of file: any RandomAccessBytes, threads: Int = 1,
        isCancelled: @escaping @Sendable () -> Bool = { false }, row: (RawSpan) throws -> Void
    ) throws {
        guard !rect.isEmpty else { return }
        precondition(
            rect.x >= 0 && rect.y >= 0 && rect.maxX <= header.size.width && rect.maxY <= header.size.height,
            "a rectangle outside of the image")
        if file.isRemote { announce(rect, of: file) }
        // Other threads would read far ahead.
        let threads = file.isRemote && rect.maxY < header.size.height ? 1 : threads
        let work = RegionWork(
            header: header, file: file, columns: rect.x..<rect.maxX, sizes: sizes, isCancelled: isCancelled)
        // The first part streams; every other thread keeps up to two parts.
        let parts = threads > 1 ? self.parts(rect.y..<rect.maxY, count: 4 * threads) : []
        guard parts.count > 1, work.byteCount(2 * (parts.map(\.rows.count).max() ?? 0)) <= 64 << 20
        else {
            return try work.read(part(rect.y..<rect.maxY), threads: threads, row)
        }
        try SharedRegion(work, parts, threads: threads).read(row)
    }

    /// Announces what rows need of a remote file: the bytes between two checkpoints, or most of those from the start.
    private func announce(_ rect: PixelRect<StoredGrid>, of file: any RandomAccessBytes) {
        let needed = header.position(ofRow: rect.maxY)
        guard let index else {
            let rest = Double(file.count - header.dataStart) * Double(rect.maxY) / Double(header.size.height)
            let share = rect.maxY == header.size.height ? 1 : 0.75
            return file.willRead([header.dataStart..<(header.dataStart + Int(rest * share))])
        }
        let end = position(of: needed, in: file, index)
        let first = part(rect.y..<rect.maxY).checkpoint
        let start = first?.filePosition ?? header.dataStart
        let headers = first?.headers ?? []
        // What lies between the head of a chunk and a checkpoint near it is read, too.
        let near = headers.map(\.lowerBound).filter { $0 < start && start - $0 < 1 << 14 }.min() ?? start
        file.willRead(headers + [near..<min(file.count, max(start, end) + 1 << 15)])
    }

    /// Returns where a byte of the inflated rows is likely to be in the file, and hardly before it: between two checkpoints,
    /// rows of pictures take similar numbers of bytes.
    private func position(of output: Int, in file: any RandomAccessBytes, _ index: PNGIndex) -> Int {
        let before = index.checkpoints.last { $0.output < output }
        let after = index.checkpoints.first { $0.output >= output }
        let (start, first) = (before?.filePosition ?? header.dataStart, before?.output ?? 0)
        let (end, last) = (
            after?.filePosition ?? file.count, after?.output ?? header.position(ofRow: header.size.height)
        )
        guard last > first, end > start else { return end }
        let share = 1.1 * Double(output - first) / Double(last - first)
        return start + Int(Double(end - start) * min(1, share))
    }

    /// Some rows, and the checkpoint that their decoding begins at.
    struct Part: Sendable {
        var rows: Range<Int>
        var checkpoint: PNGIndex.Checkpoint?
    }

    /// Returns rows as one part.
    private func part(_ rows: Range<Int>) -> Part {
        Part(rows: rows, checkpoint: index?.checkpoints.last { $0.row(header) <= rows.lowerBound })
    }

    /// Returns rows in about `count` parts that begin at checkpoints, except for the first.
    private func parts(_ rows: Range<Int>, count: Int) -> [Part] {
        var parts = [part(rows)]
        for checkpoint in index?.checkpoints ?? [] {
            let row = checkpoint.row(header)
            guard row < rows.upperBound else { break }
            let last = parts.count - 1
            guard row > rows.lowerBound, row - parts[last].rows.lowerBound >= rows.count / count else {
                continue
            }
            parts[last].rows = parts[last].rows.lowerBound..<row
            parts.append(Part(rows: row..<rows.upperBound, checkpoint: checkpoint))
        }
        return parts
    }
}

/// What all threads of a read share.
private struct RegionWork: Sendable {
    let header: PNGHeader
    let file: any RandomAccessBytes
    let columns: Range<Int>
    let sizes: InflationSizes
    let isCancelled: @Sendable () -> Bool

    /// The size of the pixels of some rows.
    func byteCount(_ rows: Int) -> Int { rows * columns.count * header.pixelBytes }

    func read(
        _ part: PNGRegionReader.Part, threads: Int, _ row: (RawSpan) throws -> Void
    ) throws {
        let checkpoint = part.checkpoint
        let decoder = RowDecoder(
            header, rows: part.rows, columns: columns, from: checkpoint?.output ?? 0,
            above: try checkpoint?.inflatedAbove(header) ?? [])
        let needed = header.position(ofRow: part.rows.upperBound)
        try ChunkPipeline.read(
            makeInput(from: checkpoint), from: checkpoint, to: needed, threads: threads, sizes: sizes
        ) { piece in
            // Valid until the chunk is filled again.
            try unsafe decoder.read(piece.chunk.contents, row)
            return !decoder.isDone
        }
        guard decoder.isDone else { throw PNGIndexError.truncated }
    }

    private func makeInput(
        from checkpoint: PNGIndex.Checkpoint?
    ) -> @Sendable () -> ImageDataInput {
        { [file, header, isCancelled] in
            ImageDataInput(
                file, header.firstChunk, checksPassed: checkpoint == nil, isCancelled: isCancelled)
        }
    }
}

/// A rectangle whose parts are decoded by several threads in turn: the caller's lends the rows of all.
private final class SharedRegion: Sendable {
    private let work: RegionWork
    private let parts: [PNGRegionReader.Part]
    private let helpers: [Helper]
    private let isStopped = CancellationFlag()

    /// What a thread besides the caller's has decoded.
    private final class Helper: Sendable {
        let decoded = Mutex<[Result<[UInt8], PNGIndexError>]>([])
        let filled = DispatchSemaphore(value: 0)
        /// The parts that it may be ahead.
        let room = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
    }

    init(_ work: RegionWork, _ parts: [PNGRegionReader.Part], threads: Int) {
        self.work = work
        self.parts = parts
        helpers = (1..<min(threads, parts.count)).map { _ in Helper() }
    }

    func read(_ row: (RawSpan) throws -> Void) throws {
        // Two parts ahead each, as the limit of memory assumes.
        for (number, helper) in helpers.enumerated() {
            helper.room.signal()
            helper.room.signal()
            WorkerThread.start("viewport.inflation") { self.readParts(helper, number + 1) }
        }
        // The other threads must not read the file after this returns.
        defer {
            isStopped.raise()
            for helper in helpers { helper.room.signal() }
            for helper in helpers { helper.ended.wait() }
        }
        for (number, part) in parts.enumerated() {
            let turn = number % (helpers.count + 1)
            guard turn > 0 else {
                try work.read(part, threads: 1, row)
                continue
            }
            let helper = helpers[turn - 1]
            helper.filled.wait()
            let pixels = try helper.decoded.withLock { $0.removeFirst() }.get()
            let rowBytes = work.byteCount(1)
            for start in stride(from: 0, to: pixels.count, by: rowBytes) {
                // Bytes have no padding.
                try unsafe row(pixels.span.bytes.extracting(start..<(start + rowBytes)))
            }
            helper.room.signal()
        }
    }

    /// Decodes the parts of a helper.
    private func readParts(_ helper: Helper, _ turn: Int) {
        for number in stride(from: turn, to: parts.count, by: helpers.count + 1) {
            helper.room.wait()
            guard !isStopped.isRaised else { break }
            let result = Result { () throws(PNGIndexError) in try pixels(parts[number]) }
            helper.decoded.withLock { $0.append(result) }
            helper.filled.signal()
            guard (try? result.get()) != nil else { break }
        }
        helper.ended.signal()
    }

    private func pixels(_ part: PNGRegionReader.Part) throws(PNGIndexError) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(work.byteCount(part.rows.count))
        do {
            try work.read(part, threads: 1) { row in
                // Lent during the call.
                unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
            }
        } catch let error as PNGIndexError {
            throw error
        } catch {
            // Only `row` could throw others.
            throw .brokenData
        }
        return pixels
    }
}
