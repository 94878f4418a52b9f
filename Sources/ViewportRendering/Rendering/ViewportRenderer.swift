internal import Basics
internal import Resampling
public import TilePyramid
public import ViewportGeometry
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
        try file.source.open(file.source.pyramid.level(forScale: scale, reserve: options.oversampling))
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

extension ViewportRenderer {
    /// Makes pictures of several viewports of a file from one read of it, in the order of the viewports.
    ///
    /// The rows of one level pass once, through all pictures that need them; a picture that is small enough beside
    /// another is made from that one.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func render(_ viewports: [Viewport], of file: ImageFile) throws -> [Picture] {
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard let scale = coverages.map(\.scale).max() else { return [] }
        let reader = try open(file, forScale: scale)
        let several = RenderBatchPlan(coverages, of: file, reader, kernel: options.kernel)
        let stored = try several.pictures { push in try reader.read(several.storedRect, row: push) }
        return try finish(stored, several.plans, viewports, reader.pixels, file)
    }

    /// Makes pictures of several viewports of every frame of an animation.
    ///
    /// Frame by frame, each in the order of the viewports. All frames are decoded once, and only one is held.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderFrames(_ viewports: [Viewport], of animation: Animation) throws -> [[Picture]] {
        let file = animation.file
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard !coverages.isEmpty else { return [] }
        let area = viewports.reduce(0) { $0 + $1.size.area }
        guard area <= options.maximumPictureArea / animation.delays.count else {
            throw RenderingError.pictureTooLarge(size: viewports[0].size, limit: options.maximumPictureArea)
        }
        let several = RenderBatchPlan(coverages, of: file, animation.reader, kernel: options.kernel)
        return try animation.frames(several.storedRect) { read in
            try finish(several.pictures(read), several.plans, viewports, animation.reader.pixels, file)
        }
    }

    private func finish(
        _ stored: [StoredPicture], _ plans: [ViewportPlan], _ viewports: [Viewport], _ kind: PixelKind,
        _ file: ImageFile
    ) throws -> [Picture] {
        try stored.indices.map { index in
            try finish(stored[index], plans[index].painted, viewports[index].size, kind, file)
        }
    }
}

extension ViewportRenderer {
    /// Makes the picture on a thread for blocking work, as many at once as there are processors.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` soon after its task is cancelled.
    public func render(_ viewport: Viewport, of file: ImageFile) async throws -> (
        picture: Picture, report: RenderReport
    ) {
        try await BlockingExecutor.shared.run { try render(viewport, of: file, progress: { _ in }) }
    }
}

/// What it took to make a picture.
public struct RenderReport: Sendable {
    /// The level that was read; nil where nothing had to be.
    public var level: PyramidLevel?
    /// The pixels of that level that were read, as stored.
    public var storedRect: PixelRect<StoredGrid>?
    /// Time for decoding.
    public var read = Duration.zero
    /// Time for scaling, colors, turning and background.
    public var scale = Duration.zero
}
