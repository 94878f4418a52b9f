/// Resamples an image whose rows are pushed one by one, from the top.
///
/// Holds the output and as many source rows as the vertical kernel has taps, never the whole source.
package struct RowResampler: ~Copyable {
    private let vertical: AxisWeights
    private let layout: SampleLayout
    private let sourceWidth: Int
    private let width: Int
    private let height: Int

    /// Used for bytes without alpha; `floats` for all others.
    private var integers: IntegerFilter?
    private var floats: FloatFilter?

    private(set) var rowsPushed = 0
    private(set) var rowsMade = 0

    /// The output: rows from the top, samples interleaved; complete when `isFinished`.
    package private(set) var pixels: [UInt8]

    /// - Parameters:
    ///   - sourceWidth: The pixels of a row that is pushed; the horizontal weights refer to them.
    ///   - light: The light of colors, to resample that instead of their samples.
    /// - Precondition: All source samples of the horizontal weights are in a row, and `light` is for the layout's type.
    package init(
        horizontal: AxisWeights, vertical: AxisWeights, layout: SampleLayout, sourceWidth: Int,
        light: LightTables? = nil
    ) {
        // The filters read without checks.
        precondition(layout.bands > 0 && sourceWidth >= 0, "rows without samples")
        precondition(
            horizontal.starts.allSatisfy { $0 >= 0 && $0 <= sourceWidth - horizontal.taps }
                && vertical.starts.allSatisfy { $0 >= 0 }, "weights of samples that are not in a row")
        precondition(light == nil || light!.type == layout.type, "tables for other samples")
        self.vertical = vertical
        self.layout = layout
        self.sourceWidth = sourceWidth
        width = horizontal.count
        height = vertical.count
        integers = IntegerFilter(
            horizontal: horizontal, vertical: vertical, layout: layout, sourceWidth: sourceWidth,
            light: light)
        if integers == nil {
            floats = FloatFilter(
                horizontal: horizontal, vertical: vertical, layout: layout, sourceWidth: sourceWidth,
                light: light)
        }
        pixels = [UInt8](zeros: width * height * layout.pixelBytes)
    }

    /// Whether all output rows are complete; further source rows are ignored.
    package var isFinished: Bool { rowsMade == height }

    /// Adds the next source row of `sourceWidth` pixels.
    ///
    /// - Parameter isCancelled: Called before each output row; one source row may produce thousands of them. The
    ///   output stays incomplete once it has returned true.
    package mutating func push(_ row: RawSpan, isCancelled: () -> Bool = { false }) {
        precondition(row.byteCount == sourceWidth * layout.pixelBytes, "a row of another width")
        let y = rowsPushed
        rowsPushed += 1
        // A row that no output row needs is not even converted.
        guard !isFinished, y >= vertical.starts[rowsMade] else { return }
        integers?.load(row, y)
        floats?.load(row, y)
        while !isFinished, vertical.end(rowsMade) <= rowsPushed {
            if isCancelled() { return }
            make(rowsMade)
            rowsMade += 1
        }
    }

    private mutating func make(_ row: Int) {
        guard width > 0 else { return }
        let start = row * width * layout.pixelBytes
        // Writes exactly the bytes of this row.
        unsafe pixels.withUnsafeMutableBytes { bytes in
            let out = unsafe bytes.baseAddress! + start
            unsafe integers?.make(row, into: out.assumingMemoryBound(to: UInt8.self))
            unsafe floats?.make(row, into: out)
        }
    }
}

/// The layout of a row's samples: interleaved bands of one type.
package struct SampleLayout: Hashable, Sendable {
    package enum SampleType: Sendable {
        case uint8, uint16, float32

        package var bytes: Int {
            switch self {
            case .uint8: 1
            case .uint16: 2
            case .float32: 4
            }
        }
    }

    package var type: SampleType
    package var bands: Int
    /// Whether the last band is alpha, which weights the colors, so that transparent pixels do not contribute.
    package var hasAlpha: Bool

    package init(type: SampleType, bands: Int, hasAlpha: Bool) {
        self.type = type
        self.bands = bands
        self.hasAlpha = hasAlpha
    }

    package var pixelBytes: Int { bands * type.bytes }
}
