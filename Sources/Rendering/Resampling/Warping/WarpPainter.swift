private import CVectors

/// Pixels of the output that are made from samples at any positions of a picture.
///
/// A look into a panorama bends lines, so that no filter of rows and columns makes its pixels. Each pixel is the mean
/// of samples between pixels of the picture, as many as `WarpCell` says. To compute a position takes the projection's
/// functions: in a cell of eight by eight pixels they are computed at the corners only, and interpolated between them
/// in fixed point, where the plan has found that to be exact enough.
///
/// The fast way is for bytes without alpha in cells that are stored with their neighbors, without the seam of a
/// circle: samples are sums of pairs of 16-bit products, as in `IntegerFilter`. All else, such as poles, edges and
/// other types of samples, is computed position by position in floats.
///
/// Before, samples were a pixel apart, rows were words of four bytes, and cubics were floats. Linear interpolation
/// blurs by itself: its mean at 1.7 pixels is as exact as one at a pixel, with fewer samples.
package struct WarpPainter: Sendable {
    private let rows: WarpRows
    /// Whether a sample for the share of the pixel that is inside of the picture follows the colors.
    private let addsAlpha: Bool
    /// The position in the picture of a point of the output; nil where there is none.
    private let position: @Sendable (Double, Double) -> SIMD2<Double>?

    package init(
        _ rows: WarpRows, addsAlpha: Bool,
        position: @escaping @Sendable (Double, Double) -> SIMD2<Double>?
    ) {
        (self.rows, self.addsAlpha, self.position) = (rows, addsAlpha, position)
    }

    /// The bytes of a pixel of the output.
    private var pixelBytes: Int { (rows.layout.bands + (addsAlpha ? 1 : 0)) * rows.layout.type.bytes }

    /// Returns the bytes of a rectangle of the output, row by row.
    ///
    /// - Parameters:
    ///   - x: the left edge of the rectangle.
    ///   - y: its top edge.
    ///   - cells: the cells of the rectangle, row by row; those at the right and the bottom edge may be cut.
    package func paint(x: Int, y: Int, width: Int, height: Int, cells: [WarpCell]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: width * height * pixelBytes)
        var sums = [SIMD4<Int32>](repeating: .zero, count: WarpCell.side)
        let across = (width + WarpCell.side - 1) / WarpCell.side
        for (number, cell) in cells.enumerated() {
            let (left, top) = (number % across * WarpCell.side, number / across * WarpCell.side)
            let (right, bottom) = (min(left + WarpCell.side, width), min(top + WarpCell.side, height))
            guard left < right, top < bottom else { continue }
            let area = Area(left: left, top: top, right: right, bottom: bottom, width: width)
            if !cell.isExact, rows.isPacked, let corners = stored(cell) {
                paint(cell, corners, area, &sums, &output)
            } else {
                paintExactly(cell, area, x, y, &output)
            }
        }
        return output
    }

    /// The pixels of a cell in the rectangle that is painted.
    private struct Area {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int
        var width: Int
    }

    /// Positions of a cell in stored columns: of the top left corner, and what is added across, down, and both.
    private struct Corners {
        var origin: SIMD2<Double>
        var across: SIMD2<Double>
        var down: SIMD2<Double>
        var both: SIMD2<Double>

        /// The least row.
        var top: Double {
            min(
                min(origin.y, origin.y + across.y),
                min(origin.y + down.y, origin.y + across.y + down.y + both.y))
        }
    }

    /// Returns the corners of a cell whose samples and their neighbors are all inside of what is stored, without a seam.
    private func stored(_ cell: WarpCell) -> Corners? {
        let picture = rows.picture
        var points = (cell.topLeft, cell.topRight, cell.bottomLeft, cell.bottomRight)
        func isStored(_ point: inout SIMD2<Double>) -> Bool {
            point.x -= Double(rows.start)
            if point.x < 0, picture.isCircle { point.x += Double(picture.width) }
            return point.x >= 3 && point.x <= Double(rows.width) - 3 && point.y >= 3
                && point.y <= Double(picture.height) - 3
        }
        guard isStored(&points.0), isStored(&points.1), isStored(&points.2), isStored(&points.3) else {
            return nil
        }
        // A cell across the seam has corners on both sides of the circle, and the wrong pixels between them.
        let least = min(min(points.0.x, points.1.x), min(points.2.x, points.3.x))
        let greatest = max(max(points.0.x, points.1.x), max(points.2.x, points.3.x))
        guard greatest - least < Double(picture.width) / 2 else { return nil }
        return Corners(
            origin: points.0, across: points.1 - points.0, down: points.2 - points.0,
            both: points.3 - points.2 - points.1 + points.0)
    }

    // MARK: Integers

    /// The bits of the fraction of positions.
    private static let bits = 16
    /// The bits of the fraction of samples: of a sum of weights, and of one of which the first was rounded to 6 bits.
    private static let (linearBits, cubicBits) = (WarpCubic.bits, WarpCubic.bits + 6)

    /// Positions in fixed point along a line of samples, from the middle of the picture's first pixel.
    private struct Line {
        var x: Int
        var y: Int
        let dx: Int
        let dy: Int
        /// The samples of a pixel.
        let count: Int
        let pixels: Int

        /// - Parameters:
        ///   - start: the position of the left edge.
        ///   - step: that of the next pixel's.
        init(_ start: SIMD2<Double>, _ step: SIMD2<Double>, count: Int, pixels: Int) {
            let one = Double(1 << WarpPainter.bits)
            let step = step / Double(count)
            // A sample is in the middle of its step, and the middle of a pixel has no fraction.
            let first = (start + step / 2 - 0.5) * one
            (x, y) = (Int(first.x), Int(first.y))
            (dx, dy) = (Int((step.x * one).rounded()), Int((step.y * one).rounded()))
            (self.count, self.pixels) = (count, pixels)
        }
    }

    /// Where the rows of a cell are stored, which are fewer than those of the ring.
    ///
    /// Valid while the bytes are lent.
    @safe private struct Ring {
        private let toSlot: Int
        private let capacity: Int
        private let rowBytes: Int
        let bands: Int
        private let bytes: UnsafePointer<UInt8>

        init(_ rows: WarpRows, _ bytes: UnsafePointer<UInt8>, from top: Double) {
            unsafe self.bytes = bytes
            (capacity, bands, rowBytes) = (rows.capacity, rows.layout.bands, rows.width * rows.layout.bands)
            let first = Int(top) - 3
            toSlot = first % capacity - first
        }

        /// Returns the samples of a pixel.
        @inline(__always)
        func pixel(_ x: Int, _ y: Int) -> UnsafePointer<UInt8> {
            let slot = y &+ toSlot
            return unsafe bytes + ((slot >= capacity ? slot &- capacity : slot) &* rowBytes &+ x &* bands)
        }
    }

    /// Averages samples at positions between the corners, in integers.
    private func paint(
        _ cell: WarpCell, _ corners: Corners, _ area: Area, _ sums: inout [SIMD4<Int32>],
        _ output: inout [UInt8]
    ) {
        let (samples, side) = (cell.samples, Double(WarpCell.side))
        let (bands, pixelBytes) = (rows.layout.bands, pixelBytes)
        let (pixels, isCubic) = (area.right - area.left, cell.isCubic)
        let bits = isCubic ? Self.cubicBits : Self.linearBits
        let count = Int64(samples.x * samples.y)
        let half = count << Int64(bits - 1)
        // Sums are below 2^31.
        let share = ((Int64(1) << Int64(46 - bits)) + count / 2) / count
        // Corners and all positions between them have three neighbors that are stored; see `stored`.
        unsafe rows.bytes.withUnsafeBufferPointer { bytes in
            let ring = unsafe Ring(rows, bytes.baseAddress!, from: corners.top)
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                for y in area.top..<area.bottom {
                    for x in 0..<pixels { unsafe sums[x] = .zero }
                    for number in 0..<samples.y {
                        let v = (Double(y - area.top) + (Double(number) + 0.5) / Double(samples.y)) / side
                        let line = Line(
                            corners.origin + corners.down * v, (corners.across + corners.both * v) / side,
                            count: samples.x, pixels: pixels)
                        if isCubic {
                            unsafe Self.addCubic(line, ring, sums)
                        } else {
                            unsafe Self.addLinear(line, ring, sums)
                        }
                    }
                    var at = (y * area.width + area.left) * pixelBytes
                    for x in 0..<pixels {
                        let sum = unsafe sums[x]
                        for band in 0..<bands {
                            let mean = (max(Int64(sum[band]) + half, 0) &* share) >> 46
                            output[at + band] = UInt8(truncatingIfNeeded: min(mean, 255))
                        }
                        if addsAlpha { output[at + bands] = 255 }
                        at += pixelBytes
                    }
                }
            }
        }
    }

    /// The weights of two pixels for all of their samples.
    @inline(__always)
    private static func weights(_ pair: Int32) -> SIMD8<Int16> {
        unsafe unsafeBitCast(SIMD4<Int32>(repeating: pair), to: SIMD8<Int16>.self)
    }

    /// Adds samples that are interpolated between four pixels.
    @inline(__always)
    private static func addLinear(
        _ line: Line, _ ring: Ring, _ sums: UnsafeMutableBufferPointer<SIMD4<Int32>>
    ) {
        let (one, fraction) = (Int32(1 << WarpCubic.bits), (1 << WarpCubic.bits) - 1)
        var (x, y) = (line.x, line.y)
        for pixel in 0..<line.pixels {
            var sum = unsafe sums[pixel]
            for _ in 0..<line.count {
                let right = Int32(truncatingIfNeeded: x >> (bits - WarpCubic.bits) & fraction)
                let down = Int32(truncatingIfNeeded: y >> (bits - WarpCubic.bits) & fraction)
                // The other three weights are made of this one, so that all four add up to 1 exactly.
                let both = (right &* down) >> Int32(WarpCubic.bits)
                let (column, row) = (x >> bits, y >> bits)
                let above = unsafe ring.pixel(column, row)
                let below = unsafe ring.pixel(column, row &+ 1)
                let upper = unsafe vectors_pixel_pair(above, above + ring.bands)
                let lower = unsafe vectors_pixel_pair(below, below + ring.bands)
                sum &+= vectors_pair_products(
                    upper, weights(WarpCubic.pair(one &- right &- down &+ both, right &- both)))
                sum &+= vectors_pair_products(lower, weights(WarpCubic.pair(down &- both, both)))
                x &+= line.dx
                y &+= line.dy
            }
            unsafe sums[pixel] = sum
        }
    }

    /// Adds samples that are interpolated by cubics between sixteen pixels.
    @inline(__always)
    private static func addCubic(
        _ line: Line, _ ring: Ring, _ sums: UnsafeMutableBufferPointer<SIMD4<Int32>>
    ) {
        let (shift, fraction) = (bits - WarpCubic.tableBits, (1 << WarpCubic.tableBits) - 1)
        // To the nearest position of the table.
        var (x, y) = (line.x &+ 1 << (shift - 1), line.y &+ 1 << (shift - 1))
        unsafe WarpCubic.pairs.withUnsafeBufferPointer { table in
            for pixel in 0..<line.pixels {
                var sum = unsafe sums[pixel]
                for _ in 0..<line.count {
                    let across = unsafe table[x >> shift & fraction]
                    let down = unsafe table[y >> shift & fraction]
                    let (column, row) = (x >> bits &- 1, y >> bits &- 1)
                    let (left, right) = (weights(across.x), weights(across.y))
                    @inline(__always)
                    func samples(_ row: Int) -> SIMD4<Int32> {
                        let first = unsafe ring.pixel(column, row)
                        let (second, third) = unsafe (first + ring.bands, first + 2 * ring.bands)
                        let sum =
                            unsafe vectors_pair_products(vectors_pixel_pair(first, second), left)
                            &+ vectors_pair_products(vectors_pixel_pair(third, third + ring.bands), right)
                        // From 14 bits of fraction to 6, which fit into 16 bits for the second product.
                        return (sum &+ 128) &>> 8
                    }
                    sum &+= vectors_pair_products(
                        vectors_alternate(samples(row), samples(row &+ 1)), weights(down.x))
                    sum &+= vectors_pair_products(
                        vectors_alternate(samples(row &+ 2), samples(row &+ 3)), weights(down.y))
                    x &+= line.dx
                    y &+= line.dy
                }
                unsafe sums[pixel] = sum
            }
        }
    }

    // MARK: Any samples

    /// Averages samples at positions that are computed one by one.
    private func paintExactly(
        _ cell: WarpCell, _ area: Area, _ x0: Int, _ y0: Int, _ output: inout [UInt8]
    ) {
        let (n, m) = (cell.samples.x, cell.samples.y)
        let isCubic = cell.isCubic
        let bands = rows.layout.bands
        var sum = [Float](repeating: 0, count: bands)
        for y in area.top..<area.bottom {
            for x in area.left..<area.right {
                for band in 0..<bands { sum[band] = 0 }
                var inside = 0
                for line in 0..<m {
                    for column in 0..<n {
                        let u = Double(x0 + x) + (Double(column) + 0.5) / Double(n)
                        let v = Double(y0 + y) + (Double(line) + 0.5) / Double(m)
                        guard let place = position(u, v), rows.contains(place.x, place.y) else { continue }
                        add(place - 0.5, isCubic: isCubic, to: &sum)
                        inside += 1
                    }
                }
                store(sum, inside, of: n * m, at: (y * area.width + x) * pixelBytes, &output)
            }
        }
    }

    private func add(_ place: SIMD2<Double>, isCubic: Bool, to sum: inout [Float]) {
        let (left, top) = (place.x.rounded(.down), place.y.rounded(.down))
        let (fx, fy) = (Float(place.x - left), Float(place.y - top))
        let across = isCubic ? WarpCubic.weights(fx) : SIMD4(0, 1 - fx, fx, 0)
        let down = isCubic ? WarpCubic.weights(fy) : SIMD4(0, 1 - fy, fy, 0)
        let bands = rows.layout.bands
        for row in 0..<4 where down[row] != 0 {
            for tap in 0..<4 where across[tap] != 0 {
                let at = rows.index(Int(left) - 1 + tap, Int(top) - 1 + row)
                let weight = across[tap] * down[row]
                if rows.isPacked {
                    for band in 0..<bands { sum[band] += Float(rows.bytes[at * bands + band]) * weight }
                } else {
                    for band in 0..<bands { sum[band] += rows.floats[at * bands + band] * weight }
                }
            }
        }
    }

    /// Stores the mean of the samples that are inside of the picture.
    private func store(_ sum: [Float], _ inside: Int, of count: Int, at start: Int, _ output: inout [UInt8]) {
        guard inside > 0 else { return }
        let layout = rows.layout
        let greatest: Float = layout.type == .uint8 ? 255 : layout.type == .uint16 ? 65535 : 1
        let colors = layout.hasAlpha ? layout.bands - 1 : layout.bands
        let alpha = layout.hasAlpha ? sum[colors] / Float(inside) : 1
        func put(_ value: Float, _ number: Int) {
            let at = start + number * layout.type.bytes
            switch layout.type {
            case .uint8: output[at] = UInt8(min(max(value, 0), 255) + 0.5)
            case .uint16:
                let sample = UInt16(min(max(value, 0), 65535) + 0.5)
                // An integer has no padding.
                unsafe withUnsafeBytes(of: sample) { bytes in
                    for byte in 0..<2 { unsafe output[at + byte] = bytes[byte] }
                }
            case .float32:
                unsafe withUnsafeBytes(of: value) { bytes in
                    for byte in 0..<4 { unsafe output[at + byte] = bytes[byte] }
                }
            }
        }
        for band in 0..<colors {
            let mean = alpha > 0 ? sum[band] / Float(inside) / alpha : 0
            put(rows.light.map { $0.encoded(mean) } ?? mean, band)
        }
        if layout.hasAlpha { put(min(max(alpha, 0), 1) * greatest * Float(inside) / Float(count), colors) }
        if addsAlpha { put(greatest * Float(inside) / Float(count), colors) }
    }
}
