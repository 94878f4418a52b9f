internal import ImageReading
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// The samples of an image as they are stored, without any conversion of color.
struct StoredSamples: Sendable {
    private let reader: any LevelReader
    private let file: ImageFile

    init(_ file: ImageFile) throws {
        self.file = file
        reader = try file.source.open(file.pyramid.levels[0])
    }

    var layout: SampleLayout { reader.pixels.layout }
    var interpretation: String { reader.pixels.interpretation }

    /// Returns the samples of a rectangle of the upright image, rows from the top; zeros outside of it.
    func bytes(_ rect: PixelRect<UprightGrid>) throws -> [UInt8] {
        let pixel = layout.pixelBytes
        guard let part = rect.intersection(PixelRect(file.uprightSize)) else {
            return [UInt8](repeating: 0, count: rect.size.area * pixel)
        }
        let stored = file.orientation.stored(part, in: file.storedSize)
        var collector = RowCollector(byteCount: stored.size.area * pixel)
        try reader.read(stored) { collector.push($0) }
        var bytes = collector.pixels
        let turn = file.orientation
        if turn != .up {
            bytes = bytes.turned(
                width: stored.width, bands: pixel, transposes: turn.transposes, flipsX: turn.flipsX,
                flipsY: turn.flipsY)
        }
        guard part != rect else { return bytes }
        var filled = [UInt8](repeating: 0, count: rect.size.area * pixel)
        for y in 0..<part.height {
            let start = ((part.y - rect.y + y) * rect.width + part.x - rect.x) * pixel
            let row = y * part.width * pixel..<(y + 1) * part.width * pixel
            filled.replaceSubrange(start..<(start + row.count), with: bytes[row])
        }
        return filled
    }
}

extension ImageFile {
    /// Passes on the spans of pixels of each row that are not black, from the top of the upright image.
    func uprightRows(_ use: ([Range<Int>]) -> Void) throws {
        let samples = try StoredSamples(self)
        let (size, pixel) = (uprightSize, samples.layout.pixelBytes)
        let opacity = samples.layout.hasAlpha ? samples.layout.type.bytes : 0
        // Some rows at a time: a mask can be large.
        let part = max(1, (1 << 22) / (size.width * pixel))
        for top in stride(from: 0, to: size.height, by: part) {
            let rows = min(part, size.height - top)
            let bytes = try samples.bytes(PixelRect(x: 0, y: top, width: size.width, height: rows))
            for row in 0..<rows {
                var (spans, start): ([Range<Int>], Int?) = ([], nil)
                for x in 0...size.width {
                    let offset = (row * size.width + x) * pixel
                    let isSet =
                        x < size.width && bytes[offset..<(offset + pixel - opacity)].contains { $0 != 0 }
                    if isSet, start == nil { start = x }
                    if !isSet, let first = start {
                        spans.append(first..<x)
                        start = nil
                    }
                }
                use(spans)
            }
        }
    }
}
