internal import Vips

extension ThumbnailMaker {
    /// How many files can be worked on at once without one slowing another down.
    package static var processors: Int {
        // libvips counts them when it starts; that it cannot start shows with the first file.
        try? VipsLibrary.start()
        return max(1, VipsLibrary.concurrency)
    }

    /// Makes the process ready for many files: work is split over files, and no file's work any further.
    package static func prepareForBatch() { VipsLibrary.setConcurrency(1) }
}
