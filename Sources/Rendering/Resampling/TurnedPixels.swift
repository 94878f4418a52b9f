extension [UInt8] {
    /// Returns pixels transposed, then flipped: rows from the top without gaps.
    ///
    /// - Parameters:
    ///   - width: The pixels of a row before.
    ///   - bands: The bytes of a pixel.
    ///   - transposes: Whether rows become columns.
    ///   - flipsX: Whether left and right are then swapped.
    ///   - flipsY: Whether top and bottom are then swapped.
    package func turned(
        width: Int, bands: Int, transposes: Bool, flipsX: Bool, flipsY: Bool
    ) -> [UInt8] {
        precondition(width > 0 && bands > 0 && count % (width * bands) == 0, "pixels in whole rows")
        let height = count / (width * bands)
        let (columns, rows) = transposes ? (height, width) : (width, height)
        // Steps through the pixels, for the next column and the next row of the result.
        var (right, down) = transposes ? (width * bands, bands) : (bands, width * bands)
        var start = 0
        if flipsX { (start, right) = (start + (columns - 1) * right, -right) }
        if flipsY { (start, down) = (start + (rows - 1) * down, -down) }
        // Every index is that of a pixel, and the result has as many.
        return unsafe withUnsafeBufferPointer { pixels in
            unsafe [UInt8](unsafeUninitializedCapacity: count) { result, used in
                used = count
                guard let from = pixels.baseAddress, let to = result.baseAddress else { return }
                for y in 0..<rows {
                    var source = unsafe from + (start + y * down)
                    var target = unsafe to + y * columns * bands
                    for _ in 0..<columns {
                        for band in 0..<bands { unsafe target[band] = source[band] }
                        unsafe target += bands
                        unsafe source += right
                    }
                }
            }
        }
    }
}
