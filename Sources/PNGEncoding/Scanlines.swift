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
    func write(_ rows: Range<Int>, filter: RowFilter, to output: UnsafeMutableByteView) {
        // Two converted rows: the current one and the one above.
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

/// The prediction of the bytes of a row; the raw value is the filter byte of PNG.
///
/// Only the three filters that predict from at most one byte. They run at memory speed, and the others improve the
/// compression of photographs only a little.
enum RowFilter: UInt8, CaseIterable {
    case none = 0
    case sub = 1
    case up = 2
}

extension RowFilter {
    /// Writes the filter byte, and `row` minus its prediction, to `output`.
    ///
    /// - Parameters:
    ///   - previous: The row above, of the same length; nil for the first row.
    ///   - distance: The number of bytes between a sample and the same sample of the previous pixel.
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

/// Scanlines, the filter to write them with, and the estimated size of the result.
struct Plan {
    let scanlines: Scanlines
    let filter: RowFilter
    /// The size of the image data in bytes, including a palette's chunks, extrapolated from a sample of the rows.
    let estimate: Int

    /// Returns the plan with the filter that compresses a sample of the rows best.
    static func best(of scanlines: Scanlines, with compressor: borrowing Compressor) -> Plan {
        var best = measured(scanlines, filter: .none, with: compressor)
        for filter in [RowFilter.sub, .up] {
            best = best.orSmaller(measured(scanlines, filter: filter, with: compressor))
        }
        return best
    }

    func orSmaller(_ other: Plan) -> Plan { other.estimate < estimate ? other : self }

    /// Returns the plan for one filter, with an estimate from compressing a sample of the rows.
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

    /// Returns a few adjacent rows from each quarter of the image: 1 % of a photograph, or all rows of a small image.
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
