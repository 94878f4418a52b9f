#if Server
internal import Basics
internal import Files
internal import HTTPTypes
internal import MemoryWatching
internal import NIOCore
internal import Synchronization
internal import ViewportRendering

/// The complete responses that were sent lately, found by their URL without parsing it.
///
/// A response is used while the file of the image is unchanged. Requests with conditions, for private images and for large
/// pictures are not kept.
final class HotResponses: Sendable {
    private struct Kept {
        let response: RouteResponse
        let path: String
        /// The path that the application decides about.
        let openedPath: String
        let status: FileStatus
        let threads: RootThreads
    }

    private let cache: Mutex<LRUCache<FilePath, Kept>>
    private let metrics: ServerMetrics
    private let access: AccessControl?

    /// The size of the largest response that is kept, in bytes.
    private static let largest = 1 << 17

    init(capacity: Int, _ metrics: ServerMetrics, _ access: AccessControl?) {
        cache = Mutex(LRUCache(capacity: capacity))
        self.metrics = metrics
        self.access = access
    }

    /// Returns the response to a request, or makes and keeps it.
    func response(
        to request: RouteRequest, _ make: () async throws -> (response: RouteResponse, image: OpenImage?)
    ) async throws -> RouteResponse {
        guard [.get, .head].contains(request.method), request[.ifNoneMatch] == nil,
            request[.ifModifiedSince] == nil
        else {
            return try await make().response
        }
        // Links in headers have the base.
        let key = FilePath(request.base + "/" + request.path.joined(separator: "/"))
        if let kept = cache.withLock({ $0.value(key) }) {
            if try await kept.threads.status(of: kept.path) == kept.status {
                try await access?.check(kept.openedPath, for: request)
                metrics.count(.memory)
                return kept.response
            }
            cache.withLock { $0.remove(key) }
        }
        let (response, image) = try await make()
        if let image, response.status == .ok, !response.isPrivate,
            response.body.readableBytes <= Self.largest
        {
            let kept = Kept(
                response: response, path: image.file.path, openedPath: image.path, status: image.status,
                threads: image.threads)
            let cost = response.body.readableBytes + 2 * key.text.utf8.count + 1024
            cache.withLock { $0.insert(kept, for: key, cost: cost) }
        }
        return response
    }
}

extension HotResponses: MemoryReleasing {
    var releasableByteCount: Int { cache.withLock { $0.cost } }

    func releaseMemory(under pressure: MemoryPressure) {
        cache.withLock { $0.trim(toCost: pressure.rest(of: $0.cost)) }
    }
}
#endif
