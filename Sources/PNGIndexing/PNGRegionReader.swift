internal import Dispatch
package import Files
internal import Synchronization
package import ViewportGeometry

/// Decodes rectangles of a PNG, from the nearest checkpoint of an index or from the beginning.
package struct PNGRegionReader: Sendable {
    package let header: PNGHeader
    /// nil where rows are decoded from the first on.
    package let index: PNGIndex?

    package init(_ header: PNGHeader, index: PNGIndex? = nil) {
        self.header = header
        self.index = index
    }

    /// Decodes a rectangle and lends its rows from the top, without gaps.
    ///
    /// - Parameters:
    ///   - threads: With 2 or more, another thread inflates ahead, or decodes every second part between checkpoints.
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
        let work = RegionWork(
            header: header, file: file, columns: rect.x..<rect.maxX, isCancelled: isCancelled)
        let parts = self.parts(rect.y..<rect.maxY)
        guard threads > 1, parts.count > 1, work.byteCount(parts.map(\.rows.count).max() ?? 0) <= 64 << 20
        else {
            for part in parts { try work.read(part, threads: threads, row) }
            return
        }
        try SharedRegion(work, parts).read(row)
    }

    /// Some rows, and the checkpoint that their decoding begins at.
    struct Part: Sendable {
        var rows: Range<Int>
        var checkpoint: PNGIndex.Checkpoint?
    }

    /// Returns rows in parts that begin at checkpoints, except for the first.
    private func parts(_ rows: Range<Int>) -> [Part] {
        var parts = [Part(rows: rows)]
        for checkpoint in index?.checkpoints ?? [] {
            let row = checkpoint.row(header)
            guard row < rows.upperBound else { break }
            if row <= rows.lowerBound {
                parts = [Part(rows: rows, checkpoint: checkpoint)]
            } else if row > parts[parts.count - 1].rows.lowerBound {
                parts[parts.count - 1].rows = parts[parts.count - 1].rows.lowerBound..<row
                parts.append(Part(rows: row..<rows.upperBound, checkpoint: checkpoint))
            }
        }
        return parts
    }
}

/// What all threads of a read share.
private struct RegionWork: Sendable {
    let header: PNGHeader
    let file: any RandomAccessBytes
    let columns: Range<Int>
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
        let input = ImageDataInput(file, header.firstChunk, isCancelled: isCancelled)
        try ChunkPipeline.read(input, from: checkpoint, threads: threads) { piece in
            // Valid until the chunk is filled again.
            try unsafe decoder.read(piece.chunk.contents, row)
            return !decoder.isDone
        }
        guard decoder.isDone else { throw PNGIndexError.truncated }
    }
}

/// A rectangle whose parts are decoded by two threads: the caller's decodes every second one and lends all rows.
private final class SharedRegion: Sendable {
    private let work: RegionWork
    private let parts: [PNGRegionReader.Part]
    private let decoded = Mutex<[Result<[UInt8], PNGIndexError>]>([])
    private let filled = DispatchSemaphore(value: 0)
    /// The parts that the other thread may be ahead.
    private let room = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    init(_ work: RegionWork, _ parts: [PNGRegionReader.Part]) {
        self.work = work
        self.parts = parts
    }

    func read(_ row: (RawSpan) throws -> Void) throws {
        room.signal()
        room.signal()
        DispatchQueue.global(qos: .userInitiated).async { self.readOddParts() }
        // The other thread must not read the file after this returns.
        defer {
            isStopped.store(true, ordering: .relaxed)
            room.signal()
            ended.wait()
        }
        for (number, part) in parts.enumerated() {
            if number % 2 == 0 {
                try work.read(part, threads: 1, row)
                continue
            }
            filled.wait()
            let pixels = try decoded.withLock { $0.removeFirst() }.get()
            let rowBytes = work.byteCount(1)
            for start in stride(from: 0, to: pixels.count, by: rowBytes) {
                // Bytes have no padding.
                try unsafe row(pixels.span.bytes.extracting(start..<(start + rowBytes)))
            }
            room.signal()
        }
    }

    private func readOddParts() {
        for part in parts.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
            room.wait()
            guard !isStopped.load(ordering: .relaxed) else { break }
            let result = Result { () throws(PNGIndexError) in try pixels(part) }
            decoded.withLock { $0.append(result) }
            filled.signal()
            guard (try? result.get()) != nil else { break }
        }
        ended.signal()
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
