internal import JPEGIndexing
internal import PNGIndexing
package import Pictures
internal import TilePyramid
internal import ViewportGeometry

/// Hooks for caches, which provide other sources of the same pixels.
extension ImageFile {
    /// Returns the file with another source of its pixels.
    package func reading(from source: any ImageSource) -> ImageFile {
        var file = self
        file.source = source
        return file
    }

    /// Its source, where it has an index or one can be made.
    package var indexable: (any IndexableSource)? { source.capabilities.indexable }

    /// Returns why there can be no index of it.
    package var reasonAgainstIndex: String {
        if format == .png {
            do {
                _ = try PNGHeader(opened)
                return "its metadata is unusual"
            } catch {
                return "\(error)"
            }
        }
        guard format == .jpeg else { return "it is \(format.rawValue), of which there is no index" }
        do throws(JPEGIndexError) {
            do throws(JPEGIndexError) {
                _ = try JPEGHeader(opened)
            } catch .progressive {
                _ = try ProgressiveHeader(opened)
                return "it is progressive, and its colors are CMYK"
            }
            return "its metadata is unusual"
        } catch {
            return "\(error)"
        }
    }

    /// Returns the same page, opened again with an index in memory.
    package func reopenedForRandomAccess() throws(RenderingError) -> ImageFile {
        var options = OpenOptions()
        options.page = page
        options.optimizesForRandomAccess = true
        return try ImageFile.open(whole, options)
    }

    /// Returns the file; a JPEG keeps its overview at 1/8 in memory once a reduced view needed it.
    package func keepingOverview() -> ImageFile {
        guard let jpeg = source.capabilities.preparable else { return self }
        return reading(from: jpeg.optimizedForRandomAccess())
    }

    /// Decodes the overview that stays in memory; damage is reported when a reader reaches it.
    package func preloadOverview() {
        try? source.capabilities.preparable?.makeOverview()
    }

    /// Returns the memory of an overview that suffices for a scale; nil where it does not, or there is none.
    ///
    /// - Parameter scale: pixels of the picture per full-resolution pixel.
    package func overviewByteCount(forScale scale: Double) -> Int? {
        guard source.capabilities.preparable?.hasOverview == true,
            pyramid.level(forScale: scale).index == 3
        else { return nil }
        return storedSize.area / 64 * bands
    }
}
