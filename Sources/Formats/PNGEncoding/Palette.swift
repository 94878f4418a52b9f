/// The palette of an image with at most 256 colors.
///
/// Colors that are not opaque come first, which keeps the transparency chunk short. Otherwise colors are in the order
/// of their first pixels.
struct Palette {
    /// As 0xAABBGGRR.
    let colors: [UInt32]
    /// The number of `colors` that are not opaque.
    let translucentCount: Int
    private let table: ColorTable
    private let bytesPerPixel: Int
    /// The color, in the sample order of the image, with which rows are most likely to begin.
    private let first: UInt32

    /// The number of bits per index: 1, 2, 4 or 8.
    let bitDepth: Int

    /// Returns nil unless the image is RGB or RGBA with 8 bits and has at most 256 colors.
    ///
    /// Photographs are rejected after a few hundred pixels.
    init?(_ pixels: PixelRows, format: PNGFormat) {
        guard format.bitDepth == .eight, format.channels == .rgb || format.channels == .rgba else {
            return nil
        }
        let bytesPerPixel = format.bytesPerPixel
        let count = format.width * format.height
        // Samples the whole image first, so that photographs with a uniform top do not cost a full pass.
        let sampled = ColorTable(
            pixels, bytesPerPixel: bytesPerPixel, width: format.width, step: max(1, count / 4093))
        guard sampled != nil,
            let found = ColorTable(pixels, bytesPerPixel: bytesPerPixel, width: format.width, step: 1)
        else { return nil }
        let order = found.colors.filter { $0 >> 24 != 255 } + found.colors.filter { $0 >> 24 == 255 }
        first = order[0]
        translucentCount = order.count { $0 >> 24 != 255 }
        table = found.renumbered(order)
        colors = format.sampleOrder == .bgr ? order.map(Self.swappingRedAndBlue) : order
        self.bytesPerPixel = bytesPerPixel
        bitDepth =
            switch colors.count {
            case ...2: 1
            case ...4: 2
            case ...16: 4
            default: 8
            }
    }

    /// The size of the palette's chunks in bytes.
    var chunkBytes: Int {
        12 + 3 * colors.count + (translucentCount > 0 ? 12 + translucentCount : 0)
    }

    private static func swappingRedAndBlue(_ color: UInt32) -> UInt32 {
        color & 0xFF00_FF00 | color >> 16 & 0xFF | (color & 0xFF) << 16
    }

    /// Writes the palette indices of a row of pixels, the leftmost in the highest bits.
    func pack(_ row: UnsafeByteView, to output: UnsafeMutableByteView) {
        var last = first
        var lastIndex = UInt8(0)
        var bits = 0
        var byte = UInt8(0)
        var position = 0
        for offset in stride(from: 0, to: row.count, by: bytesPerPixel) {
            let color = ColorTable.color(row, offset, bytesPerPixel)
            if color != last {
                last = color
                lastIndex = table.index(of: color)
            }
            byte = bitDepth == 8 ? lastIndex : byte << UInt8(bitDepth) | lastIndex
            bits += bitDepth
            if bits == 8 {
                output[position] = byte
                position += 1
                bits = 0
                byte = 0
            }
        }
        if bits > 0 { output[position] = byte << UInt8(8 - bits) }
    }
}

/// A hash table of at most 256 colors.
private struct ColorTable {
    private(set) var colors: [UInt32] = []
    /// The index into `colors` plus 1; 0 for a free slot.
    private var slots = [UInt16](repeating: 0, count: 1024)

    /// Collects the colors of every `step`-th pixel; returns nil if there are more than 256.
    init?(_ pixels: PixelRows, bytesPerPixel: Int, width: Int, step: Int) {
        colors.reserveCapacity(256)
        var last = Self.color(pixels.bytes, 0, bytesPerPixel)
        insert(last)
        if step == 1 {
            for y in 0..<pixels.height {
                let row = pixels.row(y)
                for offset in stride(from: 0, to: row.count, by: bytesPerPixel) {
                    let color = Self.color(row, offset, bytesPerPixel)
                    if color == last { continue }
                    last = color
                    guard insert(color) else { return nil }
                }
            }
            return
        }
        for pixel in stride(from: step, to: width * pixels.height, by: step) {
            let offset = pixel / width * pixels.stride + pixel % width * bytesPerPixel
            guard insert(Self.color(pixels.bytes, offset, bytesPerPixel)) else { return nil }
        }
    }

    /// Returns a table of the same colors in another order.
    func renumbered(_ order: [UInt32]) -> ColorTable {
        var result = self
        result.colors = []
        result.slots = [UInt16](repeating: 0, count: slots.count)
        for color in order { result.insert(color) }
        return result
    }

    /// Returns the little-endian pixel at a byte offset; opaque if there is no alpha.
    @inline(__always)
    static func color(_ pixels: UnsafeByteView, _ offset: Int, _ bytesPerPixel: Int) -> UInt32 {
        if bytesPerPixel == 4 { return UInt32(littleEndian: pixels.load(offset, as: UInt32.self)) }
        return pixels.littleEndian24(offset) | 0xFF00_0000
    }

    /// Returns the index of a color, which must be in the table.
    @inline(__always)
    func index(of color: UInt32) -> UInt8 {
        var slot = Self.hash(color)
        while colors[Int(slots[slot]) - 1] != color { slot = (slot + 1) & 1023 }
        return UInt8(slots[slot] - 1)
    }

    /// Adds a color unless it is in the table; returns false if it would be the 257th.
    @discardableResult
    private mutating func insert(_ color: UInt32) -> Bool {
        var slot = Self.hash(color)
        while slots[slot] != 0 {
            if colors[Int(slots[slot]) - 1] == color { return true }
            slot = (slot + 1) & 1023
        }
        guard colors.count < 256 else { return false }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return true
    }

    @inline(__always)
    private static func hash(_ color: UInt32) -> Int { Int((color &* 0x9E37_79B1) >> 22) }
}
