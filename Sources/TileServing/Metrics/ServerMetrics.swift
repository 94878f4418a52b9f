internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics

/// What the server counts of itself.
final class ServerMetrics: Sendable {
    private let origins: [PictureMaker.Origin: Counter]
    private let seconds: Recorder
    private let factory: PrometheusRegistry

    init(_ factory: PrometheusRegistry) {
        self.factory = factory
        origins = Dictionary(
            uniqueKeysWithValues: PictureMaker.Origin.allCases.map { origin in
                (
                    origin,
                    Counter(
                        label: "viewport_pictures_total", dimensions: [("origin", origin.rawValue)],
                        factory: factory)
                )
            })
        seconds = Recorder(
            label: "viewport_request_seconds", dimensions: [], aggregate: true, factory: factory)
    }

    func count(_ origin: PictureMaker.Origin) { origins[origin]?.increment() }

    /// Counts an answer.
    func answered(route: String, status: Int, after time: Duration) {
        Counter(
            label: "viewport_requests_total", dimensions: [("route", route), ("status", "\(status)")],
            factory: factory
        ).increment()
        seconds.record(time / .seconds(1))
    }
}

/// Counts and logs every answer.
struct RequestObserver: Sendable {
    let metrics: ServerMetrics
    let logger: Logger

    func observe(_ request: Request, _ route: String, _ response: Response, _ time: Duration) {
        metrics.answered(route: route, status: response.status.code, after: time)
        logger.debug(
            "answered",
            metadata: [
                "method": "\(request.method)", "path": "\(Self.path(request))",
                "status": "\(response.status.code)",
                "bytes": "\(response.headers[.contentLength] ?? "0")",
                "ms": "\((time / .microseconds(1)).rounded() / 1000)",
            ])
    }

    /// The path without its query, which may have a token, and without what could break a line.
    private static func path(_ request: Request) -> String {
        String(
            (request.head.path ?? "").prefix { $0 != "?" }.filter { $0.isASCII && !$0.isNewline }.prefix(300))
    }
}

/// `/health`: whether the server answers.
struct HealthRoute: Route {
    var prefix: String { "health" }

    func reply(to call: Call) -> Reply {
        var reply = Reply(text: "{\"status\":\"ok\"}\n", "application/json")
        reply.headers[.cacheControl] = "no-store"
        return reply
    }
}

/// `/metrics`: what the server counts, for Prometheus.
struct MetricsRoute: Route {
    let registry: PrometheusRegistry
    let pictures: PictureMaker
    let deliveries: OutboundByteBudget

    var prefix: String { "metrics" }

    func reply(to call: Call) -> Reply {
        let gauges = [
            (name: "viewport_pictures_waiting", value: pictures.waiting),
            (name: "viewport_answer_bytes", value: deliveries.bytes),
        ]
        var reply = Reply(text: registry.text(gauges: gauges), "text/plain; version=0.0.4; charset=utf-8")
        reply.headers[.cacheControl] = "no-store"
        return reply
    }
}
