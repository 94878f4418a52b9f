private import Platform

/// An unnamed temporary file, which the system frees when the process ends for any reason.
package final class ScratchFile: Sendable {
    private let descriptor: Int32

    /// Creates an empty file below TMPDIR (default /tmp).
    package init() throws(FileError) {
        guard let file = makeTemporaryFile(".viewport-scratch-") else {
            throw .unwritable("\(systemReason()) in \(ProcessEnvironment.temporaryFolder)")
        }
        Folder.remove(file.path)
        descriptor = file.descriptor
    }

    deinit { close(descriptor) }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(FileError) { try OutputFile.write(bytes, to: descriptor) }

    /// Returns a copy of the bytes of a range.
    package func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                // Inside of the buffer, by the condition of the loop.
                let got = unsafe pread(
                    descriptor, buffer.baseAddress! + count, range.count - count, range.lowerBound + count)
                if got > 0 { count += got }
                if got > 0 || got < 0 && errno == EINTR { continue }
                failure = got == 0 ? .changed : .unreadable(systemReason())
                return
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// Sorts any number of records in bounded memory.
///
/// A full buffer is sorted and appended to a temporary file; at the end the sorted runs are merged. Equal records keep
/// no order.
package struct ExternalSort<Record: BitwiseCopyable & Comparable & Sendable> {
    private var buffer: [Record] = []
    private let capacity: Int
    private var file: ScratchFile?
    private var runs: [Range<Int>] = []
    /// The number of records.
    package private(set) var count = 0

    /// - Parameter memory: the most bytes that the buffer takes.
    package init(memory: Int = 32 << 20) {
        capacity = max(64, memory / MemoryLayout<Record>.stride)
    }

    package mutating func append(_ record: Record) throws(FileError) {
        if buffer.count == capacity { try spill() }
        buffer.append(record)
        count += 1
    }

    private mutating func spill() throws(FileError) {
        buffer.sort()
        let file = if let file { file } else { try ScratchFile() }
        self.file = file
        // The records are plain bytes, which the closure copies.
        let bytes = unsafe buffer.withUnsafeBytes { unsafe [UInt8]($0) }
        try file.append(bytes)
        let start = runs.last?.upperBound ?? 0
        runs.append(start..<start + bytes.count)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Returns the records in order; the sorter is empty afterwards.
    package mutating func sorted() throws(FileError) -> SortedRecords<Record> {
        buffer.sort()
        defer { (buffer, runs, file, count) = ([], [], nil, 0) }
        guard let file else { return SortedRecords(buffer) }
        if !buffer.isEmpty { try spill() }
        buffer = []
        return try SortedRecords(file, runs, pieces: max(64, capacity / runs.count))
    }
}

/// The records of an `ExternalSort`, in order.
package struct SortedRecords<Record: BitwiseCopyable & Comparable & Sendable> {
    /// A sorted run, of which a piece is in memory.
    private struct Run {
        var records: [Record] = []
        var next = 0
        /// The bytes that were not read yet.
        var rest: Range<Int>
    }

    private let file: ScratchFile?
    private let pieceCount: Int
    private var runs: [Run]
    /// The numbers of the runs, as a binary heap by their next records.
    private var heap: [Int] = []

    fileprivate init(_ records: [Record]) {
        (file, pieceCount) = (nil, 0)
        runs = [Run(records: records, rest: 0..<0)]
        heap = records.isEmpty ? [] : [0]
    }

    fileprivate init(_ file: ScratchFile, _ ranges: [Range<Int>], pieces: Int) throws(FileError) {
        (self.file, pieceCount) = (file, pieces)
        runs = ranges.map { Run(rest: $0) }
        for number in runs.indices where try fill(number) { heap.append(number) }
        for index in heap.indices.reversed() { sink(index) }
    }

    /// Reads the next piece of a run; returns false at its end.
    private mutating func fill(_ number: Int) throws(FileError) -> Bool {
        let rest = runs[number].rest
        guard let file, !rest.isEmpty else { return false }
        let stride = MemoryLayout<Record>.stride
        let piece = rest.prefix(pieceCount * stride)
        let bytes = try file.bytes(piece.startIndex..<piece.endIndex)
        // The bytes are those of whole records; they need not be aligned.
        runs[number].records = unsafe bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / stride).map {
                unsafe bytes.loadUnaligned(fromByteOffset: $0 * stride, as: Record.self)
            }
        }
        runs[number].next = 0
        runs[number].rest = piece.endIndex..<rest.upperBound
        return true
    }

    /// Returns the next record; nil at the end.
    package mutating func next() throws(FileError) -> Record? {
        guard let number = heap.first else { return nil }
        let record = runs[number].records[runs[number].next]
        runs[number].next += 1
        if runs[number].next == runs[number].records.count, try !fill(number) {
            let last = heap.removeLast()
            if heap.isEmpty { return record }
            heap[0] = last
        }
        sink(0)
        return record
    }

    private func head(_ index: Int) -> Record { runs[heap[index]].records[runs[heap[index]].next] }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in 2 * index + 1...2 * index + 2 where child < heap.count && head(child) < head(least) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
