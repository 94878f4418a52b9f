internal import JPEGIndexing
internal import PNGIndexing
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

    /// Returns the file with the caches that pay off when many parts of it are read.
    ///
    /// A JPEG keeps its overview at 1/8 in memory once it was needed; other files with random access keep decoded
    /// tiles in `cache`.
    package func optimizedForRandomAccess(_ cache: TileCache) -> ImageFile {
        let capabilities = source.capabilities
        if let jpeg = capabilities.preparable { return reading(from: jpeg.optimizedForRandomAccess()) }
        guard case .random = capabilities.access else { return self }
        return reading(from: TiledSource(source, identity: identity, cache: cache))
    }

    /// Returns the file, read from the picture that it holds of itself where that has enough pixels for viewports.
    ///
    /// It must have at least 256 pixels on the long side, at least one for each pixel of the viewports, and the aspect
    /// and orientation of the image.
    package func reducedToEmbedded(for viewports: [Viewport]) -> ImageFile {
        guard let embedded = source.capabilities.embedded else { return self }
        let step = max(embedded.level.downsampleX, embedded.level.downsampleY)
        let isEnough = viewports.allSatisfy { viewport in
            Coverage(viewport, of: uprightSize).map { $0.scale * step <= 1.000_001 } ?? false
        }
        guard isEnough, let decoded = embedded.decoded() else { return self }
        return reading(from: decoded)
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
