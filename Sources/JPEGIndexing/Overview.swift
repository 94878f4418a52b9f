package import Files
internal import ViewportGeometry

extension JPEGHeader {
    /// Whether `JPEGIndex` can make the image at one eighth.
    public var hasOverview: Bool { OverviewPlan(self) != nil }
}

extension JPEGIndex {
    /// Finds the checkpoints of a file in memory and makes the image at one eighth, in one pass.
    ///
    /// The rows are the bytes that libjpeg-turbo decodes at that scale, with one byte for each component of a
    /// pixel: gray, RGB, or CMYK with libjpeg's inversion.
    ///
    /// - Parameters:
    ///   - file: All bytes of the JPEG.
    ///   - header: Its header.
    ///   - interval: The MCUs between two checkpoints of a row; values below 1 count as 1.
    ///   - overviewRow: Called with the rows of `header.size(at: .eighth)` from the top.
    /// - Throws: `JPEGIndexError.unsupportedSampling` where `header.hasOverview` is false, `brokenStream` where the
    ///   data is broken or ends too early.
    public init(
        _ file: RawSpan, header: JPEGHeader, interval: Int = defaultInterval,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        self = try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try JPEGIndex(window, header, interval: interval, overviewRow: overviewRow)
        }
    }

    /// Finds the checkpoints of an open file and makes the image at one eighth, with little of the file in memory.
    ///
    /// - Parameter isCancelled: Called after each half megabyte; once it returns true, the data ends there.
    package init(
        _ file: any RandomAccessBytes, header: JPEGHeader, interval: Int = defaultInterval,
        isCancelled: @escaping @Sendable () -> Bool, overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let window = ByteWindow(file, isCancelled: isCancelled)
        try self.init(window, header, interval: interval, overviewRow: overviewRow)
    }

    init(
        _ window: ByteWindow, _ header: JPEGHeader, interval: Int = defaultInterval,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        self.init(interval: Self.valid(interval), rows: header.mcuRows, mcusPerRow: header.mcusPerRow)
        try scan(window, EntropyScanner(header), plan, overviewRow)
    }

    private mutating func scan(
        _ window: ByteWindow, _ scanner: EntropyScanner, _ plan: OverviewPlan,
        _ overviewRow: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let size = scanner.header.size(at: .eighth)
        let samples = SampleRows(plan, mcusPerRow: mcusPerRow)
        var pixels = [UInt8](repeating: 0, count: size.width * plan.components.count)
        var cursor = MCUCursor(scanner, window)
        for row in 0..<rows {
            for first in stride(from: 0, to: mcusPerRow, by: interval) {
                try append(cursor)
                let end = min(first + interval, mcusPerRow)
                try cursor.decode(from: first, to: end, plan, samples)
            }
            for y in 0..<min(plan.mcuHeight, size.height - row * plan.mcuHeight) {
                plan.convert(samples, y: y, to: &pixels)
                // Bytes have no padding, and the span is lent no longer than the array lives.
                overviewRow(row * plan.mcuHeight + y, unsafe pixels.span.bytes)
            }
        }
    }
}

extension MCUCursor {
    /// Advances over some MCUs of a row and sets their samples.
    mutating func decode(
        from first: Int, to end: Int, _ plan: OverviewPlan, _ samples: SampleRows
    ) throws(JPEGIndexError) {
        var column = first
        while column < end {
            let run = loadedMCUs(upTo: min(end - column, mcusToRestart))
            guard run > 0,
                scanner.decode(run, window.data, &state, plan, to: samples, column: column)
            else { throw error }
            try passed(run)
            column += run
        }
    }
}

/// How the blocks of an MCU become pixels at one eighth, as libjpeg-turbo makes them.
///
/// A component's block becomes one sample, or a square of two by two where its sampling is halved both ways.
struct OverviewPlan {
    /// One component's part.
    struct Component {
        /// Blocks across and down an MCU.
        var across: Int
        var down: Int
        /// Samples across and down a block: 1 or 2.
        var side: Int
        /// Pixels across and down that one sample fills.
        var spreadX: Int
        var spreadY: Int
        /// The factor of the DC value.
        var quantization: Int32
        /// What the coefficients in zigzag order add to two by two samples.
        var slots: DequantizationTable.View
    }

    let components: [Component]
    /// The owners of the components' tables.
    private let tables: [DequantizationTable]
    /// Pixels of an MCU, one for each of the largest sampling factors.
    let mcuWidth: Int
    let mcuHeight: Int
    let color: OverviewColor

    /// Nil where a block becomes more than two by two samples: no encoder writes such files.
    init?(_ header: JPEGHeader) {
        mcuWidth = header.maximumHorizontal
        mcuHeight = header.maximumVertical
        color = OverviewColor(header)
        var result: [Component] = []
        var tables: [DequantizationTable] = []
        for (index, component) in header.components.enumerated() {
            let (across, down) = header.blocks(of: index)
            let side = header.blockSide(of: index, at: .eighth)
            // The parser has checked that the components' tables exist.
            let table = header.quantization[Int(component.quantization)]!
            guard side <= 2 else { return nil }
            let slots = DequantizationTable(table)
            tables.append(slots)
            // `tables` owns what the view shows.
            result.append(
                unsafe Component(
                    across: across, down: down, side: side, spreadX: mcuWidth / (across * side),
                    spreadY: mcuHeight / (down * side), quantization: Int32(table[0]),
                    slots: slots.view))
        }
        components = result
        self.tables = tables
    }
}

/// The color space of a JPEG, by libjpeg's rules.
///
/// Source: libjpeg-turbo, jdapimin.c, default_decompress_parms.
enum OverviewColor: Sendable {
    case gray
    case rgb
    case yCbCr
    case cmyk
    case ycck

    init(_ header: JPEGHeader) {
        switch header.components.count {
        case 1: self = .gray
        case 3:
            if header.hasJFIF {
                self = .yCbCr
            } else if let transform = header.adobeTransform {
                self = transform == 0 ? .rgb : .yCbCr
            } else {
                self = header.components.map(\.id) == [0x52, 0x47, 0x42] ? .rgb : .yCbCr
            }
        default:
            self = header.adobeTransform == 2 ? .ycck : .cmyk
        }
    }
}

extension OverviewPlan {
    /// Makes one row of pixels of the samples of a row of MCUs; `y` counts from the top of those.
    func convert(_ rows: SampleRows, y: Int, to pixels: inout [UInt8]) {
        let channels = components.count
        let width = pixels.count / channels
        for (channel, component) in components.enumerated() {
            let start = rows.starts[channel] + y / component.spreadY * rows.strides[channel]
            var index = channel
            if component.spreadX == 1 {
                for x in 0..<width {
                    pixels[index] = rows[start &+ x]
                    index &+= channels
                }
            } else {
                for x in 0..<width {
                    pixels[index] = rows[start &+ x / component.spreadX]
                    index &+= channels
                }
            }
        }
        switch color {
        case .gray, .rgb, .cmyk: break
        case .yCbCr: YCbCr.toRGB(&pixels, channels: 3)
        case .ycck:
            YCbCr.toRGB(&pixels, channels: 4)
            for index in pixels.indices where index % 4 != 3 { pixels[index] = ~pixels[index] }
        }
    }
}

/// libjpeg's conversion from luminance and color differences, to the bit.
///
/// Source: libjpeg-turbo, jdcolor.c, build_ycc_rgb_table and ycc_rgb_convert.
private enum YCbCr {
    /// Converts the first three of every `channels` bytes in place.
    static func toRGB(_ pixels: inout [UInt8], channels: Int) {
        var span = pixels.mutableSpan
        for index in stride(from: 0, to: span.count, by: channels) {
            let y = Int32(span[index])
            let cb = Int32(span[index + 1]) &- 128
            let cr = Int32(span[index + 2]) &- 128
            span[index] = clamped(y &+ (cr &* 91881 &+ 32768) >> 16)
            span[index + 1] = clamped(y &+ (cb &* -22554 &+ cr &* -46802 &+ 32768) >> 16)
            span[index + 2] = clamped(y &+ (cb &* 116130 &+ 32768) >> 16)
        }
    }

    @inline(__always)
    private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }
}

/// The samples of one row of MCUs, component by component.
// Owned memory; every access checks its bounds. One thread writes it.
@safe final class SampleRows {
    private let base: UnsafeMutablePointer<UInt8>
    private let count: Int
    /// The index of each component's first sample, and the samples of one of its rows.
    let starts: [Int]
    let strides: [Int]

    init(_ plan: OverviewPlan, mcusPerRow: Int) {
        var starts: [Int] = []
        var strides: [Int] = []
        var total = 0
        for component in plan.components {
            let stride = mcusPerRow * component.across * component.side
            starts.append(total)
            strides.append(stride)
            total += stride * component.down * component.side
        }
        self.starts = starts
        self.strides = strides
        count = total
        // Freed in deinit; never read before it is set.
        unsafe base = .allocate(capacity: total)
        // All of the memory just allocated.
        unsafe base.initialize(repeating: 0, count: total)
    }

    // Nobody else holds the memory.
    deinit { unsafe base.deallocate() }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a sample outside of the row")
            // Checked above.
            return unsafe base[index]
        }
        set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a sample outside of the row")
            // Checked above.
            unsafe base[index] = newValue
        }
    }
}
