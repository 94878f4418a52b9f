internal import Dispatch
internal import Files
internal import JPEGIndexing
internal import Resampling
internal import Synchronization
internal import ViewportGeometry

/// A JPEG at one eighth, in memory: made once, when it is first looked at from afar.
///
/// Through an index a region at 1/8 costs nearly as much as at full resolution, since all its compressed data is
/// walked; the whole image at 1/8 is one pass and a sixty-fourth of the pixels.
final class JPEGOverview: Sendable {
    private let file: OpenFile
    private let header: JPEGHeader
    private let pixels = Mutex<[UInt8]?>(nil)

    /// The most pixels that an overview may have: 64 megabytes of RGB.
    private static let greatestArea = 22_000_000

    /// Nil where the image has no overview, or one that is too large for memory.
    init?(_ file: OpenFile, _ header: JPEGHeader) {
        guard header.hasOverview, header.size(at: .eighth).area <= Self.greatestArea else { return nil }
        self.file = file
        self.header = header
    }

    /// Lends rows of the overview; who comes first makes it, and the others wait.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let samples = try make()
        let bands = header.components.count
        let width = header.size(at: .eighth).width
        for y in rect.y..<rect.maxY {
            let start = (y * width + rect.x) * bands
            try samples.withRow(start..<(start + rect.width * bands), row)
        }
    }

    /// The overview, made if nobody has made it.
    @discardableResult
    func make() throws -> [UInt8] {
        try pixels.withLock { pixels in
            if let pixels { return pixels }
            let made = try decode()
            pixels = made
            return made
        }
    }

    private func decode() throws -> [UInt8] {
        var collector = RowCollector(byteCount: header.size(at: .eighth).area * header.components.count)
        try file.checkedRows {
            try JPEGIndex.overview(file, header: header, threads: 2) { _, row in collector.push(row) }
        }
        return collector.pixels
    }
}

/// A JPEG at one quarter, in memory: made in the background for those who look at many parts of it.
///
/// A region at 1/4 costs as much as sixteen times its pixels at 1/1, since all its compressed data is walked.
/// Who has looked at an eighth of the image at this scale will look at more.
final class JPEGQuarter: Sendable {
    private enum State {
        /// So many pixels were looked at.
        case watching(Int)
        /// It is being made, or cannot be.
        case waiting
        case made([UInt8])
    }

    private let file: OpenFile
    private let reader: JPEGRegionReader
    private let size: PixelSize<StoredGrid>
    private let state = Mutex(State.watching(0))

    /// The most pixels that are kept: 64 megabytes of RGB.
    private static let greatestArea = 22_000_000

    /// Nil where the image is too large to be kept.
    init?(_ file: OpenFile, _ reader: JPEGRegionReader) {
        let size = reader.header.size(at: .quarter)
        guard size.area <= Self.greatestArea else { return nil }
        self.file = file
        self.reader = reader
        self.size = PixelSize(width: size.width, height: size.height)
    }

    /// Lends rows of a rectangle; false, without any, where the image is not made yet.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws -> Bool {
        guard let pixels = pixels(lookingAt: rect) else { return false }
        let bands = reader.header.components.count
        for y in rect.y..<rect.maxY {
            let start = (y * size.width + rect.x) * bands
            try pixels.withRow(start..<(start + rect.width * bands), row)
        }
        return true
    }

    /// The whole image where it is made; the look that makes it worth while has it made.
    private func pixels(lookingAt rect: PixelRect<StoredGrid>) -> [UInt8]? {
        let (pixels, isWanted) = state.withLock { state -> ([UInt8]?, Bool) in
            switch state {
            case .made(let pixels):
                return (pixels, false)
            case .waiting:
                return (nil, false)
            case .watching(let area):
                let isWanted = area + rect.size.area >= size.area / 8
                state = isWanted ? .waiting : .watching(area + rect.size.area)
                return (nil, isWanted)
            }
        }
        if isWanted { DispatchQueue.global(qos: .utility).async { self.make() } }
        return pixels
    }

    private func make() {
        var collector = RowCollector(byteCount: size.area * reader.header.components.count)
        do {
            try file.checkedRows {
                try reader.read(PixelRect(size), at: .quarter, of: file) { collector.push($0) }
            }
        } catch {
            // Broken data is told by whoever comes to its place.
            return
        }
        let pixels = collector.pixels
        state.withLock { $0 = .made(pixels) }
    }
}
