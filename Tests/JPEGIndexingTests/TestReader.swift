import JPEGIndexing
import JPEGTestSupport
import ViewportGeometry

/// A reader together with the file it reads.
struct TestReader {
    let file: [UInt8]
    let reader: JPEGRegionReader

    init(_ file: [UInt8], interval: Int = 64, rows: Int? = nil, isReadOften: Bool = false) throws {
        self.file = file
        let header = try JPEGHeader(file)
        reader = try JPEGRegionReader(
            header: header, index: try JPEGIndex(file, header: header, rows: rows, interval: interval),
            isReadOften: isReadOften)
    }

    init(_ file: [UInt8], index: JPEGIndex) throws {
        self.file = file
        reader = try JPEGRegionReader(header: try JPEGHeader(file), index: index)
    }

    var header: JPEGHeader { reader.header }
    var index: JPEGIndex { reader.index }

    func region(_ rect: PixelRect<ReducedGrid>, at scale: JPEGScale) throws -> JPEGRegion {
        try file.lent { try reader.region(rect, at: scale, of: $0) }
    }

    func losslessCrop(
        _ rect: PixelRect<StoredGrid>, keeping: (JPEGHeader.Segment) -> Bool = { _ in true }
    ) throws -> JPEGCrop {
        try file.lent { try reader.losslessCrop(rect, of: $0, keeping: keeping) }
    }
}

extension JPEGHeader {
    init(_ file: [UInt8]) throws {
        self = try file.lent { try JPEGHeader($0) }
    }
}

extension JPEGIndex {
    init(_ file: [UInt8], header: JPEGHeader, rows: Int? = nil, interval: Int = 64) throws {
        self = try file.lent { try JPEGIndex($0, header: header, rows: rows, interval: interval) }
    }
}

extension Xorshift {
    /// A rectangle inside, often at an edge.
    mutating func rect(in size: PixelSize<ReducedGrid>) -> PixelRect<ReducedGrid> {
        let x = below(4) == 0 ? 0 : below(size.width)
        let y = below(4) == 0 ? 0 : below(size.height)
        let width = below(4) == 0 ? size.width - x : 1 + below(size.width - x)
        let height = below(4) == 0 ? size.height - y : 1 + below(size.height - y)
        return PixelRect(x: x, y: y, width: width, height: height)
    }
}
