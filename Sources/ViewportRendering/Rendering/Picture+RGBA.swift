internal import ViewportGeometry

extension Picture {
    /// The samples as RGBA of 8 bits.
    ///
    /// - Throws: `RenderingError.cannotEncode` where they are deeper or no such colors.
    package func rgba() throws(RenderingError) -> [UInt8] {
        guard depth == 8, (1...4).contains(bands), bands != 4 || hasAlpha else {
            throw .cannotEncode(format: "animation", detail: "frames are sRGB of 8 bits")
        }
        guard bands < 4 else { return bytes }
        let colors = hasAlpha ? bands - 1 : bands
        var result: [UInt8] = []
        result.reserveCapacity(size.area * 4)
        for pixel in stride(from: 0, to: bytes.count, by: bands) {
            for band in 0..<3 { result.append(bytes[pixel + (colors == 1 ? 0 : band)]) }
            result.append(hasAlpha ? bytes[pixel + bands - 1] : 255)
        }
        return result
    }
}
