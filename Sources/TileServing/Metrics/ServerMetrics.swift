#if Server
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics

/// The metrics of the server.
final class ServerMetrics: Sendable {
    private let sources: [RenderService.Source: Counter]
    private let seconds: Recorder
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
        seconds = Recorder(
            label: "viewport_request_seconds", dimensions: [], aggregate: true, factory: factory)
    }

    func count(_ source: RenderService.Source) { sources[source]?.increment() }

    /// Counts a response.
    func countResponse(route: String, status: Int, after time: Duration) {
        Counter(
            label: "viewport_requests_total", dimensions: [("route", route), ("status", "\(status)")],
            factory: factory
        ).increment()
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
    let renders: RenderService
    let outbound: OutboundByteBudget

    var prefix: String { "metrics" }

    func respond(to request: RouteRequest) -> RouteResponse {
        let gauges = [
            (name: "viewport_pictures_waiting", value: renders.waiting),
            (name: "viewport_answer_bytes", value: outbound.bytes),
        ]
        var response = RouteResponse(
            text: registry.text(gauges: gauges), "text/plain; version=0.0.4; charset=utf-8")
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
#endif
