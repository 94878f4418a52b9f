#if Server
internal import Hummingbird
internal import Metrics
internal import HTTPTypes
internal import Logging
internal import MemoryWatching
internal import Synchronization

/// The metrics of the server.
final class ServerMetrics: Sendable {
    private let sources: [RenderService.Source: Counter]
    private let builds: [BuildKind: Counter]
    private let seconds: Recorder
    private let responses = Mutex([String: [Int: Counter]]())
    private let factory: PrometheusRegistry

    init(_ factory: PrometheusRegistry) {
        self.factory = factory
        sources = Dictionary(
            uniqueKeysWithValues: RenderService.Source.allCases.map { source in
                (
                    source,
                    Counter(
                        label: "viewport_pictures_total", dimensions: [("origin", source.rawValue)],
                        factory: factory)
                )
            })
        builds = Dictionary(
            uniqueKeysWithValues: BuildKind.allCases.map { kind in
                (
                    kind,
                    Counter(
                        label: "viewport_builds_total", dimensions: [("kind", kind.rawValue)],
                        factory: factory)
                )
            })
        seconds = Recorder(
            label: "viewport_request_seconds", dimensions: [], aggregate: true, factory: factory)
    }

    func count(_ source: RenderService.Source) { sources[source]?.increment() }

    func count(_ build: BuildKind) { builds[build]?.increment() }

    /// Counts a response.
    func countResponse(route: String, status: Int, after time: Duration) {
        let counter = responses.withLock { responses in
            if let counter = responses[route]?[status] { return counter }
            let counter = Counter(
                label: "viewport_requests_total", dimensions: [("route", route), ("status", "\(status)")],
                factory: factory)
            responses[route, default: [:]][status] = counter
            return counter
        }
        counter.increment()
        seconds.record(time / .seconds(1))
    }
}

/// Counts and logs every response.
struct RequestObserver: Sendable {
    let metrics: ServerMetrics
    let logger: Logger

    func observe(_ request: Request, _ route: String, _ response: Response, _ time: Duration) {
        metrics.countResponse(route: route, status: response.status.code, after: time)
        logger.debug(
            "answered",
            metadata: [
                "method": "\(request.method)", "path": "\(Self.path(request))",
                "status": "\(response.status.code)",
                "bytes": "\(response.headers[.contentLength] ?? "0")",
                "ms": "\((time / .microseconds(1)).rounded() / 1000)",
            ])
    }

    /// Returns the path without line breaks and without the query, which can contain a token.
    private static func path(_ request: Request) -> String {
        String(
            (request.head.path ?? "").prefix { $0 != "?" }.filter { $0.isASCII && !$0.isNewline }.prefix(300))
    }
}

/// `/health`: the state of the server.
struct HealthRoute: Route {
    var prefix: String { "health" }

    func respond(to request: RouteRequest) -> RouteResponse {
        var response = RouteResponse(text: "{\"status\":\"ok\"}\n", "application/json")
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

/// `/metrics`: the metrics of the server for Prometheus.
struct MetricsRoute: Route {
    let registry: PrometheusRegistry
    let images: PreparedImages
    let renders: RenderService
    let hot: HotResponses
    let library: ExtensionRenders
    let admission: AdmissionController
    let outbound: OutboundByteBudget
    let memoryBytes: Int

    var prefix: String { "metrics" }

    func respond(to request: RouteRequest) -> RouteResponse {
        let cached = images.byteCounts
        let parts = [
            ("previews", cached.previews), ("tiles", cached.tiles),
            (
                "responses",
                renders.releasableByteCount + hot.releasableByteCount + library.releasableByteCount
            ),
            ("work", admission.byteCount), ("outbound", outbound.bytes),
        ]
        var gauges: [PrometheusGauge] = [
            .init("viewport_pictures_waiting", renders.waiting),
            .init("viewport_builds_waiting", admission.waitingBuilds),
            .init("viewport_answer_bytes", outbound.bytes),
            .init("viewport_memory_limit_bytes", memoryBytes),
            .init("viewport_memory_bytes", label: "part", parts),
        ]
        if let bytes = ProcessMemory.residentByteCount {
            gauges.append(.init("viewport_resident_bytes", bytes))
        }
        var response = RouteResponse(
            text: registry.text(gauges: gauges), "text/plain; version=0.0.4; charset=utf-8")
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
#endif
