import Foundation
import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("A JPEG at one quarter for thumbnails")
struct QuarterTests {
    /// Returns the rows, and expects them in order.
    private static func pixels(_ file: [UInt8], threads: Int = 1, chunkSize: Int? = nil) throws -> [UInt8] {
        var pixels: [UInt8] = []
        let header = try JPEGHeader(file)
        let index = try JPEGIndex(
            quarterOf: MemoryFile(file), header: header, threads: threads, chunkSize: chunkSize,
            isCancelled: { false }
        ) { y, row in
            #expect(pixels.count == y * row.byteCount)
            // The row is valid during the call.
            unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
        }
        #expect(try index == JPEGIndex(file, header: header))
        return pixels
    }

    @Test("is the transform of the four lowest coefficients of each block", arguments: [1, 3, 8])
    func exact(_ density: Int) throws {
        let maker = JPEGMaker(name: "gray", width: 320, height: 240, sampling: [(1, 1)], density: density)
        let made = try Self.pixels(maker.file)
        let whole = try #require(DecodedJPEG(maker.file, channels: 1, scale: .full)).pixels.map(Double.init)
        var blocks = 0
        for (top, left) in (0..<30).flatMap({ y in (0..<40).map { (8 * y, 8 * $0) } }) {
            let places = (0..<64).map { (y: $0 / 8, x: $0 % 8) }
            let samples = places.map { whole[(top + $0.y) * 320 + left + $0.x] }
            // What was clipped cannot be transformed back.
            guard samples.allSatisfy({ $0 > 0 && $0 < 255 }) else { continue }
            blocks += 1
            func wave(_ frequency: Int, _ x: Int) -> Double {
                frequency == 0 ? sqrt(0.125) : 0.5 * cos(Double(2 * x + 1) * .pi / 16)
            }
            func coefficient(_ down: Int, _ across: Int) -> Double {
                zip(samples, places).reduce(0) { $0 + $1.0 * wave(down, $1.1.y) * wave(across, $1.1.x) }
            }
            for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (down, across) = (y == 0 ? 1.0 : -1, x == 0 ? 1.0 : -1)
                let sum =
                    coefficient(0, 0) + across * coefficient(0, 1) + down * coefficient(1, 0)
                    + down * across * coefficient(1, 1)
                let sample = Double(made[(top / 4 + y) * 80 + left / 4 + x])
                #expect(abs(sample - min(max(sum / 8, 0), 255)) < 1.5, "block \(left), \(top)")
            }
        }
        #expect(blocks > 0)
    }

    @Test("looks like libjpeg-turbo's, with every sampling", arguments: RegionTests.files)
    func similar(_ maker: JPEGMaker) throws {
        let header = try JPEGHeader(maker.file)
        // The values of the file with 16-bit quantization exceed those that a photograph can have.
        guard maker.sampling.count != 4, header.hasQuarter, !maker.isWide else { return }
        let made = try Self.pixels(maker.file)
        guard DecodedJPEG.canScale(width: maker.width, height: maker.height, .quarter) else { return }
        let channels = maker.sampling.count
        let expected = try #require(DecodedJPEG(maker.file, channels: channels, scale: .quarter)).pixels
        #expect(made.count == expected.count)
        let difference = zip(made, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        // Other images of this generator differ by 60 or more.
        #expect(Double(difference) / Double(made.count) < 30)
    }

    @Test("is the same on several threads", arguments: RegionTests.files + IndexTests.large)
    func threads(_ maker: JPEGMaker) throws {
        guard try JPEGHeader(maker.file).hasQuarter else { return }
        let alone = try Self.pixels(maker.file)
        #expect(try Self.pixels(maker.file, threads: 3, chunkSize: 9999) == alone)
    }

    @Test("is not made of CMYK")
    func refused() throws {
        let maker = JPEGMaker(
            name: "CMYK", sampling: [(1, 1), (1, 1), (1, 1), (1, 1)], adobe: 0, hasJFIF: false)
        #expect(try !JPEGHeader(maker.file).hasQuarter)
        #expect(throws: JPEGIndexError.unsupportedSampling) { try Self.pixels(maker.file) }
    }

    @Test("of damaged data fails on any number of threads", arguments: [1, 3])
    func broken(_ threads: Int) throws {
        var file = IndexTests.large[0].file
        for offset in 0..<40 { file[file.count * 3 / 4 + offset] = 0xFE }
        file[file.count * 3 / 4] = 0xFF
        #expect(throws: JPEGIndexError.self) {
            try Self.pixels(file, threads: threads, chunkSize: 20_000)
        }
        #expect(throws: JPEGIndexError.self) {
            try Self.pixels(Array(file.prefix(file.count / 2)), threads: threads, chunkSize: 20_000)
        }
    }
}
