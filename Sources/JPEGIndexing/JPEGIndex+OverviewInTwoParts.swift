package import Files

extension JPEGIndex {
    /// Makes the image at one eighth, without an index: as the initializer that makes both.
    ///
    /// With two threads, files above a megabyte are read from the middle too; the rows are the same. `row` is
    /// called by one thread at a time. Throws `unsupportedSampling` where `header.hasOverview` is false.
    public static func overview(
        _ file: RawSpan, header: JPEGHeader, threads: Int = 1, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try overview(ByteWindow(data), header, threads, row)
        }
    }

    /// The same of an open file, of which little is in memory at any time.
    ///
    /// - Parameter isCancelled: asked on every thread after each half megabyte; once it says true, the read throws
    ///   as if the data ended there.
    package static func overview(
        _ file: OpenFile, header: JPEGHeader, threads: Int = 1,
        isCancelled: @escaping @Sendable () -> Bool = { false }, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try overview(ByteWindow(file, isCancelled: isCancelled), header, threads, row)
    }

    private static func overview(
        _ window: ByteWindow, _ header: JPEGHeader, _ threads: Int, _ row: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        if threads > 1, window.count >= leastSizeForOverviewInTwoParts {
            try overviewInTwoParts(window, header, row)
        } else {
            _ = try JPEGIndex(window, header, overviewRow: row)
        }
    }

    /// The same on two threads, of files of any size.
    package static func overviewInTwoParts(
        _ file: RawSpan, header: JPEGHeader, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try overviewInTwoParts(ByteWindow(data), header, row)
        }
    }

    private static func overviewInTwoParts(
        _ window: ByteWindow, _ header: JPEGHeader, _ row: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        var overview = OverviewInTwoParts(EntropyScanner(header), window, plan)
        try overview.read(row)
    }

    /// Below, the second thread has hardly begun when all is done.
    private static var leastSizeForOverviewInTwoParts: Int { 1 << 20 }
}
