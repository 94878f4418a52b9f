import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("The headers of a JPEG")
struct HeaderTests {
    static let file = JPEGMaker(name: "4:2:0", hasJFIF: true).file

    /// The position of a segment's marker.
    static func offset(of marker: UInt8) -> Int {
        (0..<(file.count - 1)).first { file[$0] == 0xFF && file[$0 + 1] == marker }!
    }

    @Test("give the size and the sampling")
    func size() throws {
        let header = try JPEGHeader(Self.file)
        #expect(header.size == PixelSize(width: 100, height: 75))
        #expect(header.mcuSize == PixelSize(width: 16, height: 16))
        #expect(header.components.map(\.horizontalSampling) == [2, 1, 1])
        #expect(header.size(at: .eighth) == PixelSize(width: 13, height: 10))
    }

    @Test(
        "give the reason why a file cannot be indexed",
        arguments: [
            (0xC2, JPEGIndexError.progressive), (0xC3, .lossless), (0xC5, .hierarchical),
            (0xC6, .progressive),
            (0xC9, .arithmeticCoding), (0xCA, .arithmeticCoding), (0xCB, .arithmeticCoding),
            (0xDC, .heightInDNL),
        ] as [(UInt8, JPEGIndexError)])
    func processes(_ marker: UInt8, _ error: JPEGIndexError) {
        var file = Self.file
        file[Self.offset(of: 0xC0) + 1] = marker
        #expect(throws: error) { try JPEGHeader(file) }
    }

    @Test("give the reason why other files cannot be indexed")
    func others() {
        func changed(_ marker: UInt8, _ offset: Int, _ value: UInt8) -> [UInt8] {
            var file = Self.file
            file[Self.offset(of: marker) + offset] = value
            return file
        }
        #expect(throws: JPEGIndexError.samplePrecision(12)) { try JPEGHeader(changed(0xC0, 4, 12)) }
        var noHeight = changed(0xC0, 5, 0)
        noHeight[Self.offset(of: 0xC0) + 6] = 0
        #expect(throws: JPEGIndexError.heightInDNL) { try JPEGHeader(noHeight) }
        #expect(throws: JPEGIndexError.unsupportedSampling) { try JPEGHeader(changed(0xC0, 11, 0x44)) }
        #expect(throws: JPEGIndexError.notJPEG) { try JPEGHeader([0x89, 0x50, 0x4E, 0x47, 0, 0]) }
        #expect(throws: JPEGIndexError.notJPEG) { try JPEGHeader([]) }
        for count in stride(from: 4, to: Self.offset(of: 0xDA), by: 7) {
            #expect(throws: JPEGIndexError.truncated) { try JPEGHeader(Array(Self.file.prefix(count))) }
        }
    }

    @Test("of files with one scan per component are refused with that reason")
    func severalScans() {
        let scan = Self.offset(of: 0xDA)
        let file = Array(Self.file[..<scan]) + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [0, 0, 0xFF, 0xD9]
        #expect(throws: JPEGIndexError.severalScans) { try JPEGHeader(file) }
    }

    @Test("before truncated data are not enough for an index")
    func truncatedData() throws {
        let file = Array(Self.file.prefix(Self.file.count * 2 / 3))
        let header = try JPEGHeader(file)
        let error = #expect(throws: JPEGIndexError.self) { try JPEGIndex(file, header: header) }
        guard case .brokenStream(let row) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((2...4).contains(row))
        // The rows above can still be read.
        #expect(throws: Never.self) { try JPEGIndex(file, header: header, rows: 2) }
    }
}
