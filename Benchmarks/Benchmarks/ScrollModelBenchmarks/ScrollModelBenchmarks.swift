import Benchmark
import Replay
import ScrollModel
import ViewportGeometry

/// Run with `swift package --package-path Benchmarks benchmark`; throughput is events, or lines, per second.
let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration = .init(
        metrics: [.throughput, .wallClock], scalingFactor: .kilo, maxDuration: .seconds(2))

    Benchmark("drag events") { benchmark in
        var view = ScrollView(
            bounds: Size(width: 390, height: 844), viewSize: Size(width: 4000, height: 6000))
        view.touches(Touch(id: 1, location: Point(x: 200, y: 400)), phase: .began)
        var x = 200.0
        var step = 1.5
        for _ in benchmark.scaledIterations {
            x += step
            if x > 380 || x < 10 { step = -step }
            view.advance(to: view.time + 0.008)
            let touch = Touch(id: 1, location: Point(x: x, y: 400 - x / 2))
            blackHole(view.touches(touch, phase: .moved))
        }
        blackHole(view)
    }

    Benchmark("pinch events") { benchmark in
        var view = ScrollView(
            bounds: Size(width: 390, height: 844), viewSize: Size(width: 4000, height: 6000))
        view.setZoomLimits(minimum: 0.1, maximum: 8)
        view.touches(
            Touch(id: 1, location: Point(x: 100, y: 400)), Touch(id: 2, location: Point(x: 200, y: 400)),
            phase: .began)
        var spread = 100.0
        var step = 1.5
        for _ in benchmark.scaledIterations {
            spread += step
            if spread > 380 || spread < 10 { step = -step }
            view.advance(to: view.time + 0.008)
            blackHole(
                view.touches(
                    Touch(id: 1, location: Point(x: 100, y: 400)),
                    Touch(id: 2, location: Point(x: 100 + spread, y: 400)), phase: .moved))
        }
        blackHole(view)
    }

    Benchmark("frames of a deceleration") { benchmark in
        var view = ScrollView(
            bounds: Size(width: 390, height: 844), viewSize: Size(width: 4000, height: 1e9))
        for _ in benchmark.scaledIterations {
            if !view.isDecelerating {
                view.touches(Touch(id: 1, location: Point(x: 200, y: 400)), phase: .began)
                view.advance(by: 0.05)
                view.touches(Touch(id: 1, location: Point(x: 200, y: 200)), phase: .ended)
            }
            blackHole(view.advance(by: 1.0 / 120))
        }
    }

    Benchmark("replayed lines") { benchmark in
        var player = Player()
        _ = try? player.play(#"{"setup":{"bounds":[390,844],"viewSize":[4000,6000]}}"#)
        _ = try? player.play(#"{"touches":[[1,200,400]],"phase":"began"}"#)
        for index in benchmark.scaledIterations {
            blackHole(
                try? player.play(#"{"touches":[[1,\#(200 + index % 100),\#(400 - index % 90)]],"phase":"moved"}"#))
        }
    }
}
