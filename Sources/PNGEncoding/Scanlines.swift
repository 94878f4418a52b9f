/// The rows of an image in the caller's memory.
struct PixelRows {
    let bytes: UnsafeByteView
    /// The bytes of the pixels of a row.
    let rowBytes: Int
    /// The bytes from one row to the next.
    let stride: Int
    let height: Int

    func row(_ y: Int) -> UnsafeByteView { bytes.part(y * stride, count: rowBytes) }
}

/// The rows of an image as PNG has them before filtering: big-endian samples, or packed palette indices.
struct Scanlines {
    private let pixels: PixelRows
    /// The bytes of one row of the PNG without its filter byte.
    let rowBytes: Int
    /// The bytes from a sample to the same sample of the next pixel.
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

    /// Whether PNG's rows differ from those of the caller.
    private var isConverted: Bool {
        palette != nil || format.bitDepth == .sixteen || format.isSwapped
    }

    /// The bytes of one filtered row.
    var filteredRowBytes: Int { rowBytes + 1 }

    /// Writes the filtered `rows` to `output`, which holds exactly them.
    func write(_ rows: Range<Int>, filter: RowFilter, to output: UnsafeMutableByteView) {
        // Two rows where they differ from the input's: the one being filtered and the one above.
        let scratch = ByteBuffer(capacity: isConverted ? 2 * rowBytes : 1)
        var above: UnsafeByteView? = nil
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
    func write(
        _ row: UnsafeByteView, previous: UnsafeByteView?, distance: Int, to output: UnsafeMutableByteView
    ) {
        output[0] = rawValue
        switch self {
        case .none:
            output.copy(row, at: 1)
        case .sub:
            let first = min(distance, row.count)
            output.copy(row.part(0, count: first), at: 1)
            let rest = row.count - first
            output.part(1 + first, count: rest).setDifference(
                of: row.part(first, count: rest), and: row.part(0, count: rest))
        case .up:
            if let previous {
                output.part(1, count: row.count).setDifference(of: row, and: previous)
            } else {
                output.copy(row, at: 1)
            }
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
        let filtered = ByteBuffer(capacity: count * scanlines.filteredRowBytes)
        var offset = 0
        for rows in samples {
            let bytes = rows.count * scanlines.filteredRowBytes
            scanlines.write(rows, filter: filter, to: filtered.part(offset, count: bytes))
            offset += bytes
        }
        let compressed = ByteBuffer(capacity: compressor.bound(offset))
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
