/// Scanlines, the filters and the compressor to write them with, and the estimated size of the result.
struct Plan {
    let scanlines: Scanlines
    let filter: FilterChoice
    let method: Compressor.Method
    /// The size of the image data in bytes, including a palette's chunks, extrapolated from a sample of the rows.
    let estimate: Int

    /// Returns the plan for rows that are not compressed.
    static func stored(_ scanlines: Scanlines) -> Plan {
        Plan(scanlines: scanlines, filter: .all(.none), method: .libdeflate(0), estimate: .max)
    }

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
        let samples = sampledRows(of: scanlines, level)
        switch level {
        case .fast: return try best(of: scanlines, choices, samples, .runs)
        case .store: return .stored(scanlines)
        // Level 7 orders filters as level 12 does.
        case .small:
            return try best(of: scanlines, choices, samples, .libdeflate(7)).with(.libdeflate(12))
        case .standard: return try best(of: scanlines, choices, samples, .libdeflate(1))
        }
    }

    private static func best(
        of scanlines: Scanlines, _ choices: [FilterChoice], _ samples: [Range<Int>],
        _ method: Compressor.Method
    ) throws(PNGEncodingError) -> Plan {
        let compressor = try Compressor(method)
        // There is a choice.
        return choices.map { measured(scanlines, filter: $0, samples, with: compressor) }.reduce(nil) {
            $0?.orSmaller($1) ?? $1
        }!
    }

    /// Returns the plan with ISA-L in the place of libdeflate where the image is not small and becomes at most a twelfth
    /// larger: most photographs do, but flat colors, gradients and repetitions become up to twice as large.
    func preferringISAL() throws(PNGEncodingError) -> Plan {
        guard method == .libdeflate(1), scanlines.height * scanlines.rowBytes > Self.smallSize else {
            return self
        }
        let samples = Self.sampledRows(of: scanlines, .standard)
        let other = try Self.best(of: scanlines, [filter], samples, .isal)
        return other.estimate <= estimate + estimate / 12 ? other : self
    }

    func orSmaller(_ other: Plan) -> Plan { other.estimate < estimate ? other : self }

    private func with(_ method: Compressor.Method) -> Plan {
        Plan(scanlines: scanlines, filter: filter, method: method, estimate: estimate)
    }

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
            scanlines: scanlines, filter: filter, method: compressor.method,
            estimate: scaled + (scanlines.palette?.chunkBytes ?? 0))
    }

    /// The bytes of rows of small images, which are not sampled, and take no time by libdeflate.
    private static let smallSize = 1 << 14

    /// Returns some adjacent rows from each quarter of the image: 1 % of a photograph, a fifth for the smallest files,
    /// or all rows of a small image.
    private static func sampledRows(of scanlines: Scanlines, _ level: PNGEncoder.Level) -> [Range<Int>] {
        let height = scanlines.height
        let size = height * scanlines.rowBytes
        if size <= smallSize || height < 32 || level == .small && size <= 1 << 20 { return [0..<height] }
        let run = level == .small ? height / 20 + 1 : max(2, min(4, height / 128))
        return (0..<4).map { quarter in
            let start = (2 * quarter + 1) * height / 8
            return start..<(start + run)
        }
    }
}
