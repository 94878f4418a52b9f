/// Reverses the filters of PNG.
///
/// Source: PNG (third edition), 9.
enum RowFilter {
    /// The bytes before a row that must be zeros, and behind it that may be read and written.
    static let margin = 32

    /// Reconstructs the first bytes of a row; false for an unknown filter.
    ///
    /// - Parameters:
    ///   - filter: The filter byte of the row.
    ///   - source: The filtered bytes, with `margin` readable bytes behind them.
    ///   - above: The row above, or zeros, with margins on both sides.
    ///   - row: Receives the bytes, with margins on both sides.
    ///   - distance: The bytes from a sample to the same sample of the previous pixel: 1, 2, 3, 4, 6 or 8.
    static func reverse(
        _ filter: UInt8, _ source: UnsafeRawPointer, above: UnsafeRawPointer, to row: UnsafeMutableRawPointer,
        count: Int, distance: Int
    ) -> Bool {
        // All loops stay inside of the count and the margins.
        switch filter {
        case 0: unsafe row.copyMemory(from: source, byteCount: count)
        case 1: unsafe reverseSub(source, row, count, distance)
        case 2: unsafe reverseUp(source, above, row, count)
        case 3: unsafe reverseAverage(source, above, row, count, distance)
        case 4: unsafe reversePaeth(source, above, row, count, distance)
        default: return false
        }
        return true
    }

    private static func reverseUp(
        _ source: UnsafeRawPointer, _ above: UnsafeRawPointer, _ row: UnsafeMutableRawPointer, _ count: Int
    ) {
        var index = 0
        while index < count {
            // Up to 31 bytes behind the end, which is the margin.
            let value =
                unsafe source.loadUnaligned(fromByteOffset: index, as: SIMD32<UInt8>.self)
                &+ above.loadUnaligned(fromByteOffset: index, as: SIMD32<UInt8>.self)
            unsafe row.storeBytes(of: value, toByteOffset: index, as: SIMD32<UInt8>.self)
            index &+= 32
        }
    }

    private static func reverseSub(
        _ source: UnsafeRawPointer, _ row: UnsafeMutableRawPointer, _ count: Int, _ distance: Int
    ) {
        guard distance >= 3 else {
            for index in 0..<count {
                // The margin before the row holds zeros.
                let left = unsafe row.load(fromByteOffset: index &- distance, as: UInt8.self)
                unsafe row.storeBytes(
                    of: source.load(fromByteOffset: index, as: UInt8.self) &+ left, toByteOffset: index,
                    as: UInt8.self)
            }
            return
        }
        var left = SIMD8<UInt8>()
        var index = 0
        while index < count {
            // Eight bytes, of which `distance` count: the next step mends the others.
            left = unsafe left &+ source.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt8>.self)
            unsafe row.storeBytes(of: left, toByteOffset: index, as: SIMD8<UInt8>.self)
            index &+= distance
        }
    }

    private static func reverseAverage(
        _ source: UnsafeRawPointer, _ above: UnsafeRawPointer, _ row: UnsafeMutableRawPointer, _ count: Int,
        _ distance: Int
    ) {
        guard distance >= 3 else {
            for index in 0..<count {
                // The margin before the row holds zeros.
                let left = unsafe Int(row.load(fromByteOffset: index &- distance, as: UInt8.self))
                let up = unsafe Int(above.load(fromByteOffset: index, as: UInt8.self))
                unsafe row.storeBytes(
                    of: source.load(fromByteOffset: index, as: UInt8.self)
                        &+ UInt8(truncatingIfNeeded: (left &+ up) &>> 1),
                    toByteOffset: index, as: UInt8.self)
            }
            return
        }
        var left = SIMD8<UInt8>()
        var index = 0
        while index < count {
            // As for Sub. The mean without carry: both and half of the difference.
            let up = unsafe above.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt8>.self)
            let mean = (left & up) &+ ((left ^ up) &>> 1)
            left = unsafe source.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt8>.self) &+ mean
            unsafe row.storeBytes(of: left, toByteOffset: index, as: SIMD8<UInt8>.self)
            index &+= distance
        }
    }

    private static func reversePaeth(
        _ source: UnsafeRawPointer, _ above: UnsafeRawPointer, _ row: UnsafeMutableRawPointer, _ count: Int,
        _ distance: Int
    ) {
        guard distance >= 3 else {
            for index in 0..<count {
                // The margins before both rows hold zeros.
                let left = unsafe Int(row.load(fromByteOffset: index &- distance, as: UInt8.self))
                let up = unsafe Int(above.load(fromByteOffset: index, as: UInt8.self))
                let corner = unsafe Int(above.load(fromByteOffset: index &- distance, as: UInt8.self))
                let (toLeft, toUp) = (abs(up &- corner), abs(left &- corner))
                let toCorner = abs(left &+ up &- 2 &* corner)
                let best =
                    toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
                unsafe row.storeBytes(
                    of: source.load(fromByteOffset: index, as: UInt8.self)
                        &+ UInt8(truncatingIfNeeded: best), toByteOffset: index, as: UInt8.self)
            }
            return
        }
        var left = SIMD8<Int16>()
        var corner = SIMD8<Int16>()
        var index = 0
        while index < count {
            // As for Sub.
            let up = unsafe SIMD8<Int16>(
                truncatingIfNeeded: above.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt8>.self))
            let (a, b) = (up &- corner, left &- corner)
            let toLeft = pointwiseMax(a, 0 &- a)
            let toUp = pointwiseMax(b, 0 &- b)
            let sum = a &+ b
            let toCorner = pointwiseMax(sum, 0 &- sum)
            let least = pointwiseMin(toLeft, pointwiseMin(toUp, toCorner))
            let best = corner.replacing(with: up, where: toUp .== least).replacing(
                with: left, where: toLeft .== least)
            let value =
                unsafe source.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt8>.self)
                &+ SIMD8<UInt8>(truncatingIfNeeded: best)
            unsafe row.storeBytes(of: value, toByteOffset: index, as: SIMD8<UInt8>.self)
            left = SIMD8<Int16>(truncatingIfNeeded: value)
            corner = up
            index &+= distance
        }
    }
}
