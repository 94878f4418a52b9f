internal import Basics
internal import ImageReading
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import WorkReporting

/// The work on one look: reads the rows that its tiles need, level by level, and paints each tile once its rows are there.
final class LookPainting {
    private let plan: LookPlan
    /// The pixels of the frame that are rendered.
    private let part: PixelRect<OutputGrid>
    private let file: ImageFile
    private let options: RenderOptions
    private let passes: [LookPass]
    private var output: [UInt8]
    /// Rows that are read, of all levels.
    private var done = 0
    private let total: Int
    /// The level of the most tiles.
    let mainLevel: PyramidLevel?
    private let format: SourcePixelFormat
    /// The time for painting.
    private(set) var scaling = Duration.zero

    init(_ plan: LookPlan, part: PixelRect<OutputGrid>, file: ImageFile, options: RenderOptions) throws {
        (self.plan, self.part, self.file, self.options) = (plan, part, file, options)
        let source = file.source
        var groups: [Int: (level: PyramidLevel, tiles: [LookPlan.Tile])] = [:]
        for tile in plan.tiles {
            let level = source.pyramid.level(
                forScale: 1 / tile.scale, oversampling: options.levelOversampling)
            groups[level.index, default: (level, [])].tiles.append(tile)
        }
        var passes: [LookPass] = []
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            passes.append(LookPass(try source.open(group.level), group.tiles, plan.map.panorama, file))
        }
        self.passes = passes
        let main = passes.max { $0.tiles.count < $1.tiles.count }
        mainLevel = main?.reader.level
        format = passes.first?.reader.pixels ?? .rgb()
        total = passes.reduce(0) { $0 + $1.range.count }
        output = []
        output = [UInt8](zeros: part.size.area * pixelBytes)
    }

    private var addsAlpha: Bool { plan.hasGaps && !format.layout.hasAlpha }

    private var pixelBytes: Int { (format.layout.bands + (addsAlpha ? 1 : 0)) * format.layout.type.bytes }

    /// The picture in the samples of the file, upright, with alpha where some pixels show nothing.
    func finished() -> (StoredPicture, SourcePixelFormat) {
        var format = format
        if addsAlpha {
            format.layout.bands += 1
            format.layout.hasAlpha = true
        }
        return (StoredPicture(bytes: output, width: part.width, height: part.height), format)
    }

    func run(_ progress: (WorkProgress) -> Void) throws {
        for pass in passes where !pass.tiles.isEmpty {
            var next = 0
            var rows = WarpRows(
                pass.picture, start: pass.window.lowerBound, width: pass.window.count,
                capacity: pass.capacity, layout: format.layout, light: options.light(of: format))
            let before = done
            func paint(_ end: Int, _ rows: WarpRows) throws {
                let first = next
                while next < pass.tiles.count, pass.tiles[next].rows.upperBound <= end { next += 1 }
                try self.paint(pass.tiles[first..<next], rows, pass)
                done = before + end - pass.range.lowerBound
                progress(WorkProgress(.rows, done: min(done, total), of: total))
            }
            guard pass.way != .onePass || file.orientation != .up else {
                try readOnce(pass, into: &rows, paint)
                continue
            }
            for strip in pass.strips {
                let needed = pass.tiles[next...].filter { $0.rows.overlaps(strip) }
                for span in pass.spans(of: needed) { try read(span, strip, pass, into: &rows) }
                try ViewportRenderer.checkCancellation()
                try paint(strip.upperBound, rows)
            }
        }
    }

    // MARK: Reading

    /// Reads the columns that are needed in one pass over the rows.
    private func readOnce(
        _ pass: LookPass, into rows: inout WarpRows, _ paint: (Int, WarpRows) throws -> Void
    ) throws {
        guard let span = pass.spans(of: pass.tiles).first else { return }
        var y = pass.range.lowerBound
        let rect = PixelRect<StoredGrid>(
            x: span.lowerBound, y: y, width: span.count, height: pass.range.count)
        try pass.reader.read(rect) { row in
            rows.put(row, row: y, column: span.lowerBound)
            y += 1
            guard y % pass.stripHeight == 0 || y == pass.range.upperBound else { return }
            try ViewportRenderer.checkCancellation()
            try paint(y, rows)
        }
    }

    /// Reads a part of some rows, and turns it upright.
    private func read(
        _ columns: Range<Int>, _ strip: Range<Int>, _ pass: LookPass, into rows: inout WarpRows
    ) throws {
        let orientation = file.orientation
        let upright = PixelRect<UprightGrid>(
            x: columns.lowerBound, y: strip.lowerBound, width: columns.count, height: strip.count)
        let rect = orientation.stored(upright, in: pass.reader.level.size)
        var y = strip.lowerBound
        guard orientation != .up else {
            return try pass.reader.read(rect) { row in
                rows.put(row, row: y, column: columns.lowerBound)
                y += 1
            }
        }
        let pixelBytes = format.layout.pixelBytes
        var collector = RowCollector(byteCount: rect.size.area * pixelBytes)
        try pass.reader.read(rect) { collector.push($0) }
        let turned = StoredPicture(bytes: collector.pixels, width: rect.width, height: rect.height)
            .turned(orientation, pixelBytes: pixelBytes)
        let rowBytes = columns.count * pixelBytes
        for number in 0..<strip.count {
            turned.bytes.withRow((number * rowBytes)..<((number + 1) * rowBytes)) {
                rows.put($0, row: y + number, column: columns.lowerBound)
            }
        }
    }

    // MARK: Painting

    /// Paints tiles on several threads.
    private func paint(_ tiles: ArraySlice<LookPass.Tile>, _ rows: WarpRows, _ pass: LookPass) throws {
        guard !tiles.isEmpty else { return }
        let clock = ContinuousClock()
        let start = clock.now
        let (map, downsample) = (plan.map, pass.downsample)
        let painter = WarpPainter(rows, addsAlpha: addsAlpha) { x, y in
            LookPlan.position(x, y, map).map { $0 / downsample }
        }
        let list = Array(tiles)
        let pixelBytes = pixelBytes
        try OrderedWork.run(list.count, threads: Processors.count) { number in
            let (tile, rect) = (list[number].tile, list[number].tile.rect)
            let bytes = painter.paint(
                x: rect.x, y: rect.y, width: rect.width, height: rect.height,
                cells: tile.cells.map { $0.scaled(by: downsample) })
            return (rect, bytes)
        } use: { rect, bytes in
            let rowBytes = rect.width * pixelBytes
            for row in 0..<rect.height {
                let from = row * rowBytes
                let to = ((rect.y - part.y + row) * part.width + rect.x - part.x) * pixelBytes
                output.replaceSubrange(to..<(to + rowBytes), with: bytes[from..<(from + rowBytes)])
            }
        }
        scaling += clock.now - start
    }
}

extension WarpCell {
    /// Returns the cell for a level with fewer pixels.
    fileprivate func scaled(by downsample: SIMD2<Double>) -> WarpCell {
        WarpCell(
            topLeft: topLeft / downsample, topRight: topRight / downsample,
            bottomLeft: bottomLeft / downsample, bottomRight: bottomRight / downsample, isExact: isExact,
            steps: steps / downsample.min())
    }
}
