/// The rows of an image as PNG wants them before filtering: big-endian samples, or packed palette indices.
struct Scanlines {
    let pixels: Bytes
    let height: Int
    /// The bytes of one row of `pixels`.
    let inputRowBytes: Int
    /// The bytes of one row of the PNG without its filter byte.
    let rowBytes: Int
    /// The bytes from a sample to the same sample of the next pixel.
    let distance: Int
    /// Whether the samples are of 16 bits.
    let isDeep: Bool
    let palette: Palette?

    init(pixels: Bytes, format: PNGFormat, palette: Palette?) {
        self.pixels = pixels
        self.palette = palette
        height = format.height
        inputRowBytes = format.width * format.bytesPerPixel
        if let palette {
            rowBytes = (format.width * palette.bitDepth + 7) / 8
            distance = 1
        } else {
            rowBytes = inputRowBytes
            distance = format.bytesPerPixel
        }
        isDeep = format.bitDepth == .sixteen
    }

    /// The bytes of one filtered row.
    var filteredRowBytes: Int { rowBytes + 1 }

    /// Writes the filtered `rows` to `output`, which holds exactly them.
    func write(_ rows: Range<Int>, filter: RowFilter, to output: MutableBytes) {
        // Two rows where they differ from the input's: the one being filtered and the one above.
        let converts = isDeep || palette != nil
        let scratch = OutputBytes(capacity: converts ? 2 * rowBytes : 1)
        var above: Bytes? = nil
        if filter == .up, rows.lowerBound > 0 {
            above = self.row(rows.lowerBound - 1, scratch: scratch)
        }
        for row in rows {
            let current = self.row(row, scratch: scratch)
            filter.write(
                current, previous: above, distance: distance,
                to: output.part((row - rows.lowerBound) * filteredRowBytes, count: filteredRowBytes))
            above = current
        }
    }

    /// One row, in place where it can be used as it is, else converted into its half of `scratch`.
    private func row(_ index: Int, scratch: borrowing OutputBytes) -> Bytes {
        let input = pixels.part(index * inputRowBytes, count: inputRowBytes)
        guard isDeep || palette != nil else { return input }
        let output = scratch.part((index & 1) * rowBytes, count: rowBytes)
        if let palette {
            palette.pack(input, to: output)
        } else {
            Self.makeBigEndian(input, to: output)
        }
        return output.readable
    }

    private static func makeBigEndian(_ row: Bytes, to output: MutableBytes) {
        for offset in stride(from: 0, to: row.count, by: 2) {
            output.store(row.load(offset, as: UInt16.self).bigEndian, at: offset)
        }
    }
}
