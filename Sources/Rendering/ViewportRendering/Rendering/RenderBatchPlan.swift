internal import Resampling
internal import ViewportGeometry

/// Plans several pictures of a file, or of a frame, from one read of its rows.
struct RenderBatchPlan {
    let plans: [ViewportPlan]
    /// The pixels of the level that at least one of them needs.
    let storedRect: PixelRect<StoredGrid>
    private let graph: ReuseGraph
    private let layout: SampleLayout
    private let light: LightTables?

    /// - Parameter light: the light of colors, to resample that instead of their samples.
    /// - Precondition: there is a viewport.
    init(
        _ coverages: [Coverage], orientation: Orientation, from level: SamplingAxes, layout: SampleLayout,
        light: LightTables?, kernel: ResamplingKernel?
    ) {
        let axes = coverages.map { SamplingAxes($0, orientation: orientation) }
        let graph = ReuseGraph(axes)
        let plans = coverages.indices.map { index in
            ViewportPlan(
                coverages[index], orientation: orientation,
                from: graph.parents[index].map { axes[$0] } ?? level, kernel: kernel)
        }
        self.plans = plans
        self.graph = graph
        self.layout = layout
        self.light = light
        storedRect = plans.indices.filter { graph.parents[$0] == nil }.map { plans[$0].storedRect }.union
    }

    /// Makes the pictures, in stored orientation.
    ///
    /// - Parameters:
    ///   - threads: The threads that may be used.
    ///   - read: Lends the rows of `storedRect`.
    func pictures(
        threads: Int = 1, _ read: ((RawSpan) throws -> Void) throws -> Void
    ) throws -> [StoredPicture] {
        let scalers = plans.map { RowScaler($0, layout, light) }
        let roots = scalers.indices.filter { graph.parents[$0] == nil }.map { scalers[$0] }
        var y = storedRect.y
        let rowBytes = storedRect.width * layout.pixelBytes
        try RowHandover.run(rowBytes: rowBytes, rows: storedRect.height, threads: threads, read) { row in
            for root in roots {
                let rect = root.plan.storedRect
                guard (rect.y..<rect.maxY).contains(y) else { continue }
                let start = (rect.x - storedRect.x) * layout.pixelBytes
                try root.push(row.extracting(start..<(start + rect.width * layout.pixelBytes)))
            }
            y += 1
        }
        for index in graph.order {
            guard let parent = graph.parents[index] else { continue }
            try scalers[parent].picture().read(
                plans[index].storedRect, layout.pixelBytes, scalers[index].push)
        }
        return scalers.map { $0.picture() }
    }
}

/// Selects which of several pictures are read, and which are made from a larger one.
private struct ReuseGraph {
    /// For each picture the larger one that it is made from; nil where it is read.
    let parents: [Int?]
    /// The pictures sorted by size, the largest first, so that each follows the one it is made from.
    let order: [Int]

    init(_ axes: [SamplingAxes]) {
        let order = axes.indices.sorted { (axes[$0].step, $0) < (axes[$1].step, $1) }
        var parents = [Int?](repeating: nil, count: axes.count)
        for (rank, index) in order.enumerated() {
            parents[index] = order[..<rank].last { axes[$0].suffices(for: axes[index]) }
        }
        self.parents = parents
        self.order = order
    }
}

extension SamplingAxes {
    /// The finer of the steps.
    fileprivate var step: Double { min(columns.step, rows.step) }

    /// Returns whether another picture can be made from this one: it shows no more, and its pixels are large enough.
    fileprivate func suffices(for other: Self) -> Bool {
        self == other || columns.suffices(for: other.columns) && rows.suffices(for: other.rows)
    }
}

extension SamplingGrid {
    /// A picture of a third of the size loses 0.4 dB when it is made from 8-bit pixels, one of half the size 1 dB;
    /// the tolerance of 2.5 % covers sizes that were rounded to whole pixels.
    fileprivate func suffices(for other: Self) -> Bool {
        let tolerance = step / 2
        return other.step * 1.025 >= step * 3 && other.origin >= origin - tolerance
            && other.end <= end + tolerance
    }
}

/// Scales the rows of a plan's rectangle as they arrive, from the top.
final class RowScaler {
    let plan: ViewportPlan
    private var collector: RowCollector
    /// Nil where pixels are copied.
    private var resampler: RowResampler?

    init(_ plan: ViewportPlan, _ layout: SampleLayout, _ light: LightTables?) {
        self.plan = plan
        let rect = plan.storedRect
        collector = RowCollector(byteCount: plan.isCopy ? rect.size.area * layout.pixelBytes : 0)
        resampler =
            plan.isCopy
            ? nil
            : RowResampler(
                horizontal: plan.horizontal, vertical: plan.vertical, layout: layout, sourceWidth: rect.width,
                light: light)
    }

    /// Adds the next row of the plan's rectangle.
    ///
    /// - Throws: `CancellationError`, also between the rows that are made of this one.
    func push(_ row: RawSpan) throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        if plan.isCopy {
            collector.push(row)
        } else {
            resampler?.push(row, isCancelled: { Task.isCancelled })
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

extension [PixelRect<StoredGrid>] {
    /// The smallest rectangle that contains all.
    fileprivate var union: PixelRect<StoredGrid> {
        dropFirst().reduce(self[0]) { all, rect in
            let (x, y) = (Swift.min(all.x, rect.x), Swift.min(all.y, rect.y))
            return PixelRect(
                x: x, y: y, width: Swift.max(all.maxX, rect.maxX) - x,
                height: Swift.max(all.maxY, rect.maxY) - y)
        }
    }
}

extension StoredPicture {
    /// Lends the rows of a part.
    fileprivate func read(
        _ rect: PixelRect<StoredGrid>, _ pixelBytes: Int, _ push: (RawSpan) throws -> Void
    ) rethrows {
        for y in rect.y..<rect.maxY {
            let start = (y * width + rect.x) * pixelBytes
            try bytes.withRow(start..<(start + rect.width * pixelBytes), push)
        }
    }
}
