internal import TilePyramid
internal import ViewportGeometry

/// Turns slow sources into tiled pyramids on disk, each of their levels once.
///
/// All who want the same level wait for one build, in this process and in others; a build stops when nobody
/// waits for it any more.
public actor PyramidCache {
    public nonisolated let folder: CacheFolder
    public nonisolated let policy: PyramidPolicy

    /// The builds that are going on.
    var builds: [CacheKey: PyramidBuild] = [:]
    /// How many builds of levels were begun.
    package internal(set) var buildCount = 0
    /// Tells waiters and builds apart.
    var lastNumber = 0

    public init(folder: CacheFolder = CacheFolder(), policy: PyramidPolicy = PyramidPolicy()) {
        self.folder = folder
        self.policy = policy
    }

    /// The same file, read from what the cache already has of its pyramid; nil where it has nothing.
    ///
    /// It costs a look at the folder, and never waits.
    public nonisolated func existing(_ file: ImageFile) -> ImageFile? {
        guard let source = file.source as? HalvedSource else { return nil }
        var kept = PyramidSource(of: source)
        for level in policy.levels(of: source) {
            guard let key = CacheKey(file, level), let entry = folder.entry(for: key, .pyramid) else {
                continue
            }
            kept.keep(level, in: entry)
        }
        return kept.isEmpty ? nil : file.read(from: kept)
    }

    /// The same file, read from its pyramid, which is made if the cache has none; the file itself where the
    /// policy says that a pyramid is not worth it.
    ///
    /// - Parameter progress: told the share that is made, from 0 to 1, on any thread. It is not told while
    ///   another process makes the pyramid.
    /// - Throws: `RenderingError`, `CacheError`, or `CancellationError` soon after its task is cancelled.
    public func file(
        _ file: ImageFile, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> ImageFile {
        guard let source = file.source as? HalvedSource else { return file }
        let levels = policy.levels(of: source)
        guard !levels.isEmpty else { return file }
        let pixels = levels.reduce(0) { $0 + Double($1.size.area) }
        var kept = PyramidSource(of: source)
        var done = 0.0
        for level in levels {
            guard let key = CacheKey(file, level) else { throw CacheError.changed(file: file.path) }
            let (before, share) = (done, Double(level.size.area) / pixels)
            // Averaged levels are made from the one before, which is kept already.
            let entry = try await entry(for: key, file.read(from: kept), level) {
                progress(before + $0 * share)
            }
            kept.keep(level, in: entry)
            done += share
        }
        return file.read(from: kept)
    }
}

extension CacheKey {
    init?(_ file: ImageFile, _ level: PyramidLevel) {
        self.init(file.identity, variant: "level \(level.index)")
    }
}

extension ImageFile {
    /// The file with what is kept of it as the source of its pixels.
    fileprivate func read(from kept: PyramidSource) -> ImageFile {
        var file = self
        file.source = kept
        return file
    }
}
