import Files
import JPEGIndexing
import JPEGTestSupport
import Synchronization
import Testing
import ViewportGeometry

/// A file that is read in pieces, as an open file is.
private final class PieceReader: RandomAccessBytes {
    private let bytes: [UInt8]
    private let total = Mutex(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }
    /// The bytes that were read.
    var readCount: Int { total.withLock { $0 } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        guard bytes.indices.contains(position), position + buffer.count <= bytes.count else { throw .changed }
        unsafe buffer.copyBytes(from: bytes[position..<(position + buffer.count)])
        total.withLock { $0 += buffer.count }
    }
}

@Suite("A JPEG that is read in pieces")
struct WindowTests {
    // Rows of blocks that are larger than the read-ahead, and much smaller ones.
    static let files = [
        JPEGMaker(name: "4:2:0", width: 3000, height: 100, density: 60),
        JPEGMaker(name: "restarts", width: 3000, height: 100, restartInterval: 11, density: 60),
        JPEGMaker(name: "4:4:4", width: 700, height: 90, sampling: [(1, 1), (1, 1), (1, 1)], density: 20),
        JPEGMaker(name: "gray", width: 300, height: 700, sampling: [(1, 1)], density: 4),
    ]

    @Test("has the same index, regions and crops as one in memory", arguments: files)
    func same(_ maker: JPEGMaker) throws {
        let bytes = maker.file
        let memory = try TestReader(bytes)
        let file = PieceReader(bytes)
        let header = try JPEGHeader(file)
        let index = try JPEGIndex(file, header: header)
        #expect(index == memory.index)
        var generator = Xorshift(state: 11)
        for optimizes in [false, true] {
            let reader = try JPEGRegionReader(
                header: header, index: index, optimizesForRandomAccess: optimizes)
            for scale in JPEGScale.allCases {
                let size = header.size(at: scale)
                for rect in [PixelRect(size)] + (0..<12).map({ _ in generator.rect(in: size) }) {
                    let region = try reader.region(rect, at: scale, of: file)
                    #expect(try region == memory.region(rect, at: scale), "\(rect) at \(scale)")
                }
            }
            let rect = PixelRect<StoredGrid>(x: 20, y: 30, width: 200, height: 60)
            #expect(try reader.losslessCrop(rect, of: file) == memory.losslessCrop(rect))
        }
    }

    @Test("is hardly read for a small region")
    func economy() throws {
        let file = PieceReader(Self.files[0].file)
        let header = try JPEGHeader(file)
        let reader = try JPEGRegionReader(header: header, index: try JPEGIndex(file, header: header))
        let before = file.readCount
        _ = try reader.region(PixelRect(x: 1500, y: 40, width: 16, height: 16), at: .full, of: file)
        #expect(file.readCount - before < file.count / 3)
    }
}
