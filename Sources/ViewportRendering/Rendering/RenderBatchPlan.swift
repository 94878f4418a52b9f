internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Several pictures of a file, or of a frame, from one read of its rows.
struct RenderBatchPlan {
    let plans: [ViewportPlan]
    private let descent: ReuseGraph
    private let layout: SampleLayout
    /// The pixels of the level that any of them needs.
    let storedRect: PixelRect<StoredGrid>

    /// - Precondition: there is a viewport.
    init(_ coverages: [Coverage], of file: ImageFile, _ reader: any LevelReader, kernel: ResamplingKernel?) {
        let grids = coverages.map { PictureGrid($0, orientation: file.orientation) }
        let descent = ReuseGraph(grids)
        let plans = coverages.indices.map { index in
            ViewportPlan(
                coverages[index], orientation: file.orientation,
                from: descent.parents[index].map { grids[$0] } ?? PictureGrid(reader.level, of: file.source),
                kernel: kernel)
        }
        self.plans = plans
        self.descent = descent
        layout = reader.pixels.layout
        storedRect = plans.indices.filter { descent.parents[$0] == nil }.map { plans[$0].storedRect }.union
    }

    /// Makes the pictures, as they lie in the file.
    ///
    /// - Parameter read: lends the rows of `storedRect`.
    func pictures(_ read: ((RawSpan) throws -> Void) throws -> Void) rethrows -> [StoredPicture] {
        let rows = plans.map { PlannedRows($0, layout) }
        let roots = rows.indices.filter { descent.parents[$0] == nil }.map { rows[$0] }
        var y = storedRect.y
        try read { row in
            for root in roots {
                let rect = root.plan.storedRect
                guard (rect.y..<rect.maxY).contains(y) else { continue }
                let start = (rect.x - storedRect.x) * layout.pixelBytes
                root.push(row.extracting(start..<(start + rect.width * layout.pixelBytes)))
            }
            y += 1
        }
        for index in descent.order {
            guard let parent = descent.parents[index] else { continue }
            rows[parent].picture().read(plans[index].storedRect, layout.pixelBytes, rows[index].push)
        }
        return rows.map { $0.picture() }
    }
}

extension [PixelRect<StoredGrid>] {
    /// The smallest rectangle that holds all.
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
    /// Lends the rows of a part of it.
    fileprivate func read(_ rect: PixelRect<StoredGrid>, _ pixelBytes: Int, _ push: (RawSpan) -> Void) {
        for y in rect.y..<rect.maxY {
            let start = (y * width + rect.x) * pixelBytes
            bytes.withRow(start..<(start + rect.width * pixelBytes), push)
        }
    }
}

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

/// Which of several pictures of a file are read, and which are made from a larger one.
struct ReuseGraph {
    /// For each picture the one that it is made from; nil where it is read.
    private(set) var parents: [Int?]
    /// The largest first: every picture comes after the one that it is made from.
    let order: [Int]

    init(_ grids: [PictureGrid]) {
        let order = grids.indices.sorted { (grids[$0].step, $0) < (grids[$1].step, $1) }
        var parents = [Int?](repeating: nil, count: grids.count)
        for (place, index) in order.enumerated() {
            parents[index] = order[..<place].last { grids[$0].canMake(grids[index]) }
        }
        self.parents = parents
        self.order = order
    }
}

extension PictureGrid {
    /// The finer of the steps.
    fileprivate var step: Double { min(columns.step, rows.step) }

    /// Whether another picture can be made from this one: it shows no more, and its pixels are large enough.
    fileprivate func canMake(_ other: Self) -> Bool {
        self == other || columns.canMake(other.columns) && rows.canMake(other.rows)
    }
}

extension SamplingGrid {
    /// A picture that is a third of another loses 0.4 dB by being made from its 8-bit pixels, a half of it 1 dB;
    /// two and a half percent less come of sizes that were rounded to whole pixels.
    fileprivate func canMake(_ other: Self) -> Bool {
        let reach = step / 2
        return other.step * 1.025 >= step * 3 && other.origin >= origin - reach && other.end <= end + reach
    }

    private var end: Double { origin + step * Double(count) }
}
