internal import Basics
internal import Vips

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
