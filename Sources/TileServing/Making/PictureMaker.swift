internal import Basics
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import RenderCaching
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// Brings the file of a picture: as it is stored, from memory, from disk, or made.
final class PictureMaker: Sendable {
    /// Where a picture came from, for the metrics.
    enum Origin: String, Sendable, CaseIterable {
        case stored, memory, disk, made
    }

    private let images: OpenImages
    private let limits: ServerLimits
    private let folder: CacheFolder
    private let admission: AdmissionController
    private let making = RequestCoalescer<PictureIdentity, ByteBuffer>()
    private let finished: Mutex<LRUCache<PictureIdentity, ByteBuffer>>
    private let metrics: ServerMetrics

    /// The most pixels of what counts as a tile: 1024 x 1024.
    private static let tileArea = 1 << 20

    init(
        _ images: OpenImages, _ limits: ServerLimits, cache: CacheFolder, _ admission: AdmissionController,
        _ metrics: ServerMetrics
    ) {
        self.images = images
        self.limits = limits
        folder = cache
        self.admission = admission
        finished = Mutex(LRUCache(capacity: limits.pictureBytes))
        self.metrics = metrics
    }

    /// How many pictures wait to be made.
    var waiting: Int { admission.waiting }

    /// The file of a picture of an image.
    ///
    /// - Parameter identity: names the picture and all that its bytes depend on.
    /// - Throws: `Failure`, or `CancellationError` where the caller is cancelled or it takes too long.
    func file(_ picture: IIIFPicture, of image: OpenImage, _ identity: PictureIdentity) async throws
        -> ByteBuffer
    {
        if let kept = finished.withLock({ $0.value(identity) }) {
            metrics.count(.memory)
            return kept
        }
        do {
            return try await making.value(for: identity) { try await self.bring(picture, image, identity) }
        } catch let error as RenderingError {
            throw Failure(error)
        } catch CacheError.changed {
            throw Failure(.serviceUnavailable, "the image file is being written; try again", retryAfter: 5)
        }
    }

    private func bring(_ picture: IIIFPicture, _ image: OpenImage, _ identity: PictureIdentity) async throws
        -> ByteBuffer
    {
        let ready = images.preparedAlready(image)
        // What is only read needs no timeout.
        if let ready, let stored = try await stored(picture, ready) { return stored }
        return try await withPatience(limits.timeout) {
            let scale = Double(picture.size.width) / Double(picture.region.width)
            if let renderer = self.images.fromAfar(image, scale: scale) {
                let file = try await self.make(picture, image, renderer, identity)
                // Who looks at a part will come closer; the whole image may be one of many on a page.
                if picture.region.size != image.file.uprightSize {
                    Task { _ = try? await self.images.prepared(image) }
                }
                return file
            }
            let prepared: PreparedImage
            if let ready {
                prepared = ready
            } else {
                prepared = try await self.images.prepared(image)
                if let stored = try await self.stored(picture, prepared) { return stored }
            }
            if let kept = try await self.kept(picture, image) {
                self.metrics.count(.disk)
                self.keep(kept, identity)
                return kept
            }
            return try await self.make(picture, image, prepared.renderer, identity)
        }
    }

    private func stored(_ picture: IIIFPicture, _ prepared: PreparedImage) async throws -> ByteBuffer? {
        guard let tiles = prepared.tiles, tiles.mayHave(picture) else { return nil }
        let file = try await BlockingExecutor.shared.run {
            tiles.jpeg(picture).map { ByteBuffer(bytes: $0) }
        }
        if file != nil { metrics.count(.stored) }
        return file
    }

    private func make(
        _ picture: IIIFPicture, _ image: OpenImage, _ renderer: IIIFRenderer, _ identity: PictureIdentity
    ) async throws -> ByteBuffer {
        let area = picture.size.area
        let isSmall = area <= Self.tileArea
        let start = ContinuousClock.now
        let bytes = try await admission.run(isSmall ? .small : .large, cost: area) {
            try renderer.make(picture)
        }
        metrics.count(.made)
        let file = ByteBuffer(bytes: bytes)
        keep(file, identity)
        if ContinuousClock.now - start > limits.worthKeeping, let key = key(picture, image) {
            let folder = folder
            // Nobody waits for the disk; what cannot be kept is made again.
            Task {
                try? await BlockingExecutor.background.run { try folder.store(bytes, for: key, .picture) }
            }
        }
        return file
    }

    private func keep(_ file: ByteBuffer, _ identity: PictureIdentity) {
        finished.withLock { $0.insert(file, for: identity, cost: file.readableBytes + 256) }
    }

    /// The file from the disk.
    ///
    /// Tiles are made faster than the disk is searched.
    private func kept(_ picture: IIIFPicture, _ image: OpenImage) async throws -> ByteBuffer? {
        guard picture.size.area > Self.tileArea, let key = key(picture, image) else { return nil }
        let folder = folder
        return try await BlockingExecutor.shared.run {
            guard let entry = folder.entry(for: key, .picture) else { return nil }
            return (try? InputFile.contents(entry.path)).map { ByteBuffer(bytes: $0) }
        }
    }

    private func key(_ picture: IIIFPicture, _ image: OpenImage) -> CacheKey? {
        guard picture.size.area > Self.tileArea else { return nil }
        return CacheKey(image.file.identity, variant: picture.canonicalPath)
    }
}

extension CacheKind {
    /// A finished picture.
    static let picture = CacheKind(name: "picture", version: 1)
}
