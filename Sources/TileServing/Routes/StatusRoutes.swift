internal import HTTPTypes

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
