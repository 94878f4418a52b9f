import Containers

/// Writes JPEGs of random coefficients, with any sampling, tables and restart interval.
///
/// The pixels are meaningless, but use all features of the format: runs of zeros, blocks without an end code, codes
/// of 16 bits, large DC differences.
package struct JPEGMaker: Sendable, CustomStringConvertible {
    package enum Tables: Sendable, CaseIterable {
        /// A code for every symbol.
        case complete
        /// Only the symbols that occur, with nearly equal lengths.
        case optimized
        /// Only the symbols that occur: some very short, most of 16 bits.
        case steep
    }

    package var name: String
    package var width: Int
    package var height: Int
    package var sampling: [(Int, Int)]
    package var ids: [UInt8]
    package var restartInterval: Int
    package var tables: Tables
    package var isWide: Bool
    package var frameMarker: UInt8
    package var adobe: UInt8?
    package var hasJFIF: Bool
    package var seed: UInt64
    /// Whether there is a segment of EXIF that cannot be parsed.
    package var hasBrokenExif = true
    /// The approximate number of coefficients in a block.
    package var density: Int

    package init(
        name: String, width: Int = 100, height: Int = 75,
        sampling: [(Int, Int)] = [(2, 2), (1, 1), (1, 1)], ids: [UInt8] = [1, 2, 3, 4],
        restartInterval: Int = 0, tables: Tables = .complete, isWide: Bool = false,
        frameMarker: UInt8 = 0xC0, adobe: UInt8? = nil, hasJFIF: Bool = true, seed: UInt64 = 1,
        density: Int = 8
    ) {
        self.name = name
        self.width = width
        self.height = height
        self.sampling = sampling
        self.ids = ids
        self.restartInterval = restartInterval
        self.tables = tables
        self.isWide = isWide
        self.frameMarker = frameMarker
        self.adobe = adobe
        self.hasJFIF = hasJFIF
        self.seed = seed
        self.density = density
    }

    package var description: String { "\(name) \(width)x\(height) \(tables)" }

    package var file: [UInt8] {
        var generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let symbols = makeSymbols(&generator)
        var codes: [[Int: (bits: Int, length: Int)]] = []
        var output = JPEGSegment.startOfImage
        func append(_ marker: UInt8, _ body: [UInt8]) { output += JPEGSegment.bytes(marker, body) }
        if hasJFIF { append(0xE0, [0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]) }
        if hasBrokenExif { append(0xE1, Array("Exif\0\0 not really".utf8)) }
        if let adobe { append(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, adobe]) }
        for table in 0..<2 {
            let values = (0..<64).map { 3 + table + $0 * (isWide && $0 > 40 ? 40 : 1) }
            append(
                0xDB,
                [UInt8(table | (isWide ? 16 : 0))]
                    + values.flatMap { isWide ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] })
        }
        var frame: [UInt8] = [
            8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255),
            UInt8(sampling.count),
        ]
        for (index, factors) in sampling.enumerated() {
            frame += [ids[index], UInt8(factors.0 << 4 | factors.1), UInt8(min(index, 1))]
        }
        append(frameMarker, frame)
        for table in 0..<4 {
            let used = symbols.filter { $0.table == table }.map(\.value)
            let (counts, values) = Self.code(used, isDC: table < 2, tables)
            append(
                0xC4,
                [UInt8((table >> 1) << 4 | table & 1)] + counts.map { UInt8($0) } + values.map { UInt8($0) })
            codes.append(Self.words(counts, values))
        }
        if restartInterval > 0 { append(0xDD, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)]) }
        var scan: [UInt8] = [UInt8(sampling.count)]
        for index in sampling.indices { scan += [ids[index], index == 0 ? 0 : 0x11] }
        append(0xDA, scan + [0, 63, 0])
        var bits = TestBits()
        for symbol in symbols {
            if symbol.table < 0 {
                output += bits.flush() + [0xFF, UInt8(0xD0 + symbol.value)]
                continue
            }
            let word = codes[symbol.table][symbol.value]!
            bits.append(word.bits, word.length)
            bits.append(symbol.extra, symbol.extraLength)
        }
        return output + bits.flush() + JPEGSegment.endOfImage
    }

    private struct Symbol {
        /// The table: 0 and 1 for DC, 2 and 3 for AC, -1 for a restart marker.
        var table: Int
        var value: Int
        var extra = 0
        var extraLength = 0
    }

    private func makeSymbols(_ generator: inout Xorshift) -> [Symbol] {
        var result: [Symbol] = []
        let isInterleaved = sampling.count > 1
        let across = isInterleaved ? sampling.map(\.0).max()! : 1
        let down = isInterleaved ? sampling.map(\.1).max()! : 1
        let count = ((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down))
        var last = [Int](repeating: 0, count: sampling.count)
        for mcu in 0..<count {
            if restartInterval > 0, mcu > 0, mcu % restartInterval == 0 {
                result.append(Symbol(table: -1, value: (mcu / restartInterval - 1) & 7))
                last = last.map { _ in 0 }
            }
            for (index, factors) in sampling.enumerated() {
                for _ in 0..<(isInterleaved ? factors.0 * factors.1 : 1) {
                    let value =
                        generator.below(6) == 0
                        ? generator.below(401) - 200 : last[index] + generator.below(13) - 6
                    let dc = max(-250, min(250, value))
                    result.append(Self.coded(dc - last[index], run: 0, table: min(index, 1)))
                    last[index] = dc
                    appendCoefficients(&result, table: 2 + min(index, 1), &generator)
                }
            }
        }
        return result
    }

    private func appendCoefficients(_ result: inout [Symbol], table: Int, _ generator: inout Xorshift) {
        let count = generator.below(40) == 0 ? 63 : generator.below(2 * density)
        var position = 1
        for _ in 0..<count where position < 64 {
            var run = generator.below(7) == 0 ? generator.below(40) : count == 63 ? 0 : generator.below(3)
            run = min(run, 63 - position)
            position += run + 1
            while run >= 16 {
                result.append(Symbol(table: table, value: 0xF0))
                run -= 16
            }
            let size = generator.below(50) == 0 ? 1 + generator.below(10) : 1 + generator.below(3)
            let magnitude = 1 << (size - 1) | generator.below(1 << (size - 1))
            result.append(
                Self.coded(generator.below(2) == 0 ? magnitude : -magnitude, run: run, table: table))
        }
        if position < 64 { result.append(Symbol(table: table, value: 0)) }
    }

    private static func coded(_ value: Int, run: Int, table: Int) -> Symbol {
        let size = Int.bitWidth - value.magnitude.leadingZeroBitCount
        return Symbol(
            table: table, value: run << 4 | size, extra: value < 0 ? value - 1 + 1 << size : value,
            extraLength: size)
    }

    /// Returns the number of codes of each length, and the symbols in order.
    static func code(_ used: [Int], isDC: Bool, _ tables: Tables) -> (counts: [Int], values: [Int]) {
        var frequency: [Int: Int] = [:]
        for value in used { frequency[value, default: 0] += 1 }
        if tables == .complete {
            let all =
                isDC ? Array(0...11) : [0, 0xF0] + (0..<16).flatMap { run in (1...10).map { run << 4 | $0 } }
            for value in all { frequency[value, default: 0] += 1 }
        }
        if frequency.isEmpty { frequency[0] = 1 }
        let values = frequency.keys.sorted { (frequency[$0]!, $1) > (frequency[$1]!, $0) }
        var counts = [Int](repeating: 0, count: 16)
        var rest = values.count
        if tables != .optimized {
            // One code of each short length; the others are much longer.
            for length in (tables == .steep ? 1 : 3)...(tables == .steep ? 7 : 5) where rest > 1 {
                counts[length - 1] = 1
                rest -= 1
            }
        }
        let space = 1 - counts.enumerated().reduce(0.0) { $0 + Double($1.1) / Double(1 << ($1.0 + 1)) }
        let shortest = (1...16).first { Double(rest + 1) <= space * Double(1 << $0) }!
        counts[(tables == .steep && rest > 1 ? 16 : shortest) - 1] += rest
        return (counts, values)
    }

    static func words(_ counts: [Int], _ values: [Int]) -> [Int: (bits: Int, length: Int)] {
        var result: [Int: (bits: Int, length: Int)] = [:]
        var code = 0
        var next = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                result[values[next]] = (code, index + 1)
                code += 1
                next += 1
            }
            code <<= 1
        }
        return result
    }
}

/// Collects codes and stuffs bytes as JPEG requires.
struct TestBits {
    private var bytes: [UInt8] = []
    private var buffer: UInt64 = 0
    private var used = 0

    mutating func append(_ value: Int, _ count: Int) {
        buffer = buffer << UInt64(count) | UInt64(value) & (1 << UInt64(count) - 1)
        used += count
        while used >= 8 {
            used -= 8
            let byte = UInt8(truncatingIfNeeded: buffer >> UInt64(used))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
    }

    /// Pads with 1 bits and returns all bytes.
    mutating func flush() -> [UInt8] {
        if used > 0 { append(0xFF, 8 - used) }
        defer { bytes = [] }
        return bytes
    }
}
