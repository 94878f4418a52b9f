internal import Resampling
internal import ViewportGeometry

/// What a plan makes of the rows of its rectangle: rows in, from the top, and a stored picture out.
final class PlannedRows {
    let plan: ViewportPlan
    private var collector: RowCollector
    /// Nil where pixels are taken as they are.
    private var resampler: RowResampler?

    init(_ plan: ViewportPlan, _ layout: SampleLayout) {
        self.plan = plan
        let rect = plan.storedRect
        collector = RowCollector(byteCount: plan.isCopy ? rect.size.area * layout.pixelBytes : 0)
        resampler =
            plan.isCopy
            ? nil
            : RowResampler(
                horizontal: plan.horizontal, vertical: plan.vertical, layout: layout, sourceWidth: rect.width)
    }

    /// Takes the next row of the plan's rectangle.
    func push(_ row: RawSpan) {
        if plan.isCopy {
            collector.push(row)
        } else {
            resampler?.push(row)
        }
    }

    /// The picture, after the last row.
    func picture() -> StoredPicture {
        guard let pixels = resampler?.pixels else {
            let rect = plan.storedRect
            return StoredPicture(bytes: collector.pixels, width: rect.width, height: rect.height)
        }
        return StoredPicture(bytes: pixels, width: plan.horizontal.count, height: plan.vertical.count)
    }
}
