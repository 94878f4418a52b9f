import ImageMetadata
import MetadataTestSupport
import TestTurns
import Testing
import ViewportGeometry

@Suite("Hostile metadata", .ownThread)
struct MetadataFuzzTests {
    @Test("of 20,000 broken files never stop the program", arguments: [1, 2] as [UInt64])
    func broken(_ seed: UInt64) {
        var fuzzer = MetadataFuzzer(seed: seed)
        fuzzer.run(10_000)
        // The changes are small enough for the readers to get far.
        #expect(fuzzer.counts.recognized > 5_000)
        #expect(fuzzer.counts.sized > 4_000)
        #expect(fuzzer.counts.dated > 2_000)
    }

    @Test("cut anywhere has no other size than the whole file")
    func cut() {
        // A DNG that ends before its crop has the sensor's size.
        for sample in SampleFiles.all where sample.format != .dng {
            let whole = FileMetadata(of: sample.bytes)?.storedSize
            for count in sample.bytes.indices {
                let part = FileMetadata(of: Array(sample.bytes[..<count]))
                #expect(
                    part?.storedSize == nil || part?.storedSize == whole, "\(sample.format), \(count) bytes")
            }
        }
    }
}
