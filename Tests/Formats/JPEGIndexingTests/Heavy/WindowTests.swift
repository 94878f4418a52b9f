import Files
import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("A JPEG that is read in pieces")
struct WindowTests {
    // Rows of blocks that are larger than the read-ahead, and much smaller than it.
    static let files = [
        JPEGMaker(name: "4:2:0", width: 1700, height: 48, tables: .steep, density: 63),
        JPEGMaker(name: "restarts", width: 500, height: 100, restartInterval: 11, density: 20),
        JPEGMaker(name: "4:4:4", width: 300, height: 60, sampling: [(1, 1), (1, 1), (1, 1)], density: 20),
        JPEGMaker(name: "gray", width: 100, height: 300, sampling: [(1, 1)], density: 4),
    ]

    @Test("has the same index, regions and crops as one in memory", arguments: files)
    func same(_ maker: JPEGMaker) throws {
        let bytes = maker.file
        let memory = try TestReader(bytes)
        let file = MemoryFile(bytes)
        let header = try JPEGHeader(file)
        let index = try JPEGIndex(file, header: header)
        #expect(index == memory.index)
        var generator = Xorshift(state: 11)
        for optimizes in [false, true] {
            let reader = try JPEGRegionReader(
                header: header, index: index, optimizesForRandomAccess: optimizes)
            for scale in JPEGScale.allCases {
                let size = header.size(at: scale)
                for rect in [PixelRect(size)] + (0..<6).map({ _ in generator.rect(in: size) }) {
                    let region = try reader.region(rect, at: scale, of: file)
                    #expect(try region == memory.region(rect, at: scale), "\(rect) at \(scale)")
                }
            }
            let rect = PixelRect<StoredGrid>(x: 20, y: 20, width: 70, height: 30)
            #expect(try reader.losslessCrop(rect, of: file) == memory.losslessCrop(rect))
        }
    }
}
