internal import TilePyramid

/// Turns slow sources into tiled pyramids on disk, each of them once.
///
/// All who want the same pyramid wait for one build, in this process and in others; a build stops when nobody
/// waits for it any more.
public actor PyramidCache {
    public nonisolated let folder: CacheFolder
    public nonisolated let policy: PyramidPolicy

    /// The builds that are going on.
    var builds: [CacheKey: PyramidBuild] = [:]
    /// How many builds were begun.
    package internal(set) var buildCount = 0
    /// Tells waiters and builds apart.
    var lastNumber = 0

    public init(folder: CacheFolder = CacheFolder(), policy: PyramidPolicy = PyramidPolicy()) {
        self.folder = folder
        self.policy = policy
    }

    /// The same file, read from the pyramid that the cache already has of it; nil where it has none.
    ///
    /// It costs a look at the folder and the header of the entry, and never waits.
    public nonisolated func existing(_ file: ImageFile) -> ImageFile? {
        guard let base = policy.base(of: file), let key = CacheKey(file, base: base),
            let entry = folder.entry(for: key, .pyramid)
        else { return nil }
        return try? file.read(from: entry, base: base)
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
        guard let base = policy.base(of: file) else { return file }
        guard let key = CacheKey(file, base: base) else { throw CacheError.changed(file: file.path) }
        let entry = try await entry(for: key, file, base, progress)
        return try file.read(from: entry, base: base)
    }
}

extension CacheKey {
    init?(_ file: ImageFile, base: PyramidLevel) {
        self.init(file.identity, variant: base.index == 0 ? "" : "level \(base.index)")
    }
}

extension ImageFile {
    /// The file with an entry of the cache as the source of its pixels.
    fileprivate func read(from entry: CacheEntry, base: PyramidLevel) throws -> ImageFile {
        var file = self
        file.source = try PyramidSource(entry, of: source, base: base)
        file.identity.way = "pyramid from level \(base.index)"
        return file
    }
}
