/// Makes a picture of another size from rows that come in one by one, from the top.
///
/// Memory follows the output: one picture, and as many source rows, already as wide as the output, as the
/// vertical kernel reaches over. The source is never held.
package struct RowResampler: ~Copyable {
    let horizontal: AxisWeights
    let vertical: AxisWeights
    let layout: SampleLayout
    let sourceWidth: Int
    let width: Int
    let height: Int

    /// Pixels are weighted four bands at a time; this is how many fours a pixel takes.
    var groups: Int { (layout.bands + 3) / 4 }

    /// The source row that is being pushed, as floats.
    var line: [SIMD4<Float>]
    /// The last `vertical.taps` source rows, as wide as the output; row *y* is at `y % taps`.
    var ring: [SIMD4<Float>]
    /// Sums of one output row.
    var sums: [SIMD4<Float>]

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
        let groups = (layout.bands + 3) / 4
        line = Array(repeating: .zero, count: sourceWidth * groups)
        ring = Array(repeating: .zero, count: width * groups * vertical.taps)
        sums = Array(repeating: .zero, count: width * groups)
        pixels = Array(repeating: 0, count: width * height * layout.pixelBytes)
    }

    /// Whether every row of the output is made; further rows are ignored.
    package var isFinished: Bool { rowsMade == height }

    /// Takes the next source row: `sourceWidth` pixels.
    package mutating func push(_ row: RawSpan) {
        precondition(row.byteCount == sourceWidth * layout.pixelBytes, "a row is as wide as was said")
        let y = rowsPushed
        rowsPushed += 1
        guard !isFinished, y >= vertical.starts[rowsMade] else { return }
        switch layout.type {
        case .uint8: load(row, as: UInt8.self)
        case .uint16: load(row, as: UInt16.self)
        case .float32: load(row, as: Float.self)
        }
        filterHorizontally(into: y % vertical.taps)
        while !isFinished, vertical.end(rowsMade) <= rowsPushed {
            filterVertically(rowsMade)
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
