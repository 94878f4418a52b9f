import Files
import JPEGIndexing
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("A JPEG that shrinks while several threads scan it", .ownThread)
struct ShrinkingFileTests {
    /// About 60 chunks of data.
    private static let file = JPEGMaker(name: "4:2:0", width: 900, height: 700, tables: .optimized).file

    @Test("is refused, whenever that happens, or was read before", arguments: [1, 2, 3])
    func shrinking(_ threads: Int) throws {
        let header = try JPEGHeader(MemoryFile(Self.file))
        let whole = try JPEGIndex.scan(
            MemoryFile(Self.file), header: header, threads: threads, chunkSize: 4096)
        var refusals = 0
        for reads in stride(from: 0, to: 80, by: 3) {
            do throws(JPEGIndexError) {
                let index = try JPEGIndex.scan(
                    MemoryFile(
                        Self.file, truncation: .init(after: reads, to: Self.file.count / 3)), header: header,
                    threads: threads, chunkSize: 4096)
                #expect(index == whole)
            } catch {
                refusals += 1
                #expect("\(error)".isEmpty == false)
            }
        }
        #expect(refusals > 0)
    }
}
