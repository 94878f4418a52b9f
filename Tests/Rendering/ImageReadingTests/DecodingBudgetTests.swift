import MemoryWatching
import Testing

@testable import ImageReading

@Suite("The memory of decoders of whole images")
struct DecodingBudgetTests {
    /// Limits of memory in MB, and what decoders get of them.
    private static let limits: [(Int, Int)] = [(16384, 4096), (2048, 512), (1024, 256), (100, 256)]

    @Test("is a quarter of what there is, and at least 256 MB", arguments: limits)
    func quarter(_ limit: Int, _ expected: Int) {
        for origin in [MemoryLimit.Origin.machine, .controlGroup] {
            let bytes = DecodingBudget.wholeBytes(MemoryLimit(byteCount: limit << 20, origin: origin))
            #expect(bytes == expected << 20)
        }
        #expect(DecodingBudget.wholeBytes(nil) == 12 << 27)
    }

    @Test("has room for fewer pixels of more samples, and of decoders that copy them")
    func pixels() {
        func pixels(_ format: ImageFormat, _ bands: Int, _ sampleBytes: Int) -> Int {
            DecodingBudget.pixels(format, bands: bands, sampleBytes: sampleBytes, memory: 12 << 30)
        }
        #expect(pixels(.heif, 3, 1) == 1 << 30)
        #expect(pixels(.heif, 3, 2) == 1 << 29)
        #expect(pixels(.webp, 3, 1) == 2 << 30)
        #expect(pixels(.jpegXL, 4, 1) == 3 << 28)
    }
}
