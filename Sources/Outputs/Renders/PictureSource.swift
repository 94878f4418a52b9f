internal import Basics
package import ImageReading
package import RenderCaching
internal import ViewportRendering
package import WorkReporting

/// An open image, and the pyramid in a cache through which its pictures are read.
package struct PictureSource: Sendable {
    /// The image as it was opened.
    package let file: ImageFile
    /// The image, read from its pyramid; nil where there is none.
    private let cached: ImageFile?

    /// Creates the source of an image that is read without a pyramid.
    package init(_ file: ImageFile) {
        (self.file, cached) = (file, nil)
    }

    /// Creates the source of an image that is read through its pyramid, which is made first where the caches do that.
    ///
    /// - Parameter progress: receives what is done of a new pyramid, on any thread.
    /// - Throws: `RenderingError`, `CacheError`, or `CancellationError`.
    package init(
        _ file: ImageFile, through caches: ImageCaches?,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws {
        self.file = file
        do {
            cached = try await caches?.pyramid(of: file, progress: progress)
        } catch CacheError.broken {
            cached = nil
        }
    }

    /// Creates the source on a thread that may block, as ``init(_:through:progress:)``.
    package init(
        synchronously file: ImageFile, through caches: ImageCaches?,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) throws {
        guard let caches, caches.makesPyramids else {
            self.file = file
            cached = caches?.existingPyramid(of: file)
            return
        }
        self = try BlockingExecutor.waiting {
            try await PictureSource(file, through: caches, progress: progress)
        }
    }

    /// Returns the pictures of a job, sorted by request and then by format; blocks the calling thread.
    ///
    /// - Parameters:
    ///   - decoded: called before the first picture is encoded.
    ///   - progress: receives what is read, on the calling thread.
    /// - Throws: `RenderingError`, `IIIFError` or `CancellationError`.
    package func pictures(
        of job: PictureJob, decoded: () -> Void = {}, progress: (WorkProgress) -> Void = { _ in }
    ) throws -> [MadePicture] {
        // A pyramid has no blocks to copy.
        guard let cached, !job.isLossless else {
            return try PictureMaker(job, of: file).pictures(decoded, progress)
        }
        do {
            return try PictureMaker(job, of: cached).pictures(decoded, progress)
        } catch CacheError.broken {
            // The broken entry has been removed; the image itself is still readable.
            return try PictureMaker(job, of: file).pictures(decoded, progress)
        }
    }
}
