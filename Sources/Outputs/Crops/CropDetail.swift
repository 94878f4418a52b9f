package import Pictures

/// How much there is to see in a picture: the standard deviation of its gray values, from 0 to 127.5.
///
/// Paper and glass have less than 4, text and tissue more than 15.
package enum CropDetail {
    /// - Parameter picture: a picture of 8 bits per sample; the gray value of a pixel is the mean of its samples without alpha.
    package static func of(_ picture: Picture) -> Double {
        let bands = picture.bands
        let colors = bands - (picture.hasAlpha ? 1 : 0)
        guard colors > 0, picture.depth == 8 else { return 0 }
        var (sum, squares, count) = (0.0, 0.0, 0)
        let bytes = picture.bytes.span
        for start in stride(from: 0, to: bytes.count, by: bands) {
            var value = 0
            for band in 0..<colors { value += Int(bytes[start + band]) }
            let gray = Double(value) / Double(colors)
            (sum, squares, count) = (sum + gray, squares + gray * gray, count + 1)
        }
        guard count > 0 else { return 0 }
        let mean = sum / Double(count)
        return max(squares / Double(count) - mean * mean, 0).squareRoot()
    }
}
