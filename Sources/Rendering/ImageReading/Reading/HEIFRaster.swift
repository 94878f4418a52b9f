internal import Resampling
internal import ViewportGeometry

/// Pixels of red, green, blue and alpha, of 8 bits, or of 16 in the byte order of the machine.
struct HEIFRaster {
    private(set) var size: PixelSize<StoredGrid>
    private(set) var samples: [UInt8]
    private let isWide: Bool

    private var sampleBytes: Int { isWide ? 2 : 1 }
    private var pixelBytes: Int { 4 * sampleBytes }

    /// Creates pixels of one color.
    ///
    /// - Parameter fill: red, green, blue and alpha of 16 bits.
    init(_ size: PixelSize<StoredGrid>, _ fill: [Int], isWide: Bool) {
        (self.size, self.isWide) = (size, isWide)
        let pixel = fill.flatMap { isWide ? Self.bytes($0) : [UInt8(($0 * 255 + 32767) / 65535)] }
        samples = [UInt8](repeating: 0, count: size.area * pixel.count)
        for at in samples.indices { samples[at] = pixel[at % pixel.count] }
    }

    /// Creates the pixels of a decoded item; what has no alpha is opaque.
    ///
    /// - Parameter depth: the bits of a sample, which are the highest of 16.
    init(
        _ decoded: [UInt8], size: PixelSize<StoredGrid>, _ layout: SampleLayout, depth: Int, isWide: Bool
    ) {
        (self.size, self.isWide) = (size, isWide)
        samples = []
        let colors = layout.bands - (layout.hasAlpha ? 1 : 0)
        let isDeep = layout.type == .uint16
        let wide = WidenedLevel.Widening(depth: depth)
        samples.reserveCapacity(size.area * 4 * (isWide ? 2 : 1))
        for pixel in 0..<size.area {
            for band in 0..<4 {
                let isAlpha = band == 3
                let source = isAlpha ? (layout.hasAlpha ? colors : nil) : colors == 1 ? 0 : band
                let value =
                    if let source {
                        isDeep
                            ? wide.widened(Self.sample(decoded, 2 * (pixel * layout.bands + source)))
                            : Int(decoded[pixel * layout.bands + source]) * 257
                    } else {
                        65535
                    }
                if isWide { samples += Self.bytes(value) } else { samples.append(UInt8((value + 128) / 257)) }
            }
        }
    }

    private static func bytes(_ value: Int) -> [UInt8] {
        let value = UInt16(value).littleEndian
        return [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
    }

    private static func sample(_ bytes: [UInt8], _ at: Int) -> Int {
        Int(UInt16(littleEndian: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))
    }

    private func value(_ pixel: Int, _ band: Int) -> Int {
        isWide ? Self.sample(samples, pixel * 8 + 2 * band) : Int(samples[pixel * 4 + band])
    }

    private mutating func set(_ pixel: Int, _ band: Int, _ value: Int) {
        guard isWide else {
            samples[pixel * 4 + band] = UInt8(value)
            return
        }
        samples.replaceSubrange((pixel * 8 + 2 * band)..<(pixel * 8 + 2 * band + 2), with: Self.bytes(value))
    }

    /// The pixels of red, green and blue.
    var withoutAlpha: [UInt8] {
        var colors: [UInt8] = []
        colors.reserveCapacity(size.area * 3 * sampleBytes)
        for pixel in stride(from: 0, to: samples.count, by: pixelBytes) {
            colors += samples[pixel..<(pixel + 3 * sampleBytes)]
        }
        return colors
    }

    /// Takes the first band of another picture as alpha; one of another size is scaled without smoothing.
    mutating func takeAlpha(of other: HEIFRaster) {
        guard !other.size.isEmpty else { return }
        for y in 0..<size.height {
            let row = y * other.size.height / size.height * other.size.width
            for x in 0..<size.width {
                set(y * size.width + x, 3, other.value(row + x * other.size.width / size.width, 0))
            }
        }
    }

    /// Puts a picture in a place; what is outside is cut off.
    mutating func paste(_ other: HEIFRaster, x: Int, y: Int) {
        forRows(of: other, x, y) { raster, place, from, count in
            let bytes = raster.pixelBytes
            raster.samples.replaceSubrange(
                (place * bytes)..<((place + count) * bytes),
                with: other.samples[(from * bytes)..<((from + count) * bytes)])
        }
    }

    /// Paints a picture over a place by its alpha; what is outside is cut off.
    mutating func paint(_ other: HEIFRaster, x: Int, y: Int) {
        let most = isWide ? 65535 : 255
        forRows(of: other, x, y) { raster, place, from, count in
            for step in 0..<count {
                let alpha = other.value(from + step, 3)
                guard alpha > 0 else { continue }
                let below = raster.value(place + step, 3) * (most - alpha)
                let whole = alpha * most + below
                for band in 0..<3 {
                    let sum =
                        other.value(from + step, band) * alpha * most + raster.value(place + step, band)
                        * below
                    raster.set(place + step, band, (sum + whole / 2) / whole)
                }
                raster.set(place + step, 3, (whole + most / 2) / most)
            }
        }
    }

    /// Calls a function for each line of another picture that is inside of this one, with the first pixel in both.
    private mutating func forRows(
        of other: HEIFRaster, _ x: Int, _ y: Int, _ body: (inout HEIFRaster, Int, Int, Int) -> Void
    ) {
        let columns = max(0, -x)..<max(max(0, -x), min(other.size.width, size.width - x))
        let rows = max(0, -y)..<max(max(0, -y), min(other.size.height, size.height - y))
        guard !columns.isEmpty else { return }
        for row in rows {
            body(
                &self, (y + row) * size.width + x + columns.lowerBound,
                row * other.size.width + columns.lowerBound, columns.count)
        }
    }

    /// Returns a part of the picture, turned.
    func turned(_ part: PixelRect<StoredGrid>, _ orientation: Orientation) -> HEIFRaster {
        let upright = orientation.uprightSize(part.size)
        var result = self
        result.size = PixelSize(width: upright.width, height: upright.height)
        result.samples = []
        result.samples.reserveCapacity(part.size.area * pixelBytes)
        let walk = TileWalk(
            columns: 1, tileSize: part.size, rect: PixelRect(part.size), size: part.size,
            orientation: orientation)
        var cut = self
        cut.size = part.size
        if part.size != size {
            cut.samples = []
            for y in part.y..<part.maxY {
                let start = (y * size.width + part.x) * pixelBytes
                cut.samples += samples[start..<(start + part.width * pixelBytes)]
            }
        }
        var rows = RowCollector(byteCount: part.size.area * pixelBytes)
        DecodedTiles(walk: walk, tiles: [cut.samples], pixelBytes: pixelBytes).rows(PixelRect(result.size)) {
            rows.push($0)
        }
        result.samples = rows.pixels
        return result
    }
}
