/// Copies runs of MCUs out of a JPEG into new compressed data.
///
/// Bits stay as they are, but for the first DC code of each component in each run: it says the difference to a
/// block that may not have been copied, and is written again.
struct RunCopier {
    private let scanner: EntropyScanner
    private let window: ByteWindow
    private var writer = BitWriter()
    /// What a decoder of the new data holds as the last DC values.
    private var predictors = SIMD4<Int32>()
    /// The DC codes of the new data: those of the file, and codes added for differences it never had.
    private(set) var dcCodes: [HuffmanCode?]
    private var dcWords: [[HuffmanCode.Word?]]

    init(_ scanner: EntropyScanner, _ window: ByteWindow) {
        self.scanner = scanner
        self.window = window
        dcCodes = scanner.header.dcCodes
        dcWords = scanner.dcWords
    }

    /// Appends the MCUs between two places of a row of data without restart markers.
    ///
    /// Nothing but the first MCU is read: where the run ends is known.
    mutating func append(from start: MCUCursor, to end: MCUCursor) throws(JPEGIndexError) {
        var start = start
        let before = start.state.predictors
        _ = start.readable(1)
        guard let starts = scanner.firstDifferences(window.data, &start.state) else { throw start.error }
        // An index may lie, and the file may have become shorter.
        guard !end.state.isExhausted, end.place >= start.place else { throw start.error }
        try append(starts, after: before, to: end.place, error: start.error)
        predictors = end.state.predictors
    }

    /// Appends `count` MCUs from where `cursor` stands, all in one row.
    mutating func append(_ count: Int, from cursor: inout MCUCursor) throws(JPEGIndexError) {
        var left = count
        while left > 0 {
            let run = cursor.readable(min(left, cursor.mcusToRestart))
            guard run > 0 else { throw cursor.error }
            let before = cursor.state.predictors
            guard let starts = scanner.firstDifferences(window.data, &cursor.state),
                scanner.skip(run - 1, window.data, &cursor.state)
            else { throw cursor.error }
            try append(starts, after: before, to: cursor.place, error: cursor.error)
            predictors = cursor.state.predictors
            try cursor.passed(run)
            left -= run
        }
    }

    /// Appends all the data.
    consuming func finish(to output: inout [UInt8]) { writer.finish(to: &output) }

    /// Appends a run that begins with `starts`, the DC values before it being `before`.
    private mutating func append(
        _ starts: [EntropyScanner.Difference], after before: SIMD4<Int32>, to end: UInt64,
        error: JPEGIndexError
    ) throws(JPEGIndexError) {
        for (index, start) in starts.enumerated() {
            let value = before[start.component] &+ start.difference
            try appendDifference(value &- predictors[start.component], of: start.component, error: error)
            let next = index + 1 < starts.count ? starts[index + 1].begin : end
            writer.append(window.data, from: start.end, to: next)
        }
    }

    private mutating func appendDifference(
        _ difference: Int32, of component: Int, error: JPEGIndexError
    ) throws(JPEGIndexError) {
        let category = 32 - difference.magnitude.leadingZeroBitCount
        guard category < 16 else { throw error }
        let table = scanner.header.components[component].dcTable
        if dcWords[table][category] == nil {
            // The scan's tables are there: the parser has checked it.
            guard dcCodes[table]!.append(UInt8(category)) else { throw error }
            dcWords[table][category] = dcCodes[table]!.word(UInt8(category))
        }
        let word = dcWords[table][category]!
        writer.append(UInt64(word.bits), count: word.length)
        let bits = difference < 0 ? difference &- 1 : difference
        writer.append(UInt64(UInt32(bitPattern: bits)) & (1 << UInt64(category) - 1), count: category)
    }
}

extension EntropyScanner {
    /// A DC code in the file.
    struct Difference {
        var component: Int
        var difference: Int32
        var begin: UInt64
        var end: UInt64
    }

    /// Reads one MCU and finds the first DC code of each component in it; nil where the data is broken.
    func firstDifferences(_ data: UnsafeByteView, _ state: inout EntropyState) -> [Difference]? {
        var result: [Difference] = []
        for group in groups {
            for block in 0..<group.blocks {
                let begin = state.place(data)
                guard let difference = readDifference(group, data, &state) else { return nil }
                state.predictors[group.component] &+= difference
                if block == 0 {
                    result.append(
                        Difference(
                            component: group.component, difference: difference, begin: begin,
                            end: state.place(data)))
                }
                guard skipCoefficients(group, data, &state) else { return nil }
            }
        }
        return state.isExhausted ? nil : result
    }
}
