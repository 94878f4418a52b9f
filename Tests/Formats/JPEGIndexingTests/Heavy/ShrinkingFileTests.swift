import Files
import JPEGIndexing
import Synchronization
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

/// A file that another program truncates after some reads.
private final class ShrinkingFile: RandomAccessBytes {
    private let bytes: PieceReader
    private let reads: Mutex<Int>
    let count: Int

    /// - Parameter reads: the number of reads before the file is truncated.
    init(_ bytes: [UInt8], after reads: Int) {
        self.bytes = PieceReader(bytes)
        self.reads = Mutex(reads)
        count = bytes.count
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        let isThere = reads.withLock { left in
            left -= 1
            return left >= 0 || position + buffer.count <= count / 3
        }
        guard isThere else { throw .changed }
        try unsafe bytes.read(into: buffer, at: position)
    }
}

@Suite("A JPEG that shrinks while several threads scan it", .ownThread)
struct ShrinkingFileTests {
    /// About 60 chunks of data.
    private static let file = JPEGMaker(name: "4:2:0", width: 900, height: 700, tables: .optimized).file

    @Test("is refused, whenever that happens, or was read before", arguments: [1, 2, 3])
    func shrinking(_ threads: Int) throws {
        let header = try JPEGHeader(PieceReader(Self.file))
        let whole = try JPEGIndex.scan(
            PieceReader(Self.file), header: header, threads: threads, chunkSize: 4096)
        var refusals = 0
        for reads in stride(from: 0, to: 80, by: 3) {
            do throws(JPEGIndexError) {
                let index = try JPEGIndex.scan(
                    ShrinkingFile(Self.file, after: reads), header: header, threads: threads, chunkSize: 4096)
                #expect(index == whole)
            } catch {
                refusals += 1
                #expect("\(error)".isEmpty == false)
            }
        }
        #expect(refusals > 0)
    }
}
