internal import CViewport
internal import Pictures
internal import ViewportGeometry
internal import ViewportRendering

/// The caller's buffer for the pixels of a picture.
// Used during the call only, and by one thread.
@safe struct PixelTarget: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer
    private let stride: Int?
    private let format: viewport_format
    private let depth: PixelFormat.Depth

    /// - Throws: `CallError` for a buffer without an address, or of an unknown format. Its size is checked where it is
    ///   filled.
    init(_ pixels: viewport_pixels) throws(CallError) {
        guard let data = unsafe pixels.data else { throw .invalid("pixels.data is NULL") }
        format = unsafe pixels.format
        guard [VIEWPORT_GRAY, VIEWPORT_RGB, VIEWPORT_RGBA].contains(format) else {
            throw .invalid("pixels.format is \(format.rawValue), not 1, 3 or 4")
        }
        let (bits, size, rowBytes) = unsafe (pixels.depth, pixels.size, pixels.stride)
        guard [0, 8, 16].contains(bits) else { throw .invalid("pixels.depth is \(bits), not 8 or 16") }
        depth = bits == 16 ? .bits16 : .bits8
        // Sizes above Int.max are negative here: no buffer is so large, and no row.
        guard size >= 0, rowBytes >= 0 else { throw .invalid("pixels.size or pixels.stride is too large") }
        stride = rowBytes == 0 ? nil : rowBytes
        unsafe buffer = UnsafeMutableRawBufferPointer(start: data, count: size)
    }

    /// The options of a picture for it.
    ///
    /// - Parameter isDeep: whether the image has more than 8 bits; others are widened when they are copied.
    func renderOptions(keepsColors: Bool, isDeep: Bool) -> RenderOptions {
        var options = RenderOptions()
        options.colorMode = keepsColors ? .keep : .srgb
        options.background = .transparent.opaque(unless: format == VIEWPORT_RGBA)
        options.depth = isDeep && depth == .bits16 ? 16 : 8
        options.maximumPictureArea = 1 << 30
        return options
    }

    /// Throws where a picture of a size does not fit, before it is made.
    func check(_ size: PixelSize<OutputGrid>) throws(CallError) {
        let (row, isHuge) = size.width.multipliedReportingOverflow(by: pixelFormat.bytesPerPixel)
        let stride = self.stride ?? row
        guard !isHuge, stride >= row else {
            throw .invalid("pixels.stride is \(stride), but a row of \(size.width) pixels has \(row) bytes")
        }
        let (above, overflows) = stride.multipliedReportingOverflow(by: size.height - 1)
        let (count, overflowsToo) = above.addingReportingOverflow(row)
        guard !overflows, !overflowsToo, unsafe count <= buffer.count else {
            throw unsafe .invalid(
                "pixels.size is \(buffer.count), too little for \(size.height) rows of \(stride) bytes")
        }
    }

    /// Copies a picture.
    func write(_ picture: Picture) throws {
        var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
        guard format == VIEWPORT_GRAY, picture.bands - (picture.hasAlpha ? 1 : 0) > 1 else {
            return try picture.copyPixels(into: &span, as: pixelFormat, bytesPerRow: stride)
        }
        let gray = try picture.luma()
        try gray.copyPixels(into: &span, as: pixelFormat, bytesPerRow: stride)
    }

    private var pixelFormat: PixelFormat {
        PixelFormat(format == VIEWPORT_GRAY ? .gray : format == VIEWPORT_RGB ? .rgb : .rgba, depth: depth)
    }
}

extension Picture {
    /// Returns the opaque picture in gray: the luma of ITU-R BT.601, as Pillow and JPEG have it.
    fileprivate func luma() throws(RenderingError) -> Picture {
        let isDeep = depth == 16
        let rgb = try pixels(as: PixelFormat(.rgb, depth: isDeep ? .bits16 : .bits8))
        let bytes: [UInt8]
        if isDeep {
            let samples = unsafe rgb.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt16.self)) }
            bytes = unsafe Self.luma(samples).withUnsafeBytes { unsafe Array($0) }
        } else {
            bytes = Self.luma(rgb)
        }
        let format = PixelFormat(.gray, depth: isDeep ? .bits16 : .bits8)
        return try Picture(bytes: bytes, size: size, format: format)
    }

    private static func luma<Sample: FixedWidthInteger>(_ rgb: [Sample]) -> [Sample] {
        var gray = [Sample](repeating: 0, count: rgb.count / 3)
        for pixel in gray.indices {
            let (red, green, blue) = (rgb[3 * pixel], rgb[3 * pixel + 1], rgb[3 * pixel + 2])
            let sum = 19595 * UInt32(red) + 38470 * UInt32(green) + 7471 * UInt32(blue) + 32768
            gray[pixel] = Sample(truncatingIfNeeded: sum >> 16)
        }
        return gray
    }
}
