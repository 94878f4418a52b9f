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
