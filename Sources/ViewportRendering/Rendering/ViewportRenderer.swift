internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Makes pictures of parts of images: exactly the pixels that are asked for.
///
/// Memory follows the picture, not the image.
public struct ViewportRenderer: Sendable {
    public var options: RenderOptions

    public init(options: RenderOptions = RenderOptions()) {
        self.options = options
    }

    /// Makes the picture on the calling thread, which it blocks.
    ///
    /// - Parameter progress: told the share that is read, from 0 to 1.
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    public func render(
        _ viewport: Viewport, of file: ImageFile, progress: (Double) -> Void = { _ in }
    ) throws -> (picture: Picture, report: RenderReport) {
        if options.allowsEmptyPicture, Coverage(viewport, of: file.uprightSize) == nil {
            return (Picture(filling: viewport.size, with: options.background), RenderReport())
        }
        let (reader, plan) = try prepare(viewport, of: file)
        var report = RenderReport(level: reader.level, storedRect: plan.storedRect)
        let clock = ContinuousClock()
        let start = clock.now
        let stored = try pixels(plan, reader, &report, progress)
        report.read = clock.now - start - report.scale

        let finishing = clock.now
        let picture = try finish(stored, plan.painted, viewport.size, reader.pixels, file)
        report.scale += clock.now - finishing
        return (picture, report)
    }

    /// Decides which level is read and which of its pixels, and opens it.
    func prepare(
        _ viewport: Viewport, of file: ImageFile
    ) throws -> (reader: any LevelReader, plan: ViewportPlan) {
        let coverage = try coverage(viewport, of: file)
        let reader = try open(file, forScale: coverage.scale)
        let plan = ViewportPlan(
            coverage, orientation: file.orientation, from: PictureGrid(reader.level, of: file.source),
            kernel: options.kernel)
        return (reader, plan)
    }

    /// Opens the cheapest level that leaves enough for the kernel.
    func open(_ file: ImageFile, forScale scale: Double) throws(RenderingError) -> any LevelReader {
        try file.source.open(file.source.pyramid.level(forScale: scale, oversampling: options.oversampling))
    }

    /// Where the image lies in a picture that may be made.
    func coverage(_ viewport: Viewport, of file: ImageFile) throws(RenderingError) -> Coverage {
        guard viewport.size.area <= options.maximumPictureArea, !viewport.size.isEmpty else {
            throw .pictureTooLarge(size: viewport.size, limit: options.maximumPictureArea)
        }
        guard let coverage = Coverage(viewport, of: file.uprightSize) else {
            throw .outside(file: file.path, size: file.uprightSize)
        }
        return coverage
    }

    /// Reads the plan's rectangle and scales it while it comes in; the result lies as in the file.
    private func pixels(
        _ plan: ViewportPlan, _ reader: any LevelReader, _ report: inout RenderReport,
        _ progress: (Double) -> Void
    ) throws -> StoredPicture {
        let rect = plan.storedRect
        let planned = PlannedRows(plan, reader.pixels.layout)
        let clock = ContinuousClock()
        var scaling = Duration.zero
        var rows = 0
        try reader.read(rect) { row in
            let start = clock.now
            planned.push(row)
            scaling += clock.now - start
            rows += 1
            // Telling of every row would cost more than most rows.
            if rows % 64 == 0 { progress(Double(rect.y + rows) / Double(rect.maxY)) }
        }
        report.scale += scaling
        return planned.picture()
    }

    /// Gives the pixels their colors, turns them upright and lays them onto the background.
    func finish(
        _ stored: StoredPicture, _ painted: PixelRect<OutputGrid>, _ size: PixelSize<OutputGrid>,
        _ kind: PixelKind, _ file: ImageFile
    ) throws -> Picture {
        let canvas = Canvas(size: size, painted: painted, background: options.background)
        if options.isFinal(kind), let laid = canvas.lay(stored, kind, file.orientation) {
            return Picture(
                size: size, bands: kind.layout.bands + (laid.isJoined ? 1 : 0), depth: options.depth,
                hasAlpha: kind.layout.hasAlpha || laid.isJoined,
                profile: options.colorMode.carriesProfile ? kind.profile : nil,
                interpretation: kind.interpretation,
                bytes: laid.bytes)
        }
        do throws(VipsError) {
            var image = try stored.image(kind)
            image = try ColorConversion(options, kind).apply(to: image)
            image = try image.turned(file.orientation)
            image = try canvas.lay(image)
            return try Picture(image, options)
        } catch {
            throw RenderingError.decoding(file.opened, log: error.log)
        }
    }
}
