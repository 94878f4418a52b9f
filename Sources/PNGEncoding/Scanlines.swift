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

/// How each byte of a row is predicted; the raw value is the byte that PNG writes before the row.
///
/// Only the three whose prediction is one byte subtracted: they run at memory speed, and compression
/// gains little from the others on photographs.
enum RowFilter: UInt8, CaseIterable {
    case none = 0
    case sub = 1
    case up = 2
}

extension RowFilter {
    /// Writes the filter's own byte and `row` less its prediction to `output`.
    ///
    /// `previous` is the row above, of the same length, nil for the first row; `distance` is the bytes from
    /// a sample to the same sample of the pixel on the left.
    @inline(__always)
    func write(_ row: Bytes, previous: Bytes?, distance: Int, to output: MutableBytes) {
        output[0] = rawValue
        switch self {
        case .none:
            output.copy(row, at: 1)
        case .sub:
            let first = min(distance, row.count)
            output.copy(row.part(0, count: first), at: 1)
            let rest = row.count - first
            Self.subtract(
                row.part(0, count: rest), from: row.part(first, count: rest),
                to: output.part(1 + first, count: rest))
        case .up:
            if let previous {
                Self.subtract(previous, from: row, to: output.part(1, count: row.count))
            } else {
                output.copy(row, at: 1)
            }
        }
    }

    /// `row` less `prediction`, byte by byte with wrap-around.
    @inline(never)
    private static func subtract(_ prediction: Bytes, from row: Bytes, to output: MutableBytes) {
        let count = row.count
        var index = 0
        while index &+ 32 <= count {
            let value =
                row.load(index, as: SIMD32<UInt8>.self) &- prediction.load(index, as: SIMD32<UInt8>.self)
            output.store(value, at: index)
            index &+= 32
        }
        while index < count {
            output[index] = row[index] &- prediction[index]
            index &+= 1
        }
    }
}

/// Which scanlines to write with which filter, and the size it was measured to give.
struct Plan {
    let scanlines: Scanlines
    let filter: RowFilter
    /// Bytes of the whole file's image data, scaled up from the sample; includes a palette's chunks.
    let estimate: Int

    /// The filter that makes a few sampled rows smallest.
    static func best(of scanlines: Scanlines, with compressor: borrowing Compressor) -> Plan {
        var best = measured(scanlines, filter: .none, with: compressor)
        for filter in [RowFilter.sub, .up] {
            best = best.orSmaller(measured(scanlines, filter: filter, with: compressor))
        }
        return best
    }

    func orSmaller(_ other: Plan) -> Plan { other.estimate < estimate ? other : self }

    /// Compresses the sampled rows with one filter.
    static func measured(
        _ scanlines: Scanlines, filter: RowFilter, with compressor: borrowing Compressor
    ) -> Plan {
        let samples = sampledRows(of: scanlines)
        let count = samples.reduce(0) { $0 + $1.count }
        let filtered = OutputBytes(capacity: count * scanlines.filteredRowBytes)
        var offset = 0
        for rows in samples {
            let bytes = rows.count * scanlines.filteredRowBytes
            scanlines.write(rows, filter: filter, to: filtered.part(offset, count: bytes))
            offset += bytes
        }
        let compressed = OutputBytes(capacity: compressor.bound(offset))
        let size = compressor.compress(
            filtered.part(0, count: offset).readable, to: compressed.part(0, count: compressed.capacity))
        let scaled = Int(Double(size) * Double(scanlines.height) / Double(count))
        return Plan(
            scanlines: scanlines, filter: filter,
            estimate: scaled + (scanlines.palette?.chunkBytes ?? 0))
    }

    /// A few neighboring rows from each quarter of the image: 1 % of a photograph; all rows of a small image.
    private static func sampledRows(of scanlines: Scanlines) -> [Range<Int>] {
        let height = scanlines.height
        if height * scanlines.rowBytes <= 16384 || height < 32 { return [0..<height] }
        let run = max(2, min(4, height / 128))
        return (0..<4).map { quarter in
            let start = (2 * quarter + 1) * height / 8
            return start..<(start + run)
        }
    }
}
