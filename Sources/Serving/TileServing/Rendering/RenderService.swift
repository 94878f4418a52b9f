#if Server
internal import Basics
internal import Files
package import MemoryWatching
package import NIOCore
internal import RenderCaching
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Provides the encoded bytes of an image: from a stored tile, memory, disk, or a render.
final class RenderService: Sendable {
    /// The origin of bytes; the raw values are labels of metrics.
    enum Source: String, Sendable, CaseIterable {
        case stored, memory, disk
        case rendered = "made"
    }

    private let images: PreparedImages
    private let limits: TileServer.Limits
    private let diskCache: CacheFolder
    private let admission: AdmissionController
    private let running = RequestCoalescer<RenderIdentity, ByteBuffer>()
    private let memoryCache: Mutex<LRUCache<RenderIdentity, ByteBuffer>>
    private let metrics: ServerMetrics

    /// The maximum number of pixels of a tile: 1024 x 1024.
    private static let maximumTileArea = 1 << 20

    init(
        _ images: PreparedImages, _ limits: TileServer.Limits, cache: CacheFolder,
        _ admission: AdmissionController, _ metrics: ServerMetrics
    ) {
        self.images = images
        self.limits = limits
        diskCache = cache
        self.admission = admission
        // The other half is for complete responses.
        memoryCache = Mutex(LRUCache(capacity: limits.responseCacheBytes / 2))
        self.metrics = metrics
    }

    /// The number of renders in the queue.
    var waiting: Int { admission.waiting }

    /// Returns the encoded bytes of an image.
    ///
    /// - Parameter identity: The image and all inputs of its bytes.
    /// - Throws: `RouteError`, or `CancellationError` if the caller is cancelled or the render times out.
    func file(
        _ picture: IIIFPicture, of image: OpenImage, _ identity: RenderIdentity
    ) async throws -> ByteBuffer {
        if let cached = memoryCache.withLock({ $0.value(identity) }) {
            metrics.count(.memory)
            return cached
        }
        do {
            return try await running.value(for: identity) { try await self.load(picture, image, identity) }
        } catch let error as RenderingError {
            throw RouteError(error)
        } catch CacheError.changed {
            throw RouteError.fileChanged
        }
    }

    private func load(
        _ picture: IIIFPicture, _ image: OpenImage, _ identity: RenderIdentity
    ) async throws -> ByteBuffer {
        let source = try await images.source(of: picture, in: image)
        // Stored bytes are read too fast to need a timeout.
        if case .stored(let bytes) = source { return counted(bytes) }
        return try await withTimeout(limits.timeout) {
            try await self.bytes(from: source, picture, image, identity)
        }
    }

    private func bytes(
        from source: PictureSource, _ picture: IIIFPicture, _ image: OpenImage, _ identity: RenderIdentity
    ) async throws -> ByteBuffer {
        switch source {
        case .stored(let bytes): return counted(bytes)
        case .renderer(let prepared, let next):
            let file = try await render(picture, image, prepared, identity)
            next()
            return file
        case .slower(let make):
            guard let cached = try await cachedOnDisk(picture, image) else {
                return try await bytes(from: make(), picture, image, identity)
            }
            metrics.count(.disk)
            cache(cached, identity)
            return cached
        }
    }

    private func counted(_ bytes: ByteBuffer) -> ByteBuffer {
        metrics.count(.stored)
        return bytes
    }

    private func render(
        _ picture: IIIFPicture, _ image: OpenImage, _ prepared: PreparedImage, _ identity: RenderIdentity
    ) async throws -> ByteBuffer {
        let area = picture.size.area
        let start = ContinuousClock.now
        let cost = WorkCost(bytes: IIIFRenderer.byteCount(of: picture) + prepared.partBytes)
        let kind: AdmissionController.Kind = area <= Self.maximumTileArea ? .small : .large
        let bytes = try await admission.run(kind, cost, on: image.threads) {
            try prepared.renderer.renderSynchronously(picture)
        }
        metrics.count(.rendered)
        let file = ByteBuffer(bytes: bytes)
        cache(file, identity)
        if ContinuousClock.now - start > limits.diskCacheThreshold, let key = diskKey(picture, image) {
            let diskCache = diskCache
            // The client does not wait for the disk. If storing fails, the image is rendered again next time.
            Task {
                try? await BlockingExecutor.background.run {
                    try diskCache.store(bytes, for: key, .picture)
                }
            }
        }
        return file
    }

    private func cache(_ file: ByteBuffer, _ identity: RenderIdentity) {
        memoryCache.withLock { $0.insert(file, for: identity, cost: file.readableBytes + 256) }
    }

    private func cachedOnDisk(_ picture: IIIFPicture, _ image: OpenImage) async throws -> ByteBuffer? {
        guard let key = diskKey(picture, image) else { return nil }
        let diskCache = diskCache
        return try await BlockingExecutor.shared.run {
            guard let entry = diskCache.entry(for: key, .picture) else { return nil }
            return (try? InputFile.contents(entry.path)).map { ByteBuffer(bytes: $0) }
        }
    }

    /// Returns the key on disk; nil for tiles, which are rendered faster than they are found.
    private func diskKey(_ picture: IIIFPicture, _ image: OpenImage) -> CacheKey? {
        guard picture.size.area > Self.maximumTileArea else { return nil }
        return CacheKey(image.file.identity, variant: picture.canonicalPath)
    }
}

extension RenderService: MemoryReleasing {
    var releasableByteCount: Int { memoryCache.withLock { $0.cost } }

    func releaseMemory(under pressure: MemoryPressure) {
        memoryCache.withLock { $0.trim(toCost: pressure.rest(of: $0.cost)) }
    }
}

extension ExtensionRenders: MemoryReleasing {
    package var releasableByteCount: Int { cache.withLock { $0.cost } }

    package func releaseMemory(under pressure: MemoryPressure) {
        cache.withLock { $0.trim(toCost: pressure.rest(of: $0.cost)) }
    }
}

extension CacheKind {
    /// An encoded image.
    static let picture = CacheKind(name: "picture", version: 1)
}

/// Renders images of extensions once for all concurrent requests, in the queue of the server.
package final class ExtensionRenders: Sendable {
    private let admission: AdmissionController
    private let timeout: Duration
    private let running = RequestCoalescer<RenderIdentity, ByteBuffer>()
    private let cache: Mutex<LRUCache<RenderIdentity, ByteBuffer>>

    init(_ admission: AdmissionController, _ limits: TileServer.Limits) {
        self.admission = admission
        timeout = limits.timeout
        cache = Mutex(LRUCache(capacity: limits.responseCacheBytes))
    }

    /// Returns the encoded bytes of an image.
    ///
    /// - Parameters:
    ///   - identity: The image and all inputs of its bytes.
    ///   - area: The number of pixels.
    ///   - isSlow: Whether it is queued behind fast renders, like the frame of a video.
    ///   - root: The threads of the root that it reads.
    ///   - render: Renders the image; must not block.
    /// - Throws: `RouteError`, the error of `render`, or `CancellationError`.
    package func file(
        _ identity: RenderIdentity, area: Int, isSlow: Bool = false, reading root: RootThreads? = nil,
        _ render: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> ByteBuffer {
        if let cached = cache.withLock({ $0.value(identity) }) { return cached }
        let (admission, timeout) = (admission, timeout)
        return try await running.value(for: identity) {
            let bytes = try await withTimeout(timeout) {
                try await admission.run(
                    isSlow ? .large : .small, WorkCost(bytes: area * TileServer.Limits.bytesPerPixel),
                    reading: root, render)
            }
            let file = ByteBuffer(bytes: bytes)
            self.cache.withLock { $0.insert(file, for: identity, cost: file.readableBytes + 256) }
            return file
        }
    }
}
#endif
