package import Files
internal import ViewportGeometry

extension JPEGHeader {
    /// Whether `JPEGIndex` can make the overview of such an image.
    public var hasOverview: Bool { OverviewPlan(self) != nil }
}

extension JPEGIndex {
    /// Reads the compressed data once, notes where decoding can begin, and makes the image at one eighth.
    ///
    /// `overviewRow` is given the rows of `header.size(at: .eighth)` from the top: as many bytes for each pixel
    /// as there are components, gray, RGB, or CMYK as libjpeg gives it. They are the bytes that libjpeg-turbo
    /// makes at that scale. Throws `unsupportedSampling` where `header.hasOverview` is false.
    public init(
        _ file: RawSpan, header: JPEGHeader, interval: Int = standardInterval,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        self = try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try JPEGIndex(ByteWindow(data), header, interval: interval, overviewRow: overviewRow)
        }
    }

    /// The same of an open file, of which little is in memory at any time.
    ///
    /// - Parameter isCancelled: asked after each half megabyte; once it says true, the read throws as if the data
    ///   ended there.
    package init(
        _ file: OpenFile, header: JPEGHeader, interval: Int = standardInterval,
        isCancelled: @escaping @Sendable () -> Bool, overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let window = ByteWindow(file, isCancelled: isCancelled)
        try self.init(window, header, interval: interval, overviewRow: overviewRow)
    }

    init(
        _ window: ByteWindow, _ header: JPEGHeader, interval: Int = standardInterval,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        precondition(interval > 0, "an index needs places")
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        self.init(interval: interval, rows: header.mcuRows, mcusPerRow: header.mcusPerRow)
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
    /// Goes on over some MCUs of a row and sets their samples.
    mutating func decode(
        from first: Int, to end: Int, _ plan: OverviewPlan, _ samples: SampleRows
    ) throws(JPEGIndexError) {
        var column = first
        while column < end {
            let run = readable(min(end - column, mcusToRestart))
            guard run > 0,
                scanner.decode(run, window.data, &state, plan, to: samples, column: column)
            else { throw error }
            try passed(run)
            column += run
        }
    }
}
