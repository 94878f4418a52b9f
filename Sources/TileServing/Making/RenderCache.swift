internal import Basics
package import NIOCore
internal import Synchronization
internal import ViewportRendering

/// The pictures of routes beside those of images: made once for all who want them, in the server's one queue.
package final class RenderCache: Sendable {
    private let admission: AdmissionController
    private let timeout: Duration
    private let making = RequestCoalescer<PictureIdentity, ByteBuffer>()
    private let finished: Mutex<LRUCache<PictureIdentity, ByteBuffer>>

    init(_ admission: AdmissionController, _ limits: ServerLimits) {
        self.admission = admission
        timeout = limits.timeout
        finished = Mutex(LRUCache(capacity: limits.pictureBytes))
    }

    /// The file of a picture.
    ///
    /// - Parameters:
    ///   - identity: names the picture and everything that its bytes depend on.
    ///   - area: the pixels that it has.
    ///   - isSlow: whether others go first, as for a frame of a film.
    ///   - make: makes it, on a thread for blocking work.
    /// - Throws: `Failure`, what `make` throws, or `CancellationError`.
    package func file(
        _ identity: PictureIdentity, area: Int, isSlow: Bool = false,
        _ make: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> ByteBuffer {
        if let kept = finished.withLock({ $0.value(identity) }) { return kept }
        let (admission, timeout) = (admission, timeout)
        return try await making.value(for: identity) {
            let bytes = try await withPatience(timeout) {
                try await admission.run(isSlow ? .large : .small, cost: area, make)
            }
            let file = ByteBuffer(bytes: bytes)
            self.finished.withLock { $0.insert(file, for: identity, cost: file.readableBytes + 256) }
            return file
        }
    }
}
