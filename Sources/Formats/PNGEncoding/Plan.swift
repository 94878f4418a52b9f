/// Scanlines, the filters to write them with, and the estimated size of the result.
struct Plan {
    let scanlines: Scanlines
    let filter: FilterChoice
    /// The size of the image data in bytes, including a palette's chunks, extrapolated from a sample of the rows.
    let estimate: Int

    /// Returns the plan with the filters that compress a sample of the rows best.
    static func best(
        of scanlines: Scanlines, _ level: PNGEncoder.Level
    ) throws(PNGEncodingError) -> Plan {
        let usual: [FilterChoice] = [.all(.none), .all(.sub), .all(.up)]
        return try best(
            of: scanlines, level == .small ? usual + [.all(.average), .all(.paeth), .leastSum] : usual, level)
    }

    /// Returns the plan for palette indices, whose differences mean little.
    static func best(
        ofIndexed scanlines: Scanlines, _ level: PNGEncoder.Level
    ) throws(PNGEncodingError) -> Plan {
        try best(of: scanlines, level == .small ? [.all(.none), .all(.up), .leastSum] : [.all(.none)], level)
    }

    private static func best(
        of scanlines: Scanlines, _ choices: [FilterChoice], _ level: PNGEncoder.Level
    ) throws(PNGEncodingError) -> Plan {
        // Higher levels order filters the same way.
        let compressor = level == .small ? try Compressor(number: 7) : try Compressor(level: level)
        let samples = sampledRows(of: scanlines, level)
        // There is a choice.
        return choices.map { measured(scanlines, filter: $0, samples, with: compressor) }.reduce(nil) {
            $0?.orSmaller($1) ?? $1
        }!
    }

    func orSmaller(_ other: Plan) -> Plan { other.estimate < estimate ? other : self }

    /// Returns the plan for some filters, with an estimate from compressing a sample of the rows.
    private static func measured(
        _ scanlines: Scanlines, filter: FilterChoice, _ samples: [Range<Int>],
        with compressor: borrowing Compressor
    ) -> Plan {
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

    /// Returns some adjacent rows from each quarter of the image: 1 % of a photograph, a fifth for the smallest files,
    /// or all rows of a small image.
    private static func sampledRows(of scanlines: Scanlines, _ level: PNGEncoder.Level) -> [Range<Int>] {
        let height = scanlines.height
        let size = height * scanlines.rowBytes
        if size <= 16384 || height < 32 || level == .small && size <= 1 << 20 { return [0..<height] }
        let run = level == .small ? height / 20 + 1 : max(2, min(4, height / 128))
        return (0..<4).map { quarter in
            let start = (2 * quarter + 1) * height / 8
            return start..<(start + run)
        }
    }
}
