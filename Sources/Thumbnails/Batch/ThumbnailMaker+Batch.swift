private import Foundation
internal import Vips

extension ThumbnailMaker {
    /// How many files can be worked on at once without one slowing another down.
    package static var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// Makes the process ready for many files: work is split over files, and no file's work any further.
    package static func prepareForBatch() { VipsLibrary.setConcurrency(1) }
}
