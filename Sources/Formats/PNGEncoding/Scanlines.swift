/// The rows of an image in the caller's memory.
struct PixelRows {
    let bytes: UnsafeByteView
    /// The size of a row's pixels in bytes.
    let rowBytes: Int
    /// The number of bytes between the starts of two rows.
    let stride: Int
    let height: Int

    func row(_ y: Int) -> UnsafeByteView { bytes.part(y * stride, count: rowBytes) }
}

/// The rows of a PNG before filtering: big-endian samples, or packed palette indices.
struct Scanlines {
    private let pixels: PixelRows
    /// The size of a row of the PNG in bytes, without its filter byte.
    let rowBytes: Int
    /// The number of bytes between a sample and the same sample of the next pixel.
    let distance: Int
    let palette: Palette?
    private let format: PNGFormat

    init(pixels: PixelRows, format: PNGFormat, palette: Palette?) {
        self.pixels = pixels
        self.palette = palette
        self.format = format
        if let palette {
            rowBytes = (format.width * palette.bitDepth + 7) / 8
            distance = 1
        } else {
            rowBytes = pixels.rowBytes
            distance = format.bytesPerPixel
        }
    }

    var height: Int { pixels.height }

    /// Whether the rows of the PNG differ from those of the caller.
    private var isConverted: Bool {
        palette != nil || format.bitDepth == .sixteen || format.isSwapped
    }

    /// The size of a filtered row in bytes.
    var filteredRowBytes: Int { rowBytes + 1 }

    /// Writes the filtered `rows` to `output`, which has exactly their size.
    func write(_ rows: Range<Int>, filter: FilterChoice, to output: UnsafeMutableByteView) {
        // Two converted rows: the current one and the one above.
        let scratch = ByteBuffer(capacity: isConverted ? 2 * rowBytes : 1)
        let trial = ByteBuffer(capacity: filter == .leastSum ? filteredRowBytes : 1)
        var above: UnsafeByteView? = nil
        if rows.lowerBound > 0 { above = self.row(rows.lowerBound - 1, scratch: scratch) }
        for row in rows {
            let current = self.row(row, scratch: scratch)
            let target = output.part((row - rows.lowerBound) * filteredRowBytes, count: filteredRowBytes)
            switch filter {
            case .all(let filter):
                filter.write(current, previous: above, distance: distance, to: target)
            case .leastSum:
                RowFilter.writeLeastSum(
                    current, previous: above, distance: distance, to: target,
                    trial: trial.part(0, count: filteredRowBytes))
            }
            above = current
        }
    }

    /// Returns a row: the input if it needs no conversion, otherwise converted in its half of `scratch`.
    private func row(_ index: Int, scratch: borrowing ByteBuffer) -> UnsafeByteView {
        let input = pixels.row(index)
        guard isConverted else { return input }
        let output = scratch.part((index & 1) * rowBytes, count: rowBytes)
        let isDeep = format.bitDepth == .sixteen
        if let palette {
            palette.pack(input, to: output)
        } else if !format.isSwapped {
            output.setBigEndian(input)
        } else if isDeep {
            output.setSwappingRedAndBlue(input, channels: format.channels.rawValue, as: UInt16.self)
        } else {
            output.setSwappingRedAndBlue(input, channels: format.channels.rawValue, as: UInt8.self)
        }
        return output.readable
    }
}
