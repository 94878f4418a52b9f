/// Makes a picture of another size from rows that come in one by one, from the top.
///
/// Memory follows the output: one picture, and as many source rows as the vertical kernel reaches over. The source is
/// never held.
package struct RowResampler: ~Copyable {
    let horizontal: AxisWeights
    let vertical: AxisWeights
    let layout: SampleLayout
    let sourceWidth: Int
    let width: Int
    let height: Int

    /// The last `vertical.taps` source rows as floats, colors multiplied by alpha; row *y* is at `y % taps`.
    var ring: [Float]
    /// One row as high as the output's and as wide as the source.
    var line: [Float]
    /// One output row.
    var sums: [Float]

    private(set) var rowsPushed = 0
    private(set) var rowsMade = 0

    /// The picture: rows from the top, samples interleaved; whole when `isFinished`.
    package private(set) var pixels: [UInt8]

    /// - Parameter sourceWidth: samples of a row that is pushed; the horizontal weights refer to them.
    package init(horizontal: AxisWeights, vertical: AxisWeights, layout: SampleLayout, sourceWidth: Int) {
        self.horizontal = horizontal
        self.vertical = vertical
        self.layout = layout
        self.sourceWidth = sourceWidth
        width = horizontal.starts.count
        height = vertical.starts.count
        let samples = sourceWidth * layout.bands
        ring = Array(repeating: 0, count: samples * vertical.taps)
        // Pixels of three bands are taken four floats at a time, also the last ones.
        line = Array(repeating: 0, count: samples + 4)
        sums = Array(repeating: 0, count: width * layout.bands + 4)
        pixels = Array(repeating: 0, count: width * height * layout.pixelBytes)
    }

    /// Whether every row of the output is made; further rows are ignored.
    package var isFinished: Bool { rowsMade == height }

    /// Takes the next source row: `sourceWidth` pixels.
    ///
    /// - Parameter isCancelled: asked before each output row, of which one source row may make thousands; the
    ///   picture is of no use once it said true.
    package mutating func push(_ row: RawSpan, isCancelled: () -> Bool = { false }) {
        precondition(row.byteCount == sourceWidth * layout.pixelBytes, "a row is as wide as was said")
        let y = rowsPushed
        rowsPushed += 1
        guard !isFinished, y >= vertical.starts[rowsMade] else { return }
        switch layout.type {
        case .uint8: load(row, into: y % vertical.taps, as: UInt8.self)
        case .uint16: load(row, into: y % vertical.taps, as: UInt16.self)
        case .float32: load(row, into: y % vertical.taps, as: Float.self)
        }
        while !isFinished, vertical.end(rowsMade) <= rowsPushed {
            if isCancelled() { return }
            filterVertically(rowsMade)
            filterHorizontally()
            switch layout.type {
            case .uint8: store(rowsMade, as: UInt8.self)
            case .uint16: store(rowsMade, as: UInt16.self)
            case .float32: store(rowsMade, as: Float.self)
            }
            rowsMade += 1
        }
    }

    private mutating func store<S: Sample>(_ row: Int, as type: S.Type) {
        // The bytes are this row's, and every sample of it is written.
        unsafe pixels.withUnsafeMutableBytes { bytes in
            let start = row * width * layout.pixelBytes
            let out = unsafe bytes.baseAddress! + start
            unsafe Self.store(sums, to: out, as: type, layout: layout, width: width)
        }
    }
}
