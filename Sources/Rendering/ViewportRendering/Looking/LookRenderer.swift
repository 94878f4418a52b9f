internal import Basics
public import ImageReading
public import Pictures
public import ScrollModel
package import ViewportGeometry
internal import Viewports
public import WorkReporting

extension ViewportRenderer {
    /// Renders a look into a panorama without blocking the caller's thread: a pixel of the picture for each view point.
    ///
    /// Only the parts of the image that are seen are read, from the level that has enough pixels for each part of the
    /// picture. Each pixel is the mean of as many samples as it covers pixels of that level. Outside of a partial
    /// panorama is the background. `RenderOptions.kernel` has no effect.
    ///
    /// - Parameters:
    ///   - frame: the look, the projection and the size of the picture, in whole points.
    ///   - panorama: what the image shows of the sphere, such as `ImageFile.panorama()` returns.
    ///   - progress: receives the rows that are read, on a thread of the pool.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the task is cancelled.
    public func render(
        _ frame: LookFrame, into panorama: Panorama, of file: ImageFile,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (picture: Picture, report: RenderReport) {
        try await BlockingExecutor.shared.run {
            try renderSynchronously(frame, into: panorama, of: file, progress: progress)
        }
    }

    /// Renders a look into a panorama on the calling thread, which is blocked until the picture is finished.
    ///
    /// - Throws: as `render(_:into:of:progress:)`.
    public func renderSynchronously(
        _ frame: LookFrame, into panorama: Panorama, of file: ImageFile,
        progress: (WorkProgress) -> Void = { _ in }
    ) throws -> (picture: Picture, report: RenderReport) {
        let size = PixelSize<OutputGrid>(
            width: Int(frame.size.width.rounded()), height: Int(frame.size.height.rounded()))
        return try renderSynchronously(
            PixelRect(size), of: frame, into: panorama, of: file, progress: progress)
    }

    /// Renders the pixels of a part of a look on the calling thread.
    ///
    /// They are those of the whole look; at the seam of the panorama, rounding may differ by 1.
    ///
    /// - Parameter part: a rectangle whose left and top are multiples of 64.
    /// - Throws: as `render(_:into:of:progress:)`.
    package func renderSynchronously(
        _ part: PixelRect<OutputGrid>, of frame: LookFrame, into panorama: Panorama, of file: ImageFile,
        progress: (WorkProgress) -> Void = { _ in }
    ) throws -> (picture: Picture, report: RenderReport) {
        let size = part.size
        precondition(part.x % LookPlan.side == 0 && part.y % LookPlan.side == 0)
        try check(Viewport(imageRect: Rect(origin: .zero, size: file.uprightSize.imageSize), size: size))
        let clock = ContinuousClock()
        let start = clock.now
        let map = LookMap(panorama, frame)
        let plan = LookPlan(map, part: part)
        var report = RenderReport()
        let painting = try LookPainting(plan, part: part, file: file, options: options)
        try painting.run(progress)
        report.level = painting.mainLevel
        report.scale = painting.scaling
        let read = clock.now
        let (stored, format) = painting.finished()
        let picture = try finish(stored, PixelRect(size), size, format, file, turned: .up)
        report.read = read - start - report.scale
        report.scale += clock.now - read
        return (picture, report)
    }
}
