internal import Basics
public import ImageReading
public import PictureEncoding
public import Pictures
public import Resampling
public import TilePyramid
public import ViewportGeometry
public import Viewports
internal import Vips
public import WorkReporting

/// Renders parts of images: exactly the pixels that a viewport shows.
///
/// Memory follows the picture, not the image.
///
/// A render is designed to end within 20 ms of CPU time after its task is cancelled: JPEG is checked at every row of
/// blocks or band of regions, other formats and color conversion at every strip or tile. Images that libvips decodes in
/// one call end when that call returns; of 12 megapixels, WebP takes 0.2 s, AVIF 0.25 s, interlaced PNG 0.3 s, and HEIC
/// and JPEG 2000 0.7 s of CPU time.
public struct ViewportRenderer: Sendable {
    /// Kernel, colors, background and limits.
    public var options: RenderOptions

    /// Creates a renderer, which has no state and can be used by any number of tasks.
    public init(options: RenderOptions = RenderOptions()) {
        self.options = options
    }

    /// Renders a part of an image without blocking the caller's thread.
    ///
    /// Work runs on a pool of threads for blocking work, one per processor.
    ///
    /// - Parameter progress: receives the rows that are read, on one of these threads.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the task is cancelled.
    public func render(
        _ viewport: Viewport, of file: ImageFile,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (picture: Picture, report: RenderReport) {
        try await BlockingExecutor.shared.run {
            try renderSynchronously(viewport, of: file, progress: progress)
        }
    }

    /// Renders a part of an image on the calling thread, which is blocked until the picture is finished.
    ///
    /// Call it from threads that may block, not from a task on Swift's cooperative pool.
    ///
    /// - Parameter progress: receives the rows that are read, on the calling thread.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the surrounding task, if any, is cancelled.
    public func renderSynchronously(
        _ viewport: Viewport, of file: ImageFile, progress: (WorkProgress) -> Void = { _ in }
    ) throws -> (picture: Picture, report: RenderReport) {
        try check(viewport)
        if options.allowsEmptyPicture, Coverage(viewport, of: file.uprightSize) == nil {
            progress(WorkProgress(.rows, done: 0, of: 0))
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
        progress(WorkProgress(.rows, done: plan.storedRect.height, of: plan.storedRect.height))
        return (picture, report)
    }

    /// Renders a rectangle of an image, by default at 1:1, without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - rect: the part in image points: upright pixels at full resolution.
    ///   - scale: pixels of the picture per image point.
    ///   - progress: receives the rows that are read, on a thread of the pool.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the task is cancelled.
    public func render(
        rect: Rect<ImageSpace>, scale: Double = 1, of file: ImageFile,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> Picture {
        try await render(Viewport(imageRect: rect, scale: scale), of: file, progress: progress).picture
    }

    /// Opens an image, renders a rectangle of it, and encodes the picture, without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - path: the path or the address of the image.
    ///   - rect: the part in image points; nil for the whole image.
    ///   - scale: pixels of the picture per image point.
    /// - Returns: the bytes of a file.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the task is cancelled.
    public func encodedPicture(
        of path: String, rect: Rect<ImageSpace>? = nil, scale: Double = 1, as format: PictureFormat
    ) async throws -> [UInt8] {
        try await BlockingExecutor.shared.run {
            let file = try ImageFile(path: path)
            let rect = rect ?? Rect(origin: .zero, size: file.uprightSize.imageSize)
            let picture = try renderSynchronously(Viewport(imageRect: rect, scale: scale), of: file).picture
            return try PictureEncoder(format).encodeSynchronously(picture)
        }
    }

    /// Renders several viewports of a file from one read of it, in the order of the viewports.
    ///
    /// The rows of one level are read once for all pictures; a picture that is much smaller than
    /// another one is made from it. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - asThumbnails: Whether a JPEG may be read at a level that is made for shrinking.
    ///   - threads: The threads that may be used; they do not change the pictures.
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderBatch(
        _ viewports: [Viewport], of file: ImageFile, asThumbnails: Bool = false, threads: Int = 1
    ) throws -> [Picture] {
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard let finest = coverages.max(by: { $0.scale < $1.scale }) else { return [] }
        let thumbnail =
            asThumbnails && !options.isLinear
            ? file.source.capabilities.blocks?.thumbnailLevel(forScale: finest.scale) : nil
        let reader = try thumbnail ?? open(file, for: finest)
        // The quarter that thumbnails are made from has kept its contrast.
        let sharpening = thumbnail == nil ? file.source.sharpeningCompensation(of: reader.level) : 0
        let batch = batch(coverages, of: file, reader, sharpeningCompensation: sharpening)
        let stored = try batch.pictures(threads: threads) { push in
            try reader.read(batch.storedRect, row: push)
        }
        return try finish(stored, batch.plans, viewports, reader.pixels, file)
    }

    /// Renders several viewports of every frame of an animation.
    ///
    /// Returns the pictures frame by frame, each in the order of the viewports. Frames are decoded once, one at a time.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderFrames(_ viewports: [Viewport], of animation: Animation) throws -> [[Picture]] {
        let area = viewports.reduce(0) { $0 + $1.size.area }
        guard area <= options.maximumPictureArea / animation.delays.count else {
            throw RenderingError.pictureTooLarge(size: viewports[0].size, limit: options.maximumPictureArea)
        }
        return try renderFrames(viewports, of: animation) { $0 }
    }

    /// Renders several viewports of every frame of an animation, and passes them on frame by frame: one is in memory.
    ///
    /// - Throws: `RenderingError`, `CancellationError` where its task is cancelled, or what `each` throws.
    package func renderFrames<R>(
        _ viewports: [Viewport], of animation: Animation, _ each: ([Picture]) throws -> R
    ) throws -> [R] {
        let (file, reader) = (animation.file, animation.reader)
        let coverages = try viewports.map { viewport in try coverage(viewport, of: file) }
        guard !coverages.isEmpty else { return [] }
        let batch = batch(
            coverages, of: file, reader,
            sharpeningCompensation: file.source.sharpeningCompensation(of: reader.level))
        return try animation.frames(batch.storedRect) { read in
            try each(finish(batch.pictures(read), batch.plans, viewports, reader.pixels, file))
        }
    }

    // MARK: Planning

    /// Returns the smallest level of a source that has enough pixels for the kernel.
    func level(for coverage: Coverage, of source: some ImageSource) -> PyramidLevel {
        let capabilities = source.capabilities
        let isStored = capabilities.access == .random && capabilities.indexable == nil
        // Reduced levels are means of samples, not of light. Only those that are stored save much more than they lose.
        guard !options.isLinear || isStored || capabilities.access == .drawn else {
            let scale = coverage.scale
            return scale > 1 ? source.pyramid.level(forScale: scale) : source.pyramid.full
        }
        return source.pyramid.level(forScale: coverage.scale, oversampling: options.levelOversampling)
    }

    /// Returns the plan for a picture from a level.
    func plan(
        _ coverage: Coverage, of file: ImageFile, _ level: PyramidLevel, _ source: some ImageSource
    ) -> ViewportPlan {
        let axes = SamplingAxes(level, sharpeningCompensation: source.sharpeningCompensation(of: level))
        return ViewportPlan(coverage, orientation: file.orientation, from: axes, kernel: options.kernel)
    }

    /// Returns the position of the image in a picture, after checking limits.
    func coverage(_ viewport: Viewport, of file: ImageFile) throws(RenderingError) -> Coverage {
        try check(viewport)
        guard let coverage = Coverage(viewport, of: file.uprightSize) else {
            throw .outside(file: file.path, size: file.uprightSize)
        }
        return coverage
    }

    func check(_ viewport: Viewport) throws(RenderingError) {
        guard !viewport.size.isEmpty else { throw .invalidViewport(viewport) }
        guard viewport.size.area <= options.maximumPictureArea,
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
        _ coverages: [Coverage], of file: ImageFile, _ reader: any LevelReader,
        sharpeningCompensation: Double
    ) -> RenderBatchPlan {
        RenderBatchPlan(
            coverages, orientation: file.orientation,
            from: SamplingAxes(reader.level, sharpeningCompensation: sharpeningCompensation),
            layout: reader.pixels.layout, light: options.light(of: reader.pixels), kernel: options.kernel)
    }

    // MARK: Making

    /// Reads the plan's rectangle and scales it as rows arrive; the result is in stored orientation.
    private func pixels(
        _ plan: ViewportPlan, _ reader: any LevelReader, _ report: inout RenderReport,
        _ progress: (WorkProgress) -> Void
    ) throws -> StoredPicture {
        let rect = plan.storedRect
        let scaler = RowScaler(plan, reader.pixels.layout, options.light(of: reader.pixels))
        let clock = ContinuousClock()
        var scaling = Duration.zero
        var rows = 0
        try reader.read(rect) { row in
            let start = clock.now
            try scaler.push(row)
            scaling += clock.now - start
            rows += 1
            // Reporting every row would cost more than most rows.
            if rows % 64 == 0, rows < rect.height {
                // The rows above the part are read before its first one.
                let fraction = Double(rect.y + rows) / Double(rect.maxY)
                progress(WorkProgress(.rows, done: rows, of: rect.height, fraction: fraction))
            }
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

    /// Converts colors, turns the pixels upright and composes them with the background.
    ///
    /// - Parameter orientation: nil for that of the file.
    func finish(
        _ stored: StoredPicture, _ covered: PixelRect<OutputGrid>, _ size: PixelSize<OutputGrid>,
        _ format: SourcePixelFormat, _ file: ImageFile, turned orientation: Orientation? = nil
    ) throws -> Picture {
        let orientation = orientation ?? file.orientation
        let canvas = Canvas(size: size, covered: covered, background: options.background)
        try Self.checkCancellation()
        if let (final, kind) = finalPixels(stored, format),
            let composed = canvas.compose(final, kind, orientation)
        {
            try Self.checkCancellation()
            return Picture(
                size: size, bands: kind.layout.bands + (composed.addsAlpha ? 1 : 0), depth: options.depth,
                hasAlpha: kind.layout.hasAlpha || composed.addsAlpha,
                profile: options.colorMode.carriesProfile ? kind.profile : nil,
                interpretation: kind.interpretation,
                bytes: composed.bytes)
        }
        do throws(VipsError) {
            var image = try stored.image(format)
            image = try ColorConversion(options, format).apply(to: image)
            image = try image.turned(orientation)
            image = try canvas.compose(image)
            return try Picture(image, options)
        } catch {
            try Self.checkCancellation()
            throw RenderingError.decoding(file.opened, log: error.log)
        }
    }

    /// Returns pixels with the requested colors; nil where libvips must convert them.
    private func finalPixels(
        _ stored: StoredPicture, _ format: SourcePixelFormat
    ) -> (StoredPicture, SourcePixelFormat)? {
        if options.isFinal(format) { return (stored, format) }
        guard let conversion = SRGBConversion(options, format) else { return nil }
        return (conversion.converted(stored, hasAlpha: format.layout.hasAlpha), conversion.format(format))
    }

    static func checkCancellation() throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
    }
}

/// What was read for a picture, and the time that took.
public struct RenderReport: Hashable, Codable, Sendable {
    /// The level that was read; nil where nothing was read.
    public var level: PyramidLevel?
    /// The rectangle of that level that was read, as stored.
    public var storedRect: PixelRect<StoredGrid>?
    /// The time for decoding.
    public var read = Duration.zero
    /// The time for scaling, colors, orientation and background.
    public var scale = Duration.zero
}

extension RenderReport: CustomStringConvertible {
    /// The level and the times: "level 2 (1008x756), read 12.3 ms, scaled 4.1 ms".
    public var description: String {
        "\(level?.description ?? "no level"), read \(read.readable), scaled \(scale.readable)"
    }
}

/// Options of rendering: kernel, colors, background and limits.
public struct RenderOptions: Hashable, Codable, Sendable {
    /// The conversion of colors.
    public enum ColorMode: String, CaseIterable, Codable, Sendable {
        /// Converts to sRGB (gray stays gray).
        case srgb
        /// Keeps sample values and copies the profile.
        case keep
        /// Converts to Display P3 and attaches its profile.
        case p3

        /// Whether pictures have a profile; pictures without one are sRGB.
        var carriesProfile: Bool { self != .srgb }
    }

    /// The resampling kernel; nil for lanczos3 below zoom 1, cubic above, nearest from zoom 8.
    public var kernel: ResamplingKernel?
    /// The minimum number of level pixels per pixel of the picture, along each axis.
    ///
    /// 2 gives the sharpest pictures. With 1, a picture at 1/2, 1/4 or 1/8 copies the pixels of a level, as
    /// tile servers do: slightly less sharp, in a fraction of the time.
    public var oversampling = 2.0
    /// Whether pixels are averaged as light, which keeps the brightness of fine bright details.
    ///
    /// Samples of gray and RGB are resized on the curve of their profile, or of sRGB if there is none or it has no
    /// curves; alpha weights the light. CMYK, Lab and samples of floats are resized as they are. All pixels of the
    /// part are read, except of files with stored levels: there, the level is twice as large as otherwise.
    public var isLinear = false
    /// The conversion of colors.
    public var colorMode = ColorMode.srgb
    /// Whether CMYK stays CMYK where colors are kept.
    public var keepsCMYK = false
    /// The color outside the image and behind transparent pixels.
    public var background = Color.transparent
    /// Bits per sample, 8 or 16.
    public var depth = 8
    /// Whether a viewport outside the image gives a picture of the background instead of an error.
    public var allowsEmptyPicture = false
    /// The maximum number of pixels of a picture.
    public var maximumPictureArea = 1 << 27

    /// Creates options for 8-bit sRGB pictures on a transparent background.
    public init() {}
}

extension RenderOptions {
    /// Decodes options; those that are missing have their defaults, and numbers must be finite.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&kernel, .kernel)
        try values.read(&oversampling, .oversampling)
        try values.read(&isLinear, .isLinear)
        try values.read(&colorMode, .colorMode)
        try values.read(&keepsCMYK, .keepsCMYK)
        try values.read(&background, .background)
        try values.read(&depth, .depth)
        try values.check(depth == 8 || depth == 16, .depth, "the depth is neither 8 nor 16")
        try values.read(&allowsEmptyPicture, .allowsEmptyPicture)
        try values.read(&maximumPictureArea, .maximumPictureArea)
    }
}
