/// The coefficients of a baseline JPEG, decoded as the standard describes it, bit by bit.
///
/// Independent of JPEGIndexing, whose results it checks. Source: ITU-T T.81, annex F.
package struct Coefficients: Equatable {
    /// One component of the frame.
    package struct Component: Equatable {
        package var across: Int
        package var down: Int
        /// The blocks of a row, up to a whole MCU.
        package var columns = 0
        /// The 64 coefficients of each block in zigzag order, row by row.
        package var blocks: [[Int]] = []
    }

    package private(set) var width = 0
    package private(set) var height = 0
    package private(set) var components: [Component] = []

    private var tables = [Table](repeating: Table(), count: 32)
    private var codes: [(dc: Int, ac: Int)] = []
    private var restartInterval = 0

    /// Returns nil where the data is broken, or not baseline with one scan.
    package init?(_ file: [UInt8]) {
        var at = 2
        while at + 4 <= file.count {
            let (marker, length) = (file[at + 1], Int(file[at + 2]) << 8 | Int(file[at + 3]))
            let body = Array(file[(at + 4)..<(at + 2 + length)])
            at += 2 + length
            switch marker {
            case 0xC0, 0xC1: readFrame(body)
            case 0xC4: readCodes(body)
            case 0xDD: restartInterval = Int(body[0]) << 8 | Int(body[1])
            case 0xDA:
                codes = (0..<Int(body[0])).map { index -> (Int, Int) in
                    let both = Int(body[2 + 2 * index])
                    return (both >> 4, both & 15)
                }
                guard codes.count == components.count, readScan(Array(file[at...])) else { return nil }
                (tables, codes, restartInterval) = ([], [], 0)
                return
            default: break
            }
        }
        return nil
    }

    package static func == (a: Self, b: Self) -> Bool {
        (a.width, a.height) == (b.width, b.height) && a.components == b.components
    }

    private mutating func readFrame(_ body: [UInt8]) {
        height = Int(body[1]) << 8 | Int(body[2])
        width = Int(body[3]) << 8 | Int(body[4])
        components = (0..<Int(body[5])).map {
            let factors = Int(body[7 + 3 * $0])
            return body[5] == 1
                ? Component(across: 1, down: 1) : Component(across: factors >> 4, down: factors & 15)
        }
    }

    private mutating func readCodes(_ body: [UInt8]) {
        var at = 0
        while at < body.count {
            var (code, table) = (0, Table())
            for length in 1...16 {
                let count = Int(body[at + length])
                table.ranges.append((code, table.values.count, count))
                table.values += body[(at + 17 + table.values.count)...].prefix(count)
                code = (code + count) << 1
            }
            tables[Int(body[at])] = table
            at += 17 + table.values.count
        }
    }

    /// The codes of each length: the first, the number of its value, and how many there are.
    private struct Table {
        var ranges: [(first: Int, value: Int, count: Int)] = []
        var values: [UInt8] = []
    }

    private mutating func readScan(_ data: [UInt8]) -> Bool {
        let (across, down) = (components.map(\.across).max()!, components.map(\.down).max()!)
        let columns = (width + 8 * across - 1) / (8 * across)
        let rows = (height + 8 * down - 1) / (8 * down)
        for index in components.indices {
            components[index].columns = columns * components[index].across
            let count = components[index].columns * rows * components[index].down
            components[index].blocks = [[Int]](repeating: [], count: count)
        }
        var bits = Bits(data)
        var last = [Int](repeating: 0, count: components.count)
        for mcu in 0..<(columns * rows) {
            if restartInterval > 0, mcu > 0, mcu % restartInterval == 0 {
                guard bits.passMarker() else { return false }
                last = last.map { _ in 0 }
            }
            for index in components.indices {
                let component = components[index]
                for part in 0..<(component.across * component.down) {
                    guard let block = readBlock(&bits, codes[index], &last[index]) else { return false }
                    let x = mcu % columns * component.across + part % component.across
                    let y = mcu / columns * component.down + part / component.across
                    components[index].blocks[y * component.columns + x] = block
                }
            }
        }
        return true
    }

    private func readBlock(_ bits: inout Bits, _ code: (dc: Int, ac: Int), _ last: inout Int) -> [Int]? {
        var block = [Int](repeating: 0, count: 64)
        guard let category = bits.symbol(tables[code.dc]), let value = bits.value(category) else {
            return nil
        }
        last += value
        block[0] = last
        var at = 1
        while at < 64 {
            guard let symbol = bits.symbol(tables[16 + code.ac]) else { return nil }
            if symbol & 15 == 0, symbol != 0xF0 { break }
            at += symbol >> 4
            guard at < 64, let value = bits.value(symbol & 15) else { return nil }
            block[at] = value
            at += 1
        }
        return block
    }

    /// Entropy-coded data.
    private struct Bits {
        private let data: [UInt8]
        private var at = 0
        private var left = 0

        init(_ data: [UInt8]) { self.data = data }

        private mutating func next() -> Int? {
            if left == 0 {
                guard at < data.count, data[at] != 0xFF || at + 1 < data.count && data[at + 1] == 0 else {
                    return nil
                }
                left = 8
            }
            left -= 1
            let bit = Int(data[at] >> UInt8(left)) & 1
            if left == 0 { at += data[at] == 0xFF ? 2 : 1 }
            return bit
        }

        mutating func symbol(_ table: Table) -> Int? {
            var code = 0
            for range in table.ranges {
                guard let bit = next() else { return nil }
                code = code << 1 | bit
                if code - range.first < range.count {
                    return Int(table.values[range.value + code - range.first])
                }
            }
            return nil
        }

        mutating func value(_ size: Int) -> Int? {
            var bits = 0
            for _ in 0..<size {
                guard let bit = next() else { return nil }
                bits = bits << 1 | bit
            }
            return size > 0 && bits < 1 << (size - 1) ? bits - 1 << size + 1 : bits
        }

        mutating func passMarker() -> Bool {
            if left > 0 { at += data[at] == 0xFF ? 2 : 1 }
            left = 0
            guard at + 1 < data.count, data[at] == 0xFF, (0xD0...0xD7).contains(data[at + 1]) else {
                return false
            }
            at += 2
            return true
        }
    }
}
