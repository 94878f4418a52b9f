import Synchronization
import Testing

@testable import PNGEncoding

@Suite("Strips of a large PNG")
struct StripTests {
    @Test(
        "have at most 1 MB and a part of a row, and contain all rows",
        arguments: [1, 640, 2049, 4000, 20_000], [1, 3, 8])
    func ranges(_ width: Int, _ pixelBytes: Int) {
        for height in [1, 100, 3000, 15_000] {
            let rowBytes = width * pixelBytes + 1
            let ranges = ImageData.ranges(height: height, rowBytes: rowBytes, .standard)
            #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == height)
            #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
            #expect(ranges.allSatisfy { ($0.count - 1) * rowBytes <= 1 << 20 })
        }
    }

    @Test("are read back by libpng", arguments: PNGEncoder.Level.allCases)
    func roundTrip(_ level: PNGEncoder.Level) throws {
        let format = PNGFormat(width: 2100, height: 1800, channels: .rgb)
        let pixels = (0..<(2100 * 1800 * 3)).map { UInt8(truncatingIfNeeded: $0 * $0 >> 9) }
        let file = try PNGEncoder(level: level, threads: 1).encode(pixels.span, as: format)
        let decoded = DecodedPNG(file, channels: 3)
        let isEqual = decoded.pixels == pixels
        #expect(isEqual)
        #expect(try PNGEncoder(level: level, threads: 2).encode(pixels.span, as: format) == file)
    }

    @Test("are not compressed after encoding was cancelled", arguments: [1, 2])
    func cancelled(_ threads: Int) throws {
        let pixels = [UInt8](repeating: 7, count: 2100 * 3600)
        let format = PNGFormat(width: 2100, height: 3600, channels: .gray)
        let checks = Atomic(0)
        var strips = 0
        unsafe pixels.span.bytes.withUnsafeBytes { bytes in
            let rows = format.rows(unsafe UnsafeByteView(bytes), stride: 2100)
            let data = ImageData(
                scanlines: Scanlines(pixels: rows, format: format, palette: nil), filter: .all(.up),
                level: .standard, method: .isal)
            #expect(throws: CancellationError.self) {
                // Three of eight strips are compressed.
                try data.compress(
                    threads: threads, isCancelled: { checks.wrappingAdd(1, ordering: .relaxed).newValue > 3 }
                ) { _ in strips += 1 }
            }
        }
        // Two threads have three strips in memory, so that two may follow the one that is refused.
        let most = threads == 1 ? 4 : 4 + threads
        #expect(strips <= 3 && (4...most).contains(checks.load(ordering: .relaxed)))
    }

    @Test("are not returned if the task is cancelled")
    func task() async {
        await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            #expect(throws: CancellationError.self) {
                try PNGEncoder().encode(
                    [UInt8](repeating: 0, count: 12).span, as: PNGFormat(width: 2, height: 2, channels: .rgb))
            }
        }.value
    }
}
