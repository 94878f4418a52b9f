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
