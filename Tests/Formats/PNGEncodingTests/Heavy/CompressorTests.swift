import CDeflate
import Testing

@testable import PNGEncoding

@Suite("A compressor of rows")
struct CompressorTests {
    @Test(
        "writes parts that join to one stream, whatever their sizes",
        arguments: [.libdeflate(0), .libdeflate(1), .libdeflate(12), .isal, .runs] as [Compressor.Method],
        TestPixels.allCases)
    func parts(_ method: Compressor.Method, _ content: TestPixels) throws {
        for size in [1, 2, 3, 31, 257, 4096, 65_535, 65_536, 300_000] {
            let bytes = content.bytes(size + 700, rowBytes: 300, distance: 3)
            let stream =
                try compressed(bytes[..<size], method, isLast: false)
                + compressed(bytes[size...], method, isLast: true)
            #expect(inflated(stream, count: bytes.count) == bytes, "\(size)")
        }
    }

    @Test(
        "is ISA-L for photographs and noise, and libdeflate where it makes files much smaller",
        arguments: [
            (TestPixels.photograph, Compressor.Method.isal), (.noise, .isal), (.flat, .libdeflate(1)),
        ])
    func choice(_ content: TestPixels, _ method: Compressor.Method) throws {
        let format = PNGFormat(width: 640, height: 560, channels: .rgb)
        let pixels = content.bytes(format)
        let plan = try unsafe pixels.span.bytes.withUnsafeBytes { bytes in
            let rows = format.rows(unsafe UnsafeByteView(bytes), stride: 1920)
            let scanlines = Scanlines(pixels: rows, format: format, palette: nil)
            return try Plan.best(of: scanlines, .standard).preferringISAL()
        }
        #expect(plan.method == method)
    }

    @Test(
        "does not depend on what was in its memory",
        arguments: [.isal, .libdeflate(1), .runs] as [Compressor.Method])
    func memory(_ method: Compressor.Method) throws {
        let bytes = TestPixels.photograph.bytes(200_000, rowBytes: 600, distance: 3)
        let first = try compressed(bytes[...], method, isLast: true)
        for value in UInt16(0)..<32 {
            // Freed, these are where the next ones come from.
            for size in [4096, 82_384, 331_776] {
                #expect([UInt16](repeating: value, count: size / 2).last == value)
            }
            #expect(try compressed(bytes[...], method, isLast: true) == first)
        }
    }

    private func compressed(
        _ bytes: ArraySlice<UInt8>, _ method: Compressor.Method, isLast: Bool
    ) throws -> [UInt8] {
        let compressor = try Compressor(method)
        let output = ByteBuffer(capacity: compressor.bound(bytes.count) + 5)
        let size = unsafe bytes.withUnsafeBytes {
            compressor.compress(
                unsafe UnsafeByteView($0), to: output.part(0, count: output.capacity), isLast: isLast)
        }
        var result: [UInt8] = []
        output.part(0, count: size).readable.append(to: &result)
        return result
    }

    /// Returns nil for a stream that has not exactly so many bytes.
    private func inflated(_ stream: [UInt8], count: Int) -> [UInt8]? {
        let state = unsafe libdeflate_alloc_decompressor()!
        defer { unsafe libdeflate_free_decompressor(state) }
        var result = [UInt8](repeating: 0, count: count)
        let status = unsafe result.withUnsafeMutableBytes { output in
            unsafe stream.withUnsafeBytes { input in
                // libdeflate stays within both counts.
                unsafe libdeflate_deflate_decompress(
                    state, input.baseAddress!, input.count, output.baseAddress!, count, nil)
            }
        }
        return status == LIBDEFLATE_SUCCESS ? result : nil
    }
}
