/// Turns stored rows into pixels: bytes or native 16-bit integers, palettes as RGB, tRNS as alpha.
struct PixelExpansion {
    private let header: PNGHeader
    /// The pixels of palette entries, each `bands` bytes; entries that the palette lacks are opaque black.
    private let colors: [UInt8]
    /// The transparent color, as stored samples.
    private let transparent: [UInt16]?

    init(_ header: PNGHeader) {
        self.header = header
        let alpha = header.transparency ?? []
        let palette = header.palette
        let bands = header.bands
        colors =
            header.colorType != .palette
            ? []
            : (0..<256).flatMap { entry -> [UInt8] in
                let color =
                    3 * entry < palette.count ? Array(palette[(3 * entry)..<(3 * entry + 3)]) : [0, 0, 0]
                return bands == 3 ? color : color + [entry < alpha.count ? alpha[entry] : 255]
            }
        // libpng compares as many bits as samples have.
        let mask = UInt16(truncatingIfNeeded: 1 << header.bitDepth - 1)
        transparent =
            header.colorType == .palette || header.transparency == nil
            ? nil
            : stride(from: 0, to: alpha.count - 1, by: 2).map {
                (UInt16(alpha[$0]) << 8 | UInt16(alpha[$0 + 1])) & mask
            }
    }

    /// Whether pixels are the stored bytes.
    var isIdentity: Bool { header.bitDepth == 8 && header.colorType != .palette && transparent == nil }

    /// Writes the pixels of some columns.
    ///
    /// - Parameters:
    ///   - row: The stored row, reconstructed up to the last of the columns.
    ///   - output: Has room for `pixelBytes` of each column.
    func write(_ row: UnsafeRawPointer, columns: Range<Int>, to output: UnsafeMutableRawPointer) {
        // All offsets are inside of the stored row or of the output, by the numbers of the header.
        if header.colorType == .palette {
            unsafe writePalette(row, columns, output)
        } else if header.bitDepth == 16 {
            unsafe writeDeep(row, columns, output)
        } else if let transparent {
            unsafe writeTransparent(row, columns, transparent, output)
        } else if header.bitDepth < 8 {
            unsafe writeGray(row, columns, output)
        } else {
            unsafe output.copyMemory(
                from: row + columns.lowerBound * header.pixelBytes,
                byteCount: columns.count * header.pixelBytes)
        }
    }

    /// Returns a sample of fewer than eight bits, or of eight.
    @inline(__always)
    private func sample(_ row: UnsafeRawPointer, _ column: Int) -> Int {
        let depth = header.bitDepth
        let bit = column &* depth
        // The leftmost sample is in the highest bits.
        let byte = unsafe Int(row.load(fromByteOffset: bit &>> 3, as: UInt8.self))
        return byte &>> (8 &- depth &- bit & 7) & (1 &<< depth &- 1)
    }

    private func writePalette(
        _ row: UnsafeRawPointer, _ columns: Range<Int>, _ output: UnsafeMutableRawPointer
    ) {
        let bands = header.bands
        // 256 entries: samples have at most eight bits.
        unsafe colors.withUnsafeBytes { colors in
            var target = unsafe output
            for column in columns {
                let entry = unsafe sample(row, column) &* bands
                for band in 0..<bands {
                    unsafe target.storeBytes(of: colors[entry &+ band], toByteOffset: band, as: UInt8.self)
                }
                unsafe target += bands
            }
        }
    }

    private func writeGray(
        _ row: UnsafeRawPointer, _ columns: Range<Int>, _ output: UnsafeMutableRawPointer
    ) {
        let scale = 255 / (1 << header.bitDepth - 1)
        for (index, column) in columns.enumerated() {
            unsafe output.storeBytes(
                of: UInt8(truncatingIfNeeded: sample(row, column) &* scale), toByteOffset: index,
                as: UInt8.self)
        }
    }

    /// Gray of at most eight bits, or RGB of eight, with a transparent color.
    private func writeTransparent(
        _ row: UnsafeRawPointer, _ columns: Range<Int>, _ transparent: [UInt16],
        _ output: UnsafeMutableRawPointer
    ) {
        let channels = header.colorType.channels
        let scale = header.bitDepth == 8 ? 1 : 255 / (1 << header.bitDepth - 1)
        var target = unsafe output
        for column in columns {
            var isTransparent = true
            for channel in 0..<channels {
                let value = unsafe sample(row, column &* channels &+ channel)
                isTransparent = isTransparent && value == Int(transparent[channel])
                unsafe target.storeBytes(
                    of: UInt8(truncatingIfNeeded: value &* scale), toByteOffset: channel, as: UInt8.self)
            }
            unsafe target.storeBytes(of: isTransparent ? 0 : 255, toByteOffset: channels, as: UInt8.self)
            unsafe target += channels + 1
        }
    }

    private func writeDeep(
        _ row: UnsafeRawPointer, _ columns: Range<Int>, _ output: UnsafeMutableRawPointer
    ) {
        let channels = header.colorType.channels
        var source = unsafe row + columns.lowerBound * channels * 2
        var target = unsafe output
        for _ in columns {
            var isTransparent = transparent != nil
            for channel in 0..<channels {
                let value = unsafe UInt16(
                    bigEndian: source.loadUnaligned(fromByteOffset: 2 &* channel, as: UInt16.self))
                if let transparent { isTransparent = isTransparent && value == transparent[channel] }
                unsafe target.storeBytes(of: value, toByteOffset: 2 &* channel, as: UInt16.self)
            }
            unsafe source += 2 * channels
            unsafe target += 2 * channels
            guard transparent != nil else { continue }
            unsafe target.storeBytes(of: isTransparent ? 0 : .max, as: UInt16.self)
            unsafe target += 2
        }
    }
}
