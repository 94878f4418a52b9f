import Containers

/// Writes progressive JPEGs of random coefficients, with any sampling and any script of scans.
///
/// Source of the coding: ITU-T T.81, annex G; libjpeg, jcphuff.c.
package struct ProgressiveMaker: Sendable, CustomStringConvertible {
    /// One scan.
    package struct Scan: Sendable {
        package var components: [Int]
        package var band: ClosedRange<Int>
        package var high: Int
        package var low: Int
        package var restartInterval: Int

        package init(
            _ components: [Int], _ band: ClosedRange<Int>, _ high: Int = 0, _ low: Int = 0,
            restartInterval: Int = 0
        ) {
            self.components = components
            self.band = band
            self.high = high
            self.low = low
            self.restartInterval = restartInterval
        }
    }

    package var name: String
    package var width: Int
    package var height: Int
    package var sampling: [(Int, Int)]
    package var script: [Scan]
    package var tables: JPEGMaker.Tables
    package var adobe: UInt8?
    package var hasJFIF: Bool
    package var seed: UInt64
    /// The approximate number of coefficients in a block; below 1 most blocks are empty.
    package var density: Double
    package var hasEnd: Bool

    package init(
        name: String, width: Int = 100, height: Int = 75,
        sampling: [(Int, Int)] = [(2, 2), (1, 1), (1, 1)], script: [Scan]? = nil,
        tables: JPEGMaker.Tables = .optimized, adobe: UInt8? = nil, hasJFIF: Bool = true, seed: UInt64 = 1,
        density: Double = 6, hasEnd: Bool = true
    ) {
        self.name = name
        self.width = width
        self.height = height
        self.sampling = sampling
        self.script = script ?? Self.script(components: sampling.count)
        self.tables = tables
        self.adobe = adobe
        self.hasJFIF = hasJFIF
        self.seed = seed
        self.density = density
        self.hasEnd = hasEnd
    }

    package var description: String { "\(name) \(width)x\(height)" }

    /// A script like libjpeg's own: successive approximation in three steps.
    package static func script(components: Int, restartInterval: Int = 0) -> [Scan] {
        let all = Array(0..<components)
        var script = [Scan(all, 0...0, 0, 1), Scan([0], 1...5, 0, 2)]
        script += all.dropFirst().map { Scan([$0], 1...63, 0, 1) }
        script += [Scan([0], 6...63, 0, 2), Scan([0], 1...63, 2, 1), Scan(all, 0...0, 1, 0)]
        script += all.dropFirst().map { Scan([$0], 1...63, 1, 0) } + [Scan([0], 1...63, 1, 0)]
        return script.map {
            var scan = $0
            scan.restartInterval = restartInterval
            return scan
        }
    }

    /// Every coefficient whole: spectral selection only, with separate scans for all components.
    package static func spectralScript(components: Int, restartInterval: Int = 0) -> [Scan] {
        (0..<components).flatMap { component in
            [0...0, 1...1, 2...9, 10...63].map {
                Scan([component], $0, restartInterval: restartInterval)
            }
        }
    }

    /// Bit by bit from far up: long runs of corrections.
    package static func deepScript(components: Int) -> [Scan] {
        let all = Array(0..<components)
        var script = [Scan(all, 0...0, 0, 3)]
        for high in (1...3).reversed() { script.append(Scan(all, 0...0, high, high - 1)) }
        for component in all {
            script.append(Scan([component], 1...63, 0, 4))
            for high in (1...4).reversed() { script.append(Scan([component], 1...63, high, high - 1)) }
        }
        return script
    }

    package var file: [UInt8] {
        var output = JPEGSegment.startOfImage
        func append(_ marker: UInt8, _ body: [UInt8]) { output += JPEGSegment.bytes(marker, body) }
        if hasJFIF { append(0xE0, [0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]) }
        if let adobe { append(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, adobe]) }
        for table in 0..<2 { append(0xDB, [UInt8(table)] + (0..<64).map { UInt8(3 + table + $0 / 4) }) }
        var frame: [UInt8] = [
            8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255),
            UInt8(sampling.count),
        ]
        for (index, factors) in sampling.enumerated() {
            frame += [UInt8(index + 1), UInt8(factors.0 << 4 | factors.1), UInt8(min(index, 1))]
        }
        append(0xC2, frame)
        let coefficients = makeCoefficients()
        var interval = 0
        for scan in script {
            let symbols = ScanSymbols(scan, self, coefficients).symbols
            var codes: [[Int: (bits: Int, length: Int)]] = []
            let isDC = scan.band.lowerBound == 0
            for table in 0..<(isDC ? 2 : 1) {
                let used = symbols.filter { $0.table == table }.map(\.value)
                let (counts, values) = JPEGMaker.code(used, isDC: isDC, isDC ? tables : .optimized)
                append(
                    0xC4, [UInt8(isDC ? table : 16)] + counts.map { UInt8($0) } + values.map { UInt8($0) })
                codes.append(JPEGMaker.words(counts, values))
            }
            if scan.restartInterval != interval {
                interval = scan.restartInterval
                append(0xDD, [UInt8(interval >> 8), UInt8(interval & 255)])
            }
            var header: [UInt8] = [UInt8(scan.components.count)]
            for component in scan.components {
                header += [UInt8(component + 1), isDC && component > 0 ? 0x10 : 0]
            }
            append(
                0xDA,
                header + [
                    UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound),
                    UInt8(scan.high << 4 | scan.low),
                ])
            var bits = TestBits()
            for symbol in symbols {
                switch symbol.table {
                case -2: output += bits.flush() + [0xFF, UInt8(0xD0 + symbol.value)]
                case -1: bits.append(symbol.extra, symbol.extraLength)
                default:
                    let word = codes[symbol.table][symbol.value]!
                    bits.append(word.bits, word.length)
                    bits.append(symbol.extra, symbol.extraLength)
                }
            }
            output += bits.flush()
        }
        return hasEnd ? output + JPEGSegment.endOfImage : output
    }

    /// The blocks of each component, padded to whole MCUs, row by row.
    private func makeCoefficients() -> [[[Int]]] {
        var generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        return sampling.indices.map { component in
            let size = blocks(of: component, isInterleaved: true)
            var dc = 0
            return (0..<(size.width * size.height)).map { _ in
                var block = [Int](repeating: 0, count: 64)
                dc = max(
                    -900,
                    min(
                        900,
                        generator.below(6) == 0 ? generator.below(1801) - 900 : dc + generator.below(41) - 20)
                )
                block[0] = dc
                let most = density < 1 ? (generator.below(Int(1 / density)) == 0 ? 8 : 0) : Int(2 * density)
                let count = generator.below(40) == 0 && density >= 1 ? 63 : generator.below(most + 1)
                for _ in 0..<count {
                    let size = generator.below(30) == 0 ? 1 + generator.below(9) : 1 + generator.below(4)
                    let magnitude = 1 << (size - 1) | generator.below(1 << (size - 1))
                    let place = generator.below(3) == 0 ? 1 + generator.below(63) : 1 + generator.below(20)
                    block[place] = generator.below(2) == 0 ? magnitude : -magnitude
                }
                return block
            }
        }
    }

    /// The blocks of a component: of whole MCUs, or as scans of it alone have them.
    func blocks(of component: Int, isInterleaved: Bool) -> (width: Int, height: Int) {
        let isSingle = sampling.count == 1
        let across = isSingle ? 1 : sampling.map(\.0).max()!
        let down = isSingle ? 1 : sampling.map(\.1).max()!
        let (x, y) = isSingle ? (1, 1) : sampling[component]
        if isInterleaved {
            return (
                (width + 8 * across - 1) / (8 * across) * x, (height + 8 * down - 1) / (8 * down) * y
            )
        }
        return (
            (width * x + 8 * across - 1) / (8 * across), (height * y + 8 * down - 1) / (8 * down)
        )
    }
}

/// The symbols of one scan.
private struct ScanSymbols {
    struct Symbol {
        /// The table; -1 for bits without a code, -2 for a restart marker.
        var table: Int
        var value = 0
        var extra = 0
        var extraLength = 0
    }

    private(set) var symbols: [Symbol] = []
    private let scan: ProgressiveMaker.Scan
    private var last = [0, 0, 0, 0]
    private var run = 0
    private var corrections: [Int] = []

    init(_ scan: ProgressiveMaker.Scan, _ maker: ProgressiveMaker, _ coefficients: [[[Int]]]) {
        self.scan = scan
        let isInterleaved = scan.components.count > 1
        let whole = maker.sampling.indices.map { maker.blocks(of: $0, isInterleaved: true) }
        let isSingle = maker.sampling.count == 1
        var units: [[(component: Int, block: Int)]] = []
        if isInterleaved {
            let first = scan.components[0]
            let across = whole[first].width / maker.sampling[first].0
            let down = whole[first].height / maker.sampling[first].1
            for row in 0..<down {
                for column in 0..<across {
                    units.append(
                        scan.components.flatMap { component in
                            let (x, y) = isSingle ? (1, 1) : maker.sampling[component]
                            return (0..<(x * y)).map {
                                (component, (row * y + $0 / x) * whole[component].width + column * x + $0 % x)
                            }
                        })
                }
            }
        } else {
            let component = scan.components[0]
            let size = maker.blocks(of: component, isInterleaved: false)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    units.append([(component, row * whole[component].width + column)])
                }
            }
        }
        for (number, unit) in units.enumerated() {
            if scan.restartInterval > 0, number > 0, number % scan.restartInterval == 0 {
                endRun()
                symbols.append(Symbol(table: -2, value: (number / scan.restartInterval - 1) & 7))
                last = [0, 0, 0, 0]
            }
            for (component, block) in unit { append(coefficients[component][block], component) }
        }
        endRun()
    }

    private mutating func append(_ block: [Int], _ component: Int) {
        switch (scan.band.lowerBound, scan.high) {
        case (0, 0):
            let value = block[0] >> scan.low
            append(value - last[component], run: 0, table: min(component, 1))
            last[component] = value
        case (0, _): symbols.append(Symbol(table: -1, extra: block[0] >> scan.low & 1, extraLength: 1))
        case (_, 0): appendFirst(block)
        default: appendRefinement(block)
        }
    }

    private mutating func append(_ value: Int, run: Int, table: Int) {
        let size = Int.bitWidth - value.magnitude.leadingZeroBitCount
        symbols.append(
            Symbol(
                table: table, value: run << 4 | size, extra: value < 0 ? value - 1 + 1 << size : value,
                extraLength: size))
    }

    private mutating func appendFirst(_ block: [Int]) {
        var zeros = 0
        for coefficient in scan.band {
            let magnitude = abs(block[coefficient]) >> scan.low
            guard magnitude > 0 else {
                zeros += 1
                continue
            }
            endRun()
            while zeros > 15 {
                symbols.append(Symbol(table: 0, value: 0xF0))
                zeros -= 16
            }
            append(block[coefficient] < 0 ? -magnitude : magnitude, run: zeros, table: 0)
            zeros = 0
        }
        if zeros > 0 { continueRun() }
    }

    private mutating func appendRefinement(_ block: [Int]) {
        let magnitudes = block.map { abs($0) >> scan.low }
        let lastNew = scan.band.last { magnitudes[$0] == 1 } ?? 0
        var zeros = 0
        var own: [Int] = []
        func flushed() -> [Symbol] { own.map { Symbol(table: -1, extra: $0, extraLength: 1) } }
        for coefficient in scan.band {
            let magnitude = magnitudes[coefficient]
            guard magnitude > 0 else {
                zeros += 1
                continue
            }
            while zeros > 15, coefficient <= lastNew {
                endRun()
                symbols.append(Symbol(table: 0, value: 0xF0))
                zeros -= 16
                symbols += flushed()
                own = []
            }
            guard magnitude == 1 else {
                own.append(magnitude & 1)
                continue
            }
            endRun()
            symbols.append(
                Symbol(table: 0, value: zeros << 4 | 1, extra: block[coefficient] < 0 ? 0 : 1, extraLength: 1)
            )
            symbols += flushed()
            own = []
            zeros = 0
        }
        if zeros > 0 || !own.isEmpty {
            corrections += own
            continueRun()
        }
    }

    private mutating func continueRun() {
        run += 1
        if run == 0x7FFF || corrections.count > 900 { endRun() }
    }

    private mutating func endRun() {
        guard run > 0 else { return }
        let bits = Int.bitWidth - 1 - run.leadingZeroBitCount
        symbols.append(
            Symbol(table: 0, value: bits << 4, extra: run & (1 << bits - 1), extraLength: bits))
        symbols += corrections.map { Symbol(table: -1, extra: $0, extraLength: 1) }
        run = 0
        corrections = []
    }
}
