import JPEGCoding
import Synchronization
import TestSupport
import Testing
import Vips

@Suite("Coding a JPEG row by row")
struct JPEGRowDecoderTests {
    static func jpeg(bands: Int = 3, isProgressive: Bool) throws -> [UInt8] {
        try TestImages.photo(width: 203, height: 145, bands: bands).saved(
            with: "jpegsave_buffer", ["interlace": .bool(isProgressive)])
    }

    @Test(
        "gives the same rows as libvips", arguments: [(1, false), (1, true), (3, false), (3, true)],
        [1, 2, 4, 8])
    func rows(_ kind: (bands: Int, isProgressive: Bool), _ denominator: Int) throws {
        let (bands, isProgressive) = kind
        let jpeg = try Self.jpeg(bands: bands, isProgressive: isProgressive)
        let image = try VipsImage.load(
            bytes: jpeg, with: "jpegload_buffer", denominator == 1 ? [:] : ["shrink": .int(denominator)])
        let expected = try image.pixels().copied()
        let rowBytes = image.width * bands
        for isStrict in [true, false] {
            var decoded: [UInt8] = []
            try JPEGRowDecoder.decode(
                jpeg, denominator: denominator, bands: bands, rows: 3..<image.height, isStrict: isStrict
            ) { row in
                // libvips omits a partial last column.
                unsafe row.extracting(0..<rowBytes).withUnsafeBytes { unsafe decoded += Array($0) }
            }
            #expect(decoded == Array(expected[(3 * rowBytes)...]))
        }
    }

    @Test("decodes no more rows after cancellation", arguments: [false, true])
    func cancelled(_ isProgressive: Bool) async throws {
        let jpeg = try Self.jpeg(isProgressive: isProgressive)
        let rows = await Task {
            var rows = 0
            let error = #expect(throws: JPEGDecodingError.self) {
                try JPEGRowDecoder.decode(jpeg, denominator: 1, bands: 3, rows: 0..<145) { _ in
                    rows += 1
                    if rows == 7 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                }
            }
            #expect(error?.isCancelled == true)
            return rows
        }.value
        #expect(rows == 7)
    }

    private static let scanChecks = Atomic(0)

    @Test("stops within the scans of a progressive JPEG")
    func scans() throws {
        let jpeg = try Self.jpeg(isProgressive: true)
        let error = #expect(throws: JPEGDecodingError.self) {
            try JPEGRowDecoder.decode(
                jpeg, denominator: 1, bands: 3, rows: 0..<145,
                isCancelled: {
                    JPEGRowDecoderTests.scanChecks.wrappingAdd(1, ordering: .relaxed).newValue < 15 ? 0 : 1
                }
            ) { _ in Issue.record("no row is decoded before all scans are read") }
        }
        #expect(error?.isCancelled == true)
        // There is one check for each of the 10 rows of blocks of a scan: this is the middle of the second scan.
        #expect(Self.scanChecks.load(ordering: .relaxed) == 15)
    }

    @Test("reports damage after the rows before it, or fills the rest if it is not strict")
    func damaged() throws {
        let jpeg = try Self.jpeg(isProgressive: false)
        let cut = Array(jpeg.prefix(jpeg.count / 2)) + [0xFF, 0xD9]
        var rows = 0
        let error = #expect(throws: JPEGDecodingError.self) {
            try JPEGRowDecoder.decode(cut, denominator: 1, bands: 3, rows: 0..<145) { _ in rows += 1 }
        }
        #expect(error?.isCancelled == false && error?.reason.isEmpty == false)
        #expect((20..<100).contains(rows))
        rows = 0
        try JPEGRowDecoder.decode(cut, denominator: 1, bands: 3, rows: 0..<145, isStrict: false) { _ in
            rows += 1
        }
        #expect(rows == 145)
    }

    private static let rowChecks = Atomic(0)

    @Test("encodes no more rows after cancellation")
    func encoding() throws {
        let error = #expect(throws: JPEGEncodingError.self) {
            try JPEGEncoder().encode(
                [UInt8](repeating: 9, count: 640 * 480), width: 640, height: 480, bands: 1,
                isCancelled: {
                    JPEGRowDecoderTests.rowChecks.wrappingAdd(1, ordering: .relaxed).newValue < 33 ? 0 : 1
                })
        }
        #expect(error?.isCancelled == true)
        #expect(Self.rowChecks.load(ordering: .relaxed) == 33)
    }
}
