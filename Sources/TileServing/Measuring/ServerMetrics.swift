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
