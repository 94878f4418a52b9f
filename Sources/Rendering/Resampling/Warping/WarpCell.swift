/// A square of the output, in which positions in the picture change nearly linearly, or not.
package struct WarpCell: Sendable {
    /// The side of a cell in pixels.
    package static let side = 8

    /// The positions of the corners at the left and the right of the top, and of the bottom.
    package var topLeft: SIMD2<Double>
    package var topRight: SIMD2<Double>
    package var bottomLeft: SIMD2<Double>
    package var bottomRight: SIMD2<Double>
    /// Whether positions between the corners have to be computed one by one.
    package var isExact: Bool
    /// The samples of a pixel across and down.
    package var samples: SIMD2<Int>

    package init(
        topLeft: SIMD2<Double>, topRight: SIMD2<Double>, bottomLeft: SIMD2<Double>,
        bottomRight: SIMD2<Double>, isExact: Bool, samples: SIMD2<Int>
    ) {
        (self.topLeft, self.topRight, self.bottomLeft, self.bottomRight) = (
            topLeft, topRight, bottomLeft, bottomRight
        )
        (self.isExact, self.samples) = (isExact, samples)
    }

    /// Whether samples are interpolated by cubics: where few pixels are averaged, lines would be blurred by less.
    var isCubic: Bool { samples.x <= 2 && samples.y <= 2 }
}

/// Pixels of the output that are made from samples at any positions of a picture.
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
        let across = (width + WarpCell.side - 1) / WarpCell.side
        for (number, cell) in cells.enumerated() {
            let (left, top) = (number % across * WarpCell.side, number / across * WarpCell.side)
            let (right, bottom) = (min(left + WarpCell.side, width), min(top + WarpCell.side, height))
            guard left < right, top < bottom else { continue }
            let area = Area(left: left, top: top, right: right, bottom: bottom, width: width)
            if !cell.isExact, rows.isPacked, let corners = stored(cell) {
                if cell.isCubic {
                    paintCubic(cell, corners, area, &output)
                } else {
                    paintLinear(cell, corners, area, &output)
                }
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
        var points = [cell.topLeft, cell.topRight, cell.bottomLeft, cell.bottomRight]
        let picture = rows.picture
        for index in points.indices {
            guard points[index].y >= 3, points[index].y <= Double(picture.height) - 3 else { return nil }
            points[index].x -= Double(rows.start)
            if points[index].x < 0, picture.isCircle { points[index].x += Double(picture.width) }
            guard points[index].x >= 3, points[index].x <= Double(rows.width) - 3 else { return nil }
        }
        let (least, greatest) = (points.map(\.x).min()!, points.map(\.x).max()!)
        guard greatest - least < Double(picture.width) / 2 else { return nil }
        return Corners(
            origin: points[0], across: points[1] - points[0], down: points[2] - points[0],
            both: points[3] - points[2] - points[1] + points[0])
    }

    // MARK: Words

    /// The fraction of positions in fixed point.
    private static let bits = 16
    private static let lanes: UInt64 = 0x00FF_00FF_00FF_00FF

    /// The four samples of a word in lanes of 16 bits.
    @inline(__always)
    private static func spread(_ word: UInt32) -> UInt64 {
        UInt64(word & 0x00FF_00FF) | UInt64((word >> 8) & 0x00FF_00FF) << 32
    }

    /// Averages samples that are interpolated between four pixels.
    private func paintLinear(_ cell: WarpCell, _ corners: Corners, _ area: Area, _ output: inout [UInt8]) {
        let (n, m) = (cell.samples.x, cell.samples.y)
        let side = Double(WarpCell.side)
        let one = Double(1 << Self.bits)
        let (width, capacity) = (rows.width, rows.capacity)
        let count = UInt64(n * m) * 256
        let bands = rows.layout.bands
        let pixelBytes = self.pixelBytes
        let columns = (area.right - area.left) * n
        // From a row to its place in the ring; a cell has fewer rows than the ring.
        let firstRow = Int(corners.top) - 3
        let toSlot = firstRow % capacity - firstRow
        // Two accumulators of a pixel: lanes of 32 bits.
        var sums = [SIMD2<UInt64>](repeating: .zero, count: WarpCell.side)
        // Corners and all positions between them have neighbors that are stored; see `stored`.
        unsafe rows.words.withUnsafeBufferPointer { words in
            for y in area.top..<area.bottom {
                for x in sums.indices { sums[x] = .zero }
                for line in 0..<m {
                    let v = (Double(y - area.top) + (Double(line) + 0.5) / Double(m)) / side
                    let start = corners.origin + corners.down * v
                    let step = (corners.across + corners.both * v) / side / Double(n)
                    // The middle of a pixel has no fraction.
                    let first = (start + step / 2 - 0.5) * one
                    var (px, py) = (Int(first.x), Int(first.y))
                    let (dx, dy) = (Int((step.x * one).rounded()), Int((step.y * one).rounded()))
                    var (pixel, sample) = (0, 0)
                    for _ in 0..<columns {
                        let (ix, iy) = (px >> Self.bits, py >> Self.bits)
                        let wx = UInt64(truncatingIfNeeded: (px >> 8) & 0xFF)
                        let wy = UInt64(truncatingIfNeeded: (py >> 8) & 0xFF)
                        var slot = iy &+ toSlot
                        if slot >= capacity { slot &-= capacity }
                        let above = slot &* width &+ ix
                        slot &+= 1
                        if slot == capacity { slot = 0 }
                        let below = slot &* width &+ ix
                        let a = Self.spread(unsafe words[above])
                        let b = Self.spread(unsafe words[above &+ 1])
                        let c = Self.spread(unsafe words[below])
                        let d = Self.spread(unsafe words[below &+ 1])
                        let half: UInt64 = 0x0080_0080_0080_0080
                        let upper = ((a &* (256 &- wx) &+ b &* wx &+ half) >> 8) & Self.lanes
                        let lower = ((c &* (256 &- wx) &+ d &* wx &+ half) >> 8) & Self.lanes
                        let mixed = upper &* (256 &- wy) &+ lower &* wy
                        sums[pixel].x &+= mixed & 0x0000_FFFF_0000_FFFF
                        sums[pixel].y &+= (mixed >> 16) & 0x0000_FFFF_0000_FFFF
                        px &+= dx
                        py &+= dy
                        sample &+= 1
                        if sample == n { (sample, pixel) = (0, pixel &+ 1) }
                    }
                }
                for x in area.left..<area.right {
                    let sum = sums[x - area.left]
                    let at = (y * area.width + x) * pixelBytes
                    // Lanes: the first and second sample of a word are 32 bits apart, as the third and fourth.
                    let values = SIMD4(
                        sum.x & 0xFFFF_FFFF, sum.x >> 32, sum.y & 0xFFFF_FFFF, sum.y >> 32)
                    for band in 0..<bands {
                        output[at + band] = UInt8(truncatingIfNeeded: (values[band] + count / 2) / count)
                    }
                    if addsAlpha { output[at + bands] = 255 }
                }
            }
        }
    }

    /// Averages samples that are interpolated by cubics between sixteen pixels.
    private func paintCubic(_ cell: WarpCell, _ corners: Corners, _ area: Area, _ output: inout [UInt8]) {
        let (n, m) = (cell.samples.x, cell.samples.y)
        let side = Double(WarpCell.side)
        let (width, capacity) = (rows.width, rows.capacity)
        let bands = rows.layout.bands
        let pixelBytes = self.pixelBytes
        let firstRow = Int(corners.top) - 3
        let toSlot = firstRow % capacity - firstRow
        let share = 1 / Float(n * m)
        // As in `paintLinear`; three pixels around each corner are stored.
        unsafe rows.words.withUnsafeBufferPointer { words in
            for y in area.top..<area.bottom {
                for x in area.left..<area.right {
                    var sum = SIMD4<Float>(repeating: 0)
                    for line in 0..<m {
                        let v = (Double(y - area.top) + (Double(line) + 0.5) / Double(m)) / side
                        for column in 0..<n {
                            let u = (Double(x - area.left) + (Double(column) + 0.5) / Double(n)) / side
                            let place =
                                corners.origin + corners.across * u + (corners.down + corners.both * u) * v
                                - 0.5
                            let (left, top) = (place.x.rounded(.down), place.y.rounded(.down))
                            let across = Cubic.weights(Float(place.x - left))
                            let down = Cubic.weights(Float(place.y - top))
                            let (ix, iy) = (Int(left) - 1, Int(top) - 1)
                            for row in 0..<4 {
                                var slot = iy &+ row &+ toSlot
                                if slot >= capacity { slot &-= capacity }
                                let at = slot &* width &+ ix
                                var line = SIMD4<Float>(repeating: 0)
                                for tap in 0..<4 {
                                    let word = unsafe words[at &+ tap]
                                    let samples = SIMD4<Float>(
                                        SIMD4<UInt8>(
                                            UInt8(truncatingIfNeeded: word),
                                            UInt8(truncatingIfNeeded: word >> 8),
                                            UInt8(truncatingIfNeeded: word >> 16),
                                            UInt8(truncatingIfNeeded: word >> 24)))
                                    line += samples * across[tap]
                                }
                                sum += line * down[row]
                            }
                        }
                    }
                    sum = (sum * share).clamped(
                        lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
                    let at = (y * area.width + x) * pixelBytes
                    for band in 0..<bands { output[at + band] = UInt8(sum[band] + 0.5) }
                    if addsAlpha { output[at + bands] = 255 }
                }
            }
        }
    }

    // MARK: Any samples

    /// Averages samples at positions that are computed one by one.
    private func paintExactly(
        _ cell: WarpCell, _ area: Area, _ x0: Int, _ y0: Int, _ output: inout [UInt8]
    ) {
        let (n, m) = (cell.samples.x, cell.samples.y)
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
                        add(place - 0.5, isCubic: cell.isCubic, to: &sum)
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
        let across = isCubic ? Cubic.weights(fx) : SIMD4(0, 1 - fx, fx, 0)
        let down = isCubic ? Cubic.weights(fy) : SIMD4(0, 1 - fy, fy, 0)
        let bands = rows.layout.bands
        for row in 0..<4 where down[row] != 0 {
            for tap in 0..<4 where across[tap] != 0 {
                let at = rows.index(Int(left) - 1 + tap, Int(top) - 1 + row)
                let weight = across[tap] * down[row]
                if rows.isPacked {
                    let word = rows.words[at]
                    for band in 0..<bands {
                        sum[band] += Float(UInt8(truncatingIfNeeded: word >> UInt32(8 * band))) * weight
                    }
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

/// The cubic of Catmull and Rom: it passes through the samples, and is as sharp as them at 1:1.
private enum Cubic {
    /// Returns the weights of the four samples around a position.
    ///
    /// - Parameter x: the distance from the second one, 0 to 1.
    @inline(__always)
    static func weights(_ x: Float) -> SIMD4<Float> {
        let (square, cube) = (x * x, x * x * x)
        return SIMD4(
            -0.5 * x + square - 0.5 * cube, 1 - 2.5 * square + 1.5 * cube,
            0.5 * x + 2 * square - 1.5 * cube, -0.5 * square + 0.5 * cube)
    }
}
