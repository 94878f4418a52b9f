extension OverviewPlan {
    /// Makes one row of pixels of the samples of a row of MCUs; `y` counts from the top of those.
    func convert(_ rows: SampleRows, y: Int, to pixels: inout [UInt8]) {
        let channels = components.count
        let width = pixels.count / channels
        for (channel, component) in components.enumerated() {
            let start = rows.starts[channel] + y / component.spreadY * rows.strides[channel]
            var index = channel
            if component.spreadX == 1 {
                for x in 0..<width {
                    pixels[index] = rows[start &+ x]
                    index &+= channels
                }
            } else {
                for x in 0..<width {
                    pixels[index] = rows[start &+ x / component.spreadX]
                    index &+= channels
                }
            }
        }
        switch color {
        case .gray, .rgb, .cmyk: break
        case .yCbCr: YCbCr.toRGB(&pixels, channels: 3)
        case .ycck:
            YCbCr.toRGB(&pixels, channels: 4)
            for index in pixels.indices where index % 4 != 3 { pixels[index] = ~pixels[index] }
        }
    }
}

/// libjpeg's conversion from luminance and color differences, to the bit.
///
/// Source: libjpeg-turbo, jdcolor.c, build_ycc_rgb_table and ycc_rgb_convert.
private enum YCbCr {
    /// Converts the first three of every `channels` bytes in place.
    static func toRGB(_ pixels: inout [UInt8], channels: Int) {
        var span = pixels.mutableSpan
        for index in stride(from: 0, to: span.count, by: channels) {
            let y = Int32(span[index])
            let cb = Int32(span[index + 1]) &- 128
            let cr = Int32(span[index + 2]) &- 128
            span[index] = clamped(y &+ (cr &* 91881 &+ 32768) >> 16)
            span[index + 1] = clamped(y &+ (cb &* -22554 &+ cr &* -46802 &+ 32768) >> 16)
            span[index + 2] = clamped(y &+ (cb &* 116130 &+ 32768) >> 16)
        }
    }

    @inline(__always)
    private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }
}
