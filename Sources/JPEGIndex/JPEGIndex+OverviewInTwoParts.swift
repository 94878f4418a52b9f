extension JPEGIndex {
    /// Makes the image at one eighth, without an index: as the initialiser that makes both.
    ///
    /// With two threads, files above a megabyte are read from the middle too; the rows are the same. `row` is
    /// called by one thread at a time. Throws `unsupportedSampling` where `header.hasOverview` is false.
    public static func overview(
        _ file: RawSpan, header: JPEGHeader, threads: Int = 1, passed: (_ byte: Int) -> Void = { _ in },
        row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard threads > 1, file.byteCount >= leastSizeForOverviewInTwoParts else {
            _ = try JPEGIndex(file, header: header, passed: passed, overviewRow: row)
            return
        }
        try overviewInTwoParts(file, header: header, passed: passed, row: row)
    }

    /// The same on two threads, of files of any size.
    package static func overviewInTwoParts(
        _ file: RawSpan, header: JPEGHeader, passed: (_ byte: Int) -> Void = { _ in },
        row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        try LentBytes.of(file) { data throws(JPEGIndexError) in
            var overview = OverviewInTwoParts(EntropyScanner(header), data, plan)
            try overview.read(passed, row)
        }
    }

    /// Below, the second thread has hardly begun when all is done.
    private static var leastSizeForOverviewInTwoParts: Int { 1 << 20 }
}
