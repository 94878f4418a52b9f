import CTurboJPEG
import JPEGIndexing
import TestSupport
import ViewportGeometry

/// A reader together with the file it reads.
struct TestReader {
    let file: [UInt8]
    let reader: JPEGRegionReader

    init(_ file: [UInt8], interval: Int = 64, rows: Int? = nil, optimizesForRandomAccess: Bool = false) throws
    {
        self.file = file
        let header = try JPEGHeader(file)
        reader = try JPEGRegionReader(
            header: header, index: try JPEGIndex(file, header: header, rows: rows, interval: interval),
            optimizesForRandomAccess: optimizesForRandomAccess)
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
    /// Returns a random rectangle within an image, often at an edge.
    mutating func rect(in size: PixelSize<ReducedGrid>) -> PixelRect<ReducedGrid> {
        let x = below(4) == 0 ? 0 : below(size.width)
        let y = below(4) == 0 ? 0 : below(size.height)
        let width = below(4) == 0 ? size.width - x : 1 + below(size.width - x)
        let height = below(4) == 0 ? size.height - y : 1 + below(size.height - y)
        return PixelRect(x: x, y: y, width: width, height: height)
    }
}

/// Pixels as decoded by libjpeg-turbo, the reference of these tests.
struct DecodedJPEG: Equatable {
    var size: PixelSize<ReducedGrid>
    var channels: Int
    var pixels: [UInt8]

    /// Returns nil if libjpeg-turbo refuses the file, or warns.
    init?(_ file: [UInt8], channels: Int, scale: JPEGScale = .full) {
        // The handle is created and destroyed in this call.
        let handle = unsafe tjInitDecompress()
        defer { unsafe tjDestroy(handle) }
        var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        // The memory of the array is valid during the call; the results are read after it.
        _ = unsafe tjDecompressHeader3(handle, file, UInt(file.count), &width, &height, &sampling, &space)
        guard width > 0, height > 0 else { return nil }
        let divisor = Int32(scale.rawValue)
        let (reducedWidth, reducedHeight) = (
            (width + divisor - 1) / divisor, (height + divisor - 1) / divisor
        )
        let format = [1: TJPF_GRAY, 3: TJPF_RGB, 4: TJPF_CMYK][channels]!
        var result = [UInt8](repeating: 0, count: Int(reducedWidth) * Int(reducedHeight) * channels)
        // The result has room for all rows of the reduced size.
        let status = unsafe tjDecompress2(
            handle, file, UInt(file.count), &result, reducedWidth, 0, reducedHeight,
            Int32(format.rawValue), 0)
        guard status == 0 else { return nil }
        size = PixelSize(width: Int(reducedWidth), height: Int(reducedHeight))
        self.channels = channels
        pixels = result
    }

    /// Whether TurboJPEG can decode an image of this size at `scale`.
    ///
    /// TurboJPEG selects the largest scale with the given size of the result, which is wrong for tiny images.
    static func canScale(width: Int, height: Int, _ scale: JPEGScale) -> Bool {
        let eighths = 8 / scale.rawValue
        func reduced(_ side: Int, _ eighths: Int) -> Int { (side * eighths + 7) / 8 }
        return scale == .full || reduced(width, eighths) != reduced(width, eighths + 1)
            || reduced(height, eighths) != reduced(height, eighths + 1)
    }

    /// Returns the pixels of a rectangle.
    func cropped(_ rect: PixelRect<ReducedGrid>) -> [UInt8] {
        Comparing.part(rect, of: pixels, rowBytes: size.width * channels, pixelBytes: channels)
    }
}
