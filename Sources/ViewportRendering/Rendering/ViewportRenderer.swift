internal import Basics
public import Resampling
public import TilePyramid
public import ViewportGeometry
internal import Vips

/// Renders parts of images: exactly the pixels that a viewport shows.
///
/// Memory follows the picture, not the image.
public struct ViewportRenderer: Sendable {
    /// Kernel, colors, background and limits.
    public var options: RenderOptions

    /// Creates a renderer; it holds nothing but its options, and one serves any number of tasks.
    public init(options: RenderOptions = RenderOptions()) {
        self.options = options
    }

    /// Renders a part of an image without blocking the caller's thread.
    ///
    /// The work runs on a pool of threads for blocking work, as many as there are processors.
    ///
    /// - Parameter progress: called with the share that is read, from 0 to 1, on one of these threads.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the task is cancelled.
    public func render(
        _ viewport: Viewport, of file: ImageFile, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> (picture: Picture, report: RenderReport) {
        try await BlockingExecutor.shared.run {
            try renderSynchronously(viewport, of: file, progress: progress)
        }
    }

    /// Renders a part of an image on the calling thread, which it blocks until the picture is made.
    ///
    /// Call it from threads that may block, not from a task on Swift's cooperative pool.
    ///
    /// - Parameter progress: called with the share that is read, from 0 to 1, on the calling thread.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the surrounding task, if any, is cancelled.
    public func renderSynchronously(
        _ viewport: Viewport, of file: ImageFile, progress: (Double) -> Void = { _ in }
    ) throws -> (picture: Picture, report: RenderReport) {
        try check(viewport)
        if options.allowsEmptyPicture, Coverage(viewport, of: file.uprightSize) == nil {
            return (Picture(filling: viewport.size, with: options.background), RenderReport())
        }
        let coverage = try coverage(viewport, of: file)
        let reader = try open(file, for: coverage)
        let plan = plan(coverage, of: file, reader.level, file.source)
        var report = RenderReport(level: reader.level, storedRect: plan.storedRect)
        let clock = ContinuousClock()
        let start = clock.now
        let stored = try pixels(plan, reader, &report, progress)
        report.read = clock.now - start - report.scale

        let finishing = clock.now
        let picture = try finish(stored, plan.covered, viewport.size, reader.pixels, file)
        report.scale += clock.now - finishing
        return (picture, report)
    }

    /// Renders several viewports of a file from one read of it, in the order of the viewports.
    ///
    /// The rows of one level pass once, through all pictures that need them; a picture that is small enough beside
    /// another is made from that one. It blocks the calling thread.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderBatch(_ viewports: [Viewport], of file: ImageFile) throws -> [Picture] {
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard let finest = coverages.max(by: { $0.scale < $1.scale }) else { return [] }
        let reader = try open(file, for: finest)
        let batch = batch(coverages, of: file, reader)
        let stored = try batch.pictures { push in try reader.read(batch.storedRect, row: push) }
        return try finish(stored, batch.plans, viewports, reader.pixels, file)
    }

    /// Renders several viewports of every frame of an animation.
    ///
    /// Frame by frame, each in the order of the viewports. All frames are decoded once, and only one is held.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderFrames(_ viewports: [Viewport], of animation: Animation) throws -> [[Picture]] {
        let (file, reader) = (animation.file, animation.reader)
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard !coverages.isEmpty else { return [] }
        let area = viewports.reduce(0) { $0 + $1.size.area }
        guard area <= options.maximumPictureArea / animation.delays.count else {
            throw RenderingError.pictureTooLarge(size: viewports[0].size, limit: options.maximumPictureArea)
        }
        let batch = batch(coverages, of: file, reader)
        return try animation.frames(batch.storedRect) { read in
            try finish(batch.pictures(read), batch.plans, viewports, reader.pixels, file)
        }
    }

    // MARK: Planning

    /// The cheapest level of a source that leaves enough for the kernel.
    func level(for coverage: Coverage, of source: some ImageSource) -> PyramidLevel {
        source.pyramid.level(forScale: coverage.scale, oversampling: options.oversampling)
    }

    /// Which pixels of a level a picture needs, and how they become its pixels.
    func plan(
        _ coverage: Coverage, of file: ImageFile, _ level: PyramidLevel, _ source: some ImageSource
    ) -> ViewportPlan {
        let axes = SamplingAxes(level, sharpeningCompensation: source.sharpeningCompensation(of: level))
        return ViewportPlan(coverage, orientation: file.orientation, from: axes, kernel: options.kernel)
    }

    /// Where the image lies in a picture that may be made.
    func coverage(_ viewport: Viewport, of file: ImageFile) throws(RenderingError) -> Coverage {
        try check(viewport)
        guard let coverage = Coverage(viewport, of: file.uprightSize) else {
            throw .outside(file: file.path, size: file.uprightSize)
        }
        return coverage
    }

    private func check(_ viewport: Viewport) throws(RenderingError) {
        guard viewport.size.area <= options.maximumPictureArea, !viewport.size.isEmpty,
            max(viewport.size.width, viewport.size.height) <= Self.greatestSide
        else { throw .pictureTooLarge(size: viewport.size, limit: options.maximumPictureArea) }
        guard viewport.isValid else { throw .invalidViewport(viewport) }
    }

    /// libvips' limit of coordinates.
    private static let greatestSide = 10_000_000

    private func open(_ file: ImageFile, for coverage: Coverage) throws(RenderingError) -> any LevelReader {
        try file.source.open(level(for: coverage, of: file.source))
    }

    private func batch(
        _ coverages: [Coverage], of file: ImageFile, _ reader: any LevelReader
    ) -> RenderBatchPlan {
        let sharpening = file.source.sharpeningCompensation(of: reader.level)
        return RenderBatchPlan(
            coverages, orientation: file.orientation,
            from: SamplingAxes(reader.level, sharpeningCompensation: sharpening),
            layout: reader.pixels.layout, kernel: options.kernel)
    }

    // MARK: Making

    /// Reads the plan's rectangle and scales it while it comes in; the result lies as in the file.
    private func pixels(
        _ plan: ViewportPlan, _ reader: any LevelReader, _ report: inout RenderReport,
        _ progress: (Double) -> Void
    ) throws -> StoredPicture {
        let rect = plan.storedRect
        let scaler = RowScaler(plan, reader.pixels.layout)
        let clock = ContinuousClock()
        var scaling = Duration.zero
        var rows = 0
        try reader.read(rect) { row in
            let start = clock.now
            try scaler.push(row)
            scaling += clock.now - start
            rows += 1
            // Reporting every row would cost more than most rows.
            if rows % 64 == 0 { progress(Double(rect.y + rows) / Double(rect.maxY)) }
        }
        report.scale += scaling
        return scaler.picture()
    }

    private func finish(
        _ stored: [StoredPicture], _ plans: [ViewportPlan], _ viewports: [Viewport],
        _ format: SourcePixelFormat, _ file: ImageFile
    ) throws -> [Picture] {
        try stored.indices.map { index in
            try finish(stored[index], plans[index].covered, viewports[index].size, format, file)
        }
    }

    /// Gives the pixels their colors, turns them upright and lays them onto the background.
    private func finish(
        _ stored: StoredPicture, _ covered: PixelRect<OutputGrid>, _ size: PixelSize<OutputGrid>,
        _ format: SourcePixelFormat, _ file: ImageFile
    ) throws -> Picture {
        let canvas = Canvas(size: size, covered: covered, background: options.background)
        try Self.checkCancellation()
        if options.isFinal(format), let composed = canvas.compose(stored, format, file.orientation) {
            try Self.checkCancellation()
            return Picture(
                size: size, bands: format.layout.bands + (composed.addsAlpha ? 1 : 0), depth: options.depth,
                hasAlpha: format.layout.hasAlpha || composed.addsAlpha,
                profile: options.colorMode.carriesProfile ? format.profile : nil,
                interpretation: format.interpretation,
                bytes: composed.bytes)
        }
        do throws(VipsError) {
            var image = try stored.image(format)
            image = try ColorConversion(options, format).apply(to: image)
            image = try image.turned(file.orientation)
            image = try canvas.compose(image)
            return try Picture(image, options)
        } catch {
            try Self.checkCancellation()
            throw RenderingError.decoding(file.opened, log: error.log)
        }
    }

    private static func checkCancellation() throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
    }
}

/// What was read for a picture, and how long that took.
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

/// How a viewport is rendered: kernel, colors, background and limits.
public struct RenderOptions: Sendable {
    /// What happens to colors.
    public enum ColorMode: String, CaseIterable, Sendable {
        /// Everything becomes sRGB (gray stays gray).
        case srgb
        /// Numbers stay as they are and the profile goes with them.
        case keep
        /// Everything becomes Display P3, whose profile goes with it.
        case p3

        /// Whether pictures carry their profile; pictures without one are sRGB.
        var carriesProfile: Bool { self != .srgb }
    }

    /// The resampling kernel; nil for lanczos3 below zoom 1, cubic above, nearest from zoom 8.
    public var kernel: ResamplingKernel?
    /// The pixels that a level must have for each pixel of the picture.
    ///
    /// 2 gives the sharpest pictures. With 1 a picture at 1/2, 1/4 or 1/8 shows a level's pixels as they are, as
    /// tile servers do: less sharp by a little, and made in a fraction of the time.
    public var oversampling = 2.0
    /// What happens to colors.
    public var colorMode = ColorMode.srgb
    /// Whether CMYK may stay CMYK where colors are kept.
    public var keepsCMYK = false
    /// What is seen beyond the image and through it.
    public var background = Color.transparent
    /// Bits per sample, 8 or 16.
    public var depth = 8
    /// Whether a viewport that shows nothing of the image is a picture of the background; else it is an error.
    public var allowsEmptyPicture = false
    /// The most pixels that a picture may have.
    public var maximumPictureArea = 1 << 27

    /// Creates the options of a picture in sRGB of 8 bits on a transparent background.
    public init() {}
}
