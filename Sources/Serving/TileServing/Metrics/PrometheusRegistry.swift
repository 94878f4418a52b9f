#if Server
package import CoreMetrics
internal import Synchronization

/// A swift-metrics factory that writes its values in the text format of Prometheus.
///
/// Source: Prometheus, text-based format 0.0.4.
package final class PrometheusRegistry: MetricsFactory {
    struct Name: Hashable {
        var label: String
        var dimensions: [String]
    }

    private struct State {
        var counters: [Name: PrometheusCounter] = [:]
        var recorders: [Name: PrometheusRecorder] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let name = Self.name(label, dimensions)
        return state.withLock { state in
            if let counter = state.counters[name] { return counter }
            let counter = PrometheusCounter()
            state.counters[name] = counter
            return counter
        }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        recorder(Self.name(label, dimensions))
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        recorder(Self.name(label, dimensions))
    }

    private func recorder(_ name: Name) -> PrometheusRecorder {
        state.withLock { state in
            if let recorder = state.recorders[name] { return recorder }
            let recorder = PrometheusRecorder()
            state.recorders[name] = recorder
            return recorder
        }
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns a metric name with labels; label values are quoted.
    private static func name(_ label: String, _ dimensions: [(String, String)]) -> Name {
        Name(
            label: String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" }),
            dimensions: dimensions.map { "\($0)=\"\($1.filter { !"\"\\\n".contains($0) })\"" })
    }

    /// Returns all values and the gauges.
    package func text(gauges: [PrometheusGauge]) -> String {
        let (counters, recorders) = state.withLock { ($0.counters, $0.recorders) }
        var lines: [String] = []
        for (label, group) in Dictionary(grouping: counters, by: \.key.label).sorted(by: { $0.key < $1.key })
        {
            lines.append("# TYPE \(label) counter")
            lines += group.map { "\(label)\(Self.labels($0.key.dimensions)) \($0.value.value)" }.sorted()
        }
        for (name, recorder) in recorders.sorted(by: { $0.key.label < $1.key.label }) {
            lines += recorder.lines(name)
        }
        for gauge in gauges {
            lines.append("# TYPE \(gauge.name) gauge")
            lines += gauge.values.map { "\(gauge.name)\(Self.labels($0.dimensions)) \($0.value)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func labels(_ dimensions: [String]) -> String {
        dimensions.isEmpty ? "" : "{" + dimensions.joined(separator: ",") + "}"
    }
}

/// A value that rises and falls, or several of them with a label.
package struct PrometheusGauge: Sendable {
    let name: String
    let values: [(dimensions: [String], value: Int)]

    init(_ name: String, _ value: Int) {
        self.name = name
        values = [([], value)]
    }

    init(_ name: String, label: String, _ values: [(String, Int)]) {
        self.name = name
        self.values = values.map { (["\(label)=\"\($0.0)\""], $0.1) }
    }
}

/// A counter that never decreases.
final class PrometheusCounter: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }
    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

/// A histogram of seconds.
final class PrometheusRecorder: RecorderHandler, TimerHandler {
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let state = Mutex((counts: [Int](repeating: 0, count: bounds.count + 1), sum: 0.0))

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func lines(_ name: PrometheusRegistry.Name) -> [String] {
        let (counts, sum) = state.withLock { $0 }
        var total = 0
        var lines = ["# TYPE \(name.label) histogram"]
        for (bucket, count) in counts.enumerated() {
            total += count
            let bound = bucket < Self.bounds.count ? "\(Self.bounds[bucket])" : "+Inf"
            let labels = PrometheusRegistry.labels(name.dimensions + ["le=\"\(bound)\""])
            lines.append("\(name.label)_bucket\(labels) \(total)")
        }
        let labels = PrometheusRegistry.labels(name.dimensions)
        return lines + ["\(name.label)_sum\(labels) \(sum)", "\(name.label)_count\(labels) \(total)"]
    }
}
#endif
