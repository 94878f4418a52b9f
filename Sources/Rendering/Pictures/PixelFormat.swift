package import Resampling
public import ViewportGeometry

/// The layout of pixels in memory: samples and their order, depth, and alpha.
public struct PixelFormat: Hashable, Codable, Sendable {
    /// The samples of a pixel, in the order of their addresses.
    public enum Channels: String, CaseIterable, Hashable, Codable, Sendable {
        /// Brightness.
        case gray
        /// Brightness, then alpha.
        case grayAlpha
        /// Red, green, blue.
        case rgb
        /// Red, green, blue, alpha.
        case rgba
        /// Blue, green, red, alpha.
        case bgra
    }

    /// The bits of a sample; 16 are in the machine's byte order.
    public enum Depth: String, CaseIterable, Hashable, Codable, Sendable {
        /// One byte for each sample.
        case bits8
        /// Two bytes for each sample.
        case bits16

        package var sampleType: SampleLayout.SampleType { self == .bits8 ? .uint8 : .uint16 }
    }

    /// Whether colors are multiplied by alpha; ignored for channels without alpha.
    public enum Alpha: String, CaseIterable, Hashable, Codable, Sendable {
        /// Colors are independent of alpha.
        case straight
        /// Colors are multiplied by alpha.
        case premultiplied
    }

    /// The samples of a pixel and their order.
    public var channels: Channels
    /// The bits of a sample.
    public var depth: Depth
    /// Whether colors are multiplied by alpha.
    public var alpha: Alpha

    /// Creates a format, by default of 8 bits and straight alpha.
    public init(_ channels: Channels, depth: Depth = .bits8, alpha: Alpha = .straight) {
        self.channels = channels
        self.depth = depth
        self.alpha = alpha
    }

    /// Red, green, blue; a byte each.
    public static let rgb8 = PixelFormat(.rgb)
    /// Red, green, blue, alpha; a byte each, straight.
    public static let rgba8 = PixelFormat(.rgba)
    /// Blue, green, red, alpha; a byte each, premultiplied, as most window systems expect.
    public static let bgra8Premultiplied = PixelFormat(.bgra, alpha: .premultiplied)

    /// The samples of a pixel.
    public var samplesPerPixel: Int {
        switch channels {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba, .bgra: 4
        }
    }

    /// Whether the last sample is alpha.
    public var hasAlpha: Bool { samplesPerPixel % 2 == 0 }

    /// The bytes of a pixel.
    public var bytesPerPixel: Int { samplesPerPixel * (depth == .bits8 ? 1 : 2) }

    /// The offset of each color and of alpha among the samples of a pixel.
    fileprivate var order: (colors: [Int], alpha: Int?) {
        switch channels {
        case .gray: ([0], nil)
        case .grayAlpha: ([0], 1)
        case .rgb: ([0, 1, 2], nil)
        case .rgba: ([0, 1, 2], 3)
        case .bgra: ([2, 1, 0], 3)
        }
    }

    /// Returns the distance between rows and the size of an image in bytes: the last row needs no padding.
    fileprivate func extent(
        _ size: PixelSize<OutputGrid>, _ bytesPerRow: Int?
    ) throws(RenderingError) -> (stride: Int, count: Int) {
        guard !size.isEmpty else {
            throw .invalidPixelBuffer(reason: "an image of \(size.width) x \(size.height) has no pixels")
        }
        let (row, isHuge) = size.width.multipliedReportingOverflow(by: bytesPerPixel)
        let stride = bytesPerRow ?? row
        guard !isHuge, stride >= row else {
            throw .invalidPixelBuffer(
                reason: "rows of \(size.width) pixels have \(isHuge ? "too many" : "\(row)") bytes, "
                    + "and one begins every \(stride)")
        }
        let (above, overflows) = stride.multipliedReportingOverflow(by: size.height - 1)
        let (count, overflowsToo) = above.addingReportingOverflow(row)
        guard !overflows, !overflowsToo else {
            throw .invalidPixelBuffer(reason: "\(size.height) rows of \(stride) bytes are too many")
        }
        return (stride, count)
    }
}

extension PixelFormat: CustomStringConvertible {
    /// Samples and depth: "RGBA, 8 bits", or "BGRA, 8 bits, premultiplied".
    public var description: String {
        let names =
            switch channels {
            case .gray: "gray"
            case .grayAlpha: "gray and alpha"
            case .rgb, .rgba, .bgra: channels.rawValue.uppercased()
            }
        return "\(names), \(depth == .bits8 ? 8 : 16) bits"
            + (hasAlpha && alpha == .premultiplied ? ", premultiplied" : "")
    }
}

extension Picture {
    /// Creates a picture from pixels in memory, which are copied.
    ///
    /// It can be encoded, or rendered by `ImageFile(picture:)`. Straight samples are copied unchanged;
    /// premultiplied ones are divided by alpha and rounded.
    ///
    /// - Parameters:
    ///   - pixels: rows from the top; bytes behind the last row are ignored.
    ///   - size: the width and height in pixels.
    ///   - format: the layout of a pixel.
    ///   - bytesPerRow: the distance between the starts of two rows; nil for rows without gaps.
    ///   - profile: the ICC profile of the colors; nil for sRGB.
    /// - Throws: `RenderingError.invalidPixelBuffer` where the size is empty, rows overlap or bytes are missing.
    public init(
        pixels: RawSpan, size: PixelSize<OutputGrid>, format: PixelFormat, bytesPerRow: Int? = nil,
        profile: [UInt8]? = nil
    ) throws(RenderingError) {
        let (stride, count) = try format.extent(size, bytesPerRow)
        guard pixels.byteCount >= count else {
            throw .invalidPixelBuffer(reason: "the pixels have \(pixels.byteCount) of \(count) bytes")
        }
        let rowBytes = size.width * format.bytesPerPixel
        var collector = RowCollector(byteCount: rowBytes * size.height)
        for y in 0..<size.height {
            collector.push(pixels.extracting((y * stride)..<(y * stride + rowBytes)))
        }
        let isDeep = format.depth == .bits16
        let isGray = format.channels == .gray || format.channels == .grayAlpha
        var bytes = collector.pixels
        if format.channels == .bgra || format.hasAlpha && format.alpha == .premultiplied {
            bytes = Self.canonical(bytes, format)
        }
        self.init(
            size: size, bands: format.samplesPerPixel, depth: isDeep ? 16 : 8, hasAlpha: format.hasAlpha,
            profile: profile,
            interpretation: isGray ? (isDeep ? "grey16" : "b-w") : (isDeep ? "rgb16" : "srgb"),
            bytes: bytes)
    }

    /// Creates a picture from an array of pixels.
    ///
    /// - Throws: as `init(pixels:size:format:bytesPerRow:profile:)`.
    public init(
        bytes: [UInt8], size: PixelSize<OutputGrid>, format: PixelFormat, bytesPerRow: Int? = nil,
        profile: [UInt8]? = nil
    ) throws(RenderingError) {
        self = try bytes.withRawBytes(0..<bytes.count) { pixels throws(RenderingError) in
            try Picture(
                pixels: pixels, size: size, format: format, bytesPerRow: bytesPerRow, profile: profile)
        }
    }

    /// Returns the pixels in a format, rows from the top.
    ///
    /// - Parameters:
    ///   - format: the layout of a pixel. Alpha that the picture lacks is opaque, and alpha that the format
    ///     lacks is dropped; gray is converted to color, but color not to gray. 16 bits are reduced to their upper 8.
    ///   - bytesPerRow: the distance between the starts of two rows, gaps filled with 0; nil for no gaps.
    /// - Throws: `RenderingError.invalidPixelBuffer` where rows would overlap, or the format cannot hold the colors.
    public func pixels(
        as format: PixelFormat, bytesPerRow: Int? = nil
    ) throws(RenderingError) -> [UInt8] {
        let (stride, count) = try format.extent(size, bytesPerRow)
        let converter = try PixelConverter(self, format)
        var result: [UInt8] = []
        result.reserveCapacity(count)
        for y in 0..<size.height {
            result.append(contentsOf: repeatElement(0, count: y * stride - result.count))
            result += converter.row(y)
        }
        return result
    }

    /// Copies the pixels into the caller's buffer in a format, rows from the top.
    ///
    /// Bytes between rows and after the last one are not written.
    ///
    /// - Parameters:
    ///   - buffer: at least `bytesPerRow` x (height - 1) bytes and a row.
    ///   - format: the layout of a pixel, as for `pixels(as:bytesPerRow:)`.
    ///   - bytesPerRow: the distance between the starts of two rows; nil for no gaps.
    /// - Throws: `RenderingError.invalidPixelBuffer` where the buffer is too short, rows overlap or the format cannot
    ///   hold the colors; nothing is written then.
    public func copyPixels(
        into buffer: inout MutableRawSpan, as format: PixelFormat, bytesPerRow: Int? = nil
    ) throws(RenderingError) {
        let (stride, count) = try format.extent(size, bytesPerRow)
        guard buffer.byteCount >= count else {
            throw .invalidPixelBuffer(reason: "the buffer has \(buffer.byteCount) of \(count) bytes")
        }
        let converter = try PixelConverter(self, format)
        for y in 0..<size.height { buffer.copy(converter.row(y), at: y * stride) }
    }

    /// Returns pixels with colors in order and straight alpha.
    private static func canonical(_ bytes: [UInt8], _ format: PixelFormat) -> [UInt8] {
        let source = PixelSamples(bytes[...], isDeep: format.depth == .bits16)
        let (order, bands) = (format.order, format.samplesPerPixel)
        let isDeep = format.depth == .bits16
        var samples = [UInt16](repeating: 0, count: bytes.count / (isDeep ? 2 : 1))
        for pixel in stride(from: 0, to: samples.count, by: bands) {
            let alpha = order.alpha.map { source.sample(pixel + $0, isDeep) }
            for (color, offset) in order.colors.enumerated() {
                let value = source.sample(pixel + offset, isDeep)
                samples[pixel + color] =
                    format.alpha == .premultiplied && alpha != nil
                    ? PixelSamples.divide(value, alpha!, isDeep: isDeep) : value
            }
            if let alpha { samples[pixel + bands - 1] = alpha }
        }
        return PixelSamples.bytes(samples, isDeep: isDeep)
    }
}

/// Converts the rows of a picture to a format.
private struct PixelConverter {
    private let picture: Picture
    private let format: PixelFormat

    init(_ picture: Picture, _ format: PixelFormat) throws(RenderingError) {
        let colors = picture.bands - (picture.hasAlpha ? 1 : 0)
        guard picture.interpretation != "cmyk", colors == 1 || colors == 3 else {
            throw .invalidPixelBuffer(reason: "the picture's \(colors) inks are neither gray nor RGB")
        }
        guard colors <= format.order.colors.count else {
            throw .invalidPixelBuffer(reason: "a picture in color has no pixels of gray")
        }
        self.picture = picture
        self.format = format
    }

    /// Whether the format is the picture's own.
    private var isIdentity: Bool {
        picture.depth == (format.depth == .bits16 ? 16 : 8) && picture.bands == format.samplesPerPixel
            && format.channels != .bgra && !multiplies
    }

    private var multiplies: Bool { picture.hasAlpha && format.hasAlpha && format.alpha == .premultiplied }

    func row(_ y: Int) -> [UInt8] {
        let (width, bands) = (picture.size.width, picture.bands)
        let rowBytes = width * bands * picture.depth / 8
        let row = picture.bytes[(y * rowBytes)..<((y + 1) * rowBytes)]
        guard !isIdentity else { return Array(row) }
        if picture.depth == 8, format.depth == .bits8, !multiplies { return reordered(row) }
        let source = PixelSamples(row, isDeep: picture.depth == 16)
        let isDeep = format.depth == .bits16
        let order = format.order
        let isGray = bands < 3
        var samples = [UInt16](repeating: 0, count: width * format.samplesPerPixel)
        for x in 0..<width {
            let (from, to) = (x * bands, x * format.samplesPerPixel)
            let alpha = picture.hasAlpha ? source.sample(from + bands - 1, isDeep) : isDeep ? .max : 255
            for (color, offset) in order.colors.enumerated() {
                let value = source.sample(from + (isGray ? 0 : color), isDeep)
                samples[to + offset] =
                    multiplies ? PixelSamples.multiply(value, alpha, isDeep: isDeep) : value
            }
            if let offset = order.alpha { samples[to + offset] = alpha }
        }
        return PixelSamples.bytes(samples, isDeep: isDeep)
    }

    /// Returns a row of bytes in the order of the format, with the alpha that it needs.
    private func reordered(_ row: ArraySlice<UInt8>) -> [UInt8] {
        let (from, to) = (picture.bands, format.samplesPerPixel)
        var sources: [(target: Int, source: Int)] = format.order.colors.enumerated().map { color, target in
            (target, from < 3 ? 0 : color)
        }
        if picture.hasAlpha, let alpha = format.order.alpha { sources.append((alpha, from - 1)) }
        var result = [UInt8](repeating: 255, count: picture.size.width * to)
        for (target, source) in sources {
            var (read, write) = (row.startIndex + source, target)
            while write < result.count {
                result[write] = row[read]
                (read, write) = (read + from, write + to)
            }
        }
        return result
    }
}

/// Reads and writes samples of 8 or 16 bits.
private struct PixelSamples {
    private let bytes: ArraySlice<UInt8>
    private let isDeep: Bool

    init(_ bytes: ArraySlice<UInt8>, isDeep: Bool) {
        self.bytes = bytes
        self.isDeep = isDeep
    }

    /// Returns a sample in 8 or 16 bits: 255 becomes 65535, and 16 bits become their upper half.
    func sample(_ index: Int, _ deep: Bool) -> UInt16 {
        guard isDeep else {
            let value = UInt16(bytes[bytes.startIndex + index])
            return deep ? value * 257 : value
        }
        let at = bytes.startIndex + 2 * index
        #if _endian(little)
        let value = UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
        #else
        let value = UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
        #endif
        return deep ? value : value >> 8
    }

    static func bytes(_ samples: [UInt16], isDeep: Bool) -> [UInt8] {
        guard isDeep else { return samples.map { UInt8(truncatingIfNeeded: $0) } }
        return samples.flatMap { sample in
            let (low, high) = (UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8))
            #if _endian(little)
            return [low, high]
            #else
            return [high, low]
            #endif
        }
    }

    static func multiply(_ value: UInt16, _ alpha: UInt16, isDeep: Bool) -> UInt16 {
        let maximum: UInt32 = isDeep ? 65535 : 255
        // At most 0xFFFF x 0xFFFF and half of 0xFFFF: below 2^32.
        return UInt16((UInt32(value) * UInt32(alpha) + maximum / 2) / maximum)
    }

    static func divide(_ value: UInt16, _ alpha: UInt16, isDeep: Bool) -> UInt16 {
        guard alpha > 0 else { return 0 }
        let maximum: UInt32 = isDeep ? 65535 : 255
        return UInt16(min((UInt32(value) * maximum + UInt32(alpha) / 2) / UInt32(alpha), maximum))
    }
}
