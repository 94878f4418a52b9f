import JPEGTestSupport
import TestTurns
import Testing

@Suite("Broken JPEGs", .ownThread)
struct FuzzTests {
    @Test("are refused or read, and nothing is read out of bounds: 20,000 of them", arguments: [1, 2, 3, 4])
    func mutations(_ seed: UInt64) throws {
        var fuzzer = try JPEGFuzzer(seed: seed)
        fuzzer.run(5000)
        // Both ways are taken often enough to say something.
        #expect(fuzzer.counts.regions > 500 && fuzzer.counts.regions < 4500)
        #expect(fuzzer.counts.loaded > 10 && fuzzer.counts.headers > 50)
    }
}
