/// The colors of an image that has at most 256 of them, and the index of each.
///
/// Colors that are not opaque come first, so that the transparency chunk stays short; apart from that they
/// stand in the order of their first pixels.
struct Palette {
    /// 0xAABBGGRR.
    let colors: [UInt32]
    /// How many of `colors` are not opaque.
    let translucentCount: Int
    private let table: ColorTable
    private let bytesPerPixel: Int

    /// The bits of one index: 1, 2, 4 or 8.
    let bitDepth: Int

    /// Nil where the image is not RGB or RGBA of 8 bits, or has more than 256 colors.
    ///
    /// A photograph is ruled out after a few hundred pixels.
    init?(_ pixels: Bytes, format: PNGFormat) {
        guard format.bitDepth == .eight, format.channels == .rgb || format.channels == .rgba else {
            return nil
        }
        let bytesPerPixel = format.bytesPerPixel
        let count = format.width * format.height
        // A coarse look over the whole image first: skies at the top must not cost a full pass.
        guard
            ColorTable(pixels, bytesPerPixel: bytesPerPixel, count: count, step: max(1, count / 4093)) != nil,
            let found = ColorTable(pixels, bytesPerPixel: bytesPerPixel, count: count, step: 1)
        else { return nil }
        colors = found.colors.filter { $0 >> 24 != 255 } + found.colors.filter { $0 >> 24 == 255 }
        translucentCount = colors.count { $0 >> 24 != 255 }
        table = found.renumbered(colors)
        self.bytesPerPixel = bytesPerPixel
        bitDepth =
            switch colors.count {
            case ...2: 1
            case ...4: 2
            case ...16: 4
            default: 8
            }
    }

    /// The bytes that the palette's chunks add to a file.
    var chunkBytes: Int {
        12 + 3 * colors.count + (translucentCount > 0 ? 12 + translucentCount : 0)
    }

    /// Writes the indices of a row of pixels, the leftmost in the highest bits.
    func pack(_ row: Bytes, to output: MutableBytes) {
        var last = colors[0]
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
