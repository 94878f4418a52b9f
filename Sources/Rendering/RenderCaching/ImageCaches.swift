package import ImageReading
package import TilePyramid
internal import ViewportRendering
package import WorkReporting

/// How an image is opened: its options, whom it trusts, and the caches that serve it.
package struct OpenPolicy {
    package var options: OpenOptions
    /// Whether loaders that libvips does not trust are used, from then on by the whole process.
    package var allowsUntrusted: Bool
    /// Returns the caches once the file is open; nil for none, as for files without a path to find them by.
    package var caches: () throws -> ImageCaches?

    package init(
        _ options: OpenOptions = OpenOptions(), allowsUntrusted: Bool = false,
        caches: @escaping () throws -> ImageCaches? = { nil }
    ) {
        self.options = options
        self.allowsUntrusted = allowsUntrusted
        self.caches = caches
    }
}

extension ImageFile {
    /// Opens an image, scans it for damage, and reads it through its index and its pyramid where the caches of the policy
    /// have them; the index is made first where the policy says so.
    ///
    /// - Throws: `RenderingError`; `CacheError` where a required cache cannot be written; `CancellationError`.
    package static func open(_ path: String, _ policy: OpenPolicy) throws -> ImageFile {
        if policy.allowsUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let file = try ImageFile.open(path, policy.options)
        guard let caches = try policy.caches() else { return file }
        return caches.existingPyramid(of: try caches.indexed(file))
    }
}

/// The indexes and pyramids on disk through which images are read, and what may be added to them.
package struct ImageCaches: Sendable {
    /// What is done for an image that the caches do not have.
    package enum Missing: Sendable {
        /// Nothing: the image is read as it is.
        case isLeft
        /// It is made and stored.
        case isMade
        /// It is made, and stored where the cache can be written.
        case isMadeIfPossible
    }

    package let indexes: IndexCache
    /// Nil where the source itself is needed, of which no pyramid takes the place.
    private let pyramids: PyramidCache?
    private let missing: Missing

    package init(_ indexes: IndexCache, _ pyramids: PyramidCache?, missing: Missing) {
        self.indexes = indexes
        self.pyramids = pyramids
        self.missing = missing
    }

    /// The same caches for a source whose blocks are cut out, or whose index is stored afterwards.
    package var withoutPyramids: ImageCaches { ImageCaches(indexes, nil, missing: missing) }

    /// Whether pyramids that are missing are made.
    package var makesPyramids: Bool { missing != .isLeft && pyramids != nil }

    /// Returns the file, read through its index; a file that has none, and gets none, is returned unchanged.
    package func indexed(_ file: ImageFile) throws -> ImageFile {
        guard file.indexable != nil else { return file }
        do {
            switch missing {
            case .isLeft: return indexes.existing(file) ?? file
            case .isMade: return try indexes.make(file).file
            case .isMadeIfPossible: return file.hasRemoteIndex ? file : try indexes.make(file).file
            }
        } catch RenderingError.notIndexable {
            return file
        } catch is CacheError where missing == .isMadeIfPossible {
            return try file.reopenedForRandomAccess()
        }
    }

    /// Whether the caches have all that is needed to read parts of a file quickly.
    package func areReady(for file: ImageFile) -> Bool {
        let file = indexes.existing(file) ?? file
        return file.source.capabilities.access != .scanned && pyramids?.isBuilt(file) ?? true
    }

    /// Returns the file, read from what the cache has of its pyramid.
    package func existingPyramid(of file: ImageFile) -> ImageFile { pyramids?.existing(file) ?? file }

    /// Returns the file, read from its pyramid, which is built where that is asked for.
    ///
    /// - Parameter progress: receives the share that is done, on any thread.
    /// - Throws: `RenderingError`, `CacheError`, or `CancellationError`.
    package func pyramid(
        of file: ImageFile, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImageFile {
        guard missing != .isLeft, let pyramids else { return existingPyramid(of: file) }
        do {
            return try await pyramids.file(file, progress: progress)
        } catch let error as CacheError where missing == .isMadeIfPossible {
            if case .changed = error { throw error }
            // Without a place for its levels, the image is slow but readable.
            return file
        }
    }

    /// Whether a file is so small that no pyramid is made of it.
    package func leavesOut(_ file: ImageFile) -> Bool {
        pyramids.map { file.storedSize.area < $0.policy.minimumPixels } ?? true
    }

    /// Returns the small level from which pictures that need a level are made; nil where parts of the file are fast, or
    /// the level is not small.
    package func overviewLevel(of file: ImageFile, for needed: PyramidLevel) -> PyramidLevel? {
        pyramids?.policy.overview(of: file.source, for: needed)
    }

    /// Returns the file, read from small levels in the cache that suffice for a level; nil where there are none.
    package func existingOverview(of file: ImageFile, for needed: PyramidLevel) -> ImageFile? {
        pyramids?.existingOverview(of: file, for: needed)
    }

    /// Returns the file, read from its small level, which is made where that is asked for; nil where there is none.
    ///
    /// - Throws: `RenderingError`, `CacheError`, or `CancellationError`.
    package func overview(of file: ImageFile, for needed: PyramidLevel) async throws -> ImageFile? {
        guard missing != .isLeft else { return existingOverview(of: file, for: needed) }
        return try await pyramids?.overview(of: file, for: needed)
    }
}
