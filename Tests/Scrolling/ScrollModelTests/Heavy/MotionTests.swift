import Foundation
import Testing
import ViewportGeometry

@testable import ScrollModel

@Suite("A motion")
struct MotionTests {
    @Test("of van Wijk and Nuij passes the published midpoint and is exponential for a pure zoom")
    func flight() {
        let flight = Flight(
            from: Flight.Stop(center: Point(x: 30, y: 30), width: 40),
            to: Flight.Stop(center: Point(x: 135, y: 85), width: 60))
        let half = flight.stop(at: 0.5)
        #expect(half.center.x.isClose(to: 72, 1e-4) && half.center.y.isClose(to: 52, 1e-4))
        #expect(half.width.isClose(to: 126.0476, 1e-6))
        #expect(flight.stop(at: 0).width.isClose(to: 40) && flight.stop(at: 1).width == 60)
        let zoom = Flight(
            from: Flight.Stop(center: Point(x: 1, y: 1), width: 100),
            to: Flight.Stop(center: Point(x: 1, y: 1), width: 1))
        #expect(zoom.stop(at: 0.5).width.isClose(to: 10))
    }

    @Test("from one scale to another moves every image point in a straight line")
    func straight() {
        var script = Script(over: (4000, 3000), zoom: 0.1...8)
        script.view.setContentOffset(Point(x: 1000, y: 700))
        let point = Point<ImageSpace>(x: 1234, y: 777)
        let from = script.view.convert(point, to: ViewSpace.self)
        script.act { $0.zoom(to: Rect(x: 2000, y: 1500, width: 100, height: 90), animated: .standard) }
        let to = script.view.projectedRestingState.convert(point, to: ViewSpace.self)
        for _ in 0..<29 {
            script.wait(0.01)
            let now = script.view.convert(point, to: ViewSpace.self)
            let share = (now.x - from.x) / (to.x - from.x)
            #expect(now.y.isClose(to: from.y + (to.y - from.y) * share, 1e-7))
        }
    }

    @Test("ends in the same state as the immediate operation, with any timing")
    func timings() {
        let timings: [Timing] = [
            .standard, .linear(duration: 0.2), .spring(), .spring(dampingRatio: 0.4, response: 0.5),
            .spring(dampingRatio: 3), .cubicBezier(0.2, -1, 0.3, 2, duration: 1), .linear(duration: 0),
        ]
        for timing in timings {
            var script = Script(zoom: 1...4)
            var instant = script.view
            instant.setZoomScale(3, anchor: Point(x: 10, y: 20))
            script.act { $0.setZoomScale(3, anchor: Point(x: 10, y: 20), animated: timing) }
            script.wait(5)
            #expect(script.view.placement == instant.placement)
        }
    }

    @Test("by a spring satisfies the equation of motion", arguments: [0.2, 0.7, 1.0, 2.5])
    func spring(_ ratio: Double) {
        // Checked against small steps of x'' = w^2 (1 - x) - 2 ratio w x'.
        let timing = Timing.spring(dampingRatio: ratio, response: 0.5)
        let w = 2 * Double.pi / 0.5
        var (x, v) = (0.0, 0.0)
        let h = 1e-5
        for step in 1...20000 {
            v += (w * w * (1 - x) - 2 * ratio * w * v) * h
            x += v * h
            if step % 4000 == 0 { #expect((timing.progress(at: Double(step) * h) - x).magnitude < 2e-3) }
        }
    }

    @Test(
        "of CSS's ease curve passes the known points",
        arguments: [(0.25, 0.4085), (0.5, 0.8024), (0.75, 0.9605)])
    func ease(_ x: Double, _ y: Double) {
        #expect((Timing.cubicBezier(0.25, 0.1, 0.25, 1, duration: 1).progress(at: x) - y).magnitude < 1e-4)
    }

    @Test("is continuous between segments, in speed, too, at a spring")
    func pieces() {
        let span = ScrollRange.Span(lower: 0, upper: 100)
        for (x, v) in [(50.0, 3000.0), (-40, 2500), (-40, -500), (130, -4000), (50, -3000), (0, 0.1)] {
            let glide = DecelerationCurve(from: x, velocity: v, in: span, decay: 2.002, bounces: true)
            #expect(glide.value(at: 0).isClose(to: x))
            var last = x
            for step in 1...4000 {
                let t = Double(step) / 1000
                let now = glide.value(at: t)
                let speed = max(glide.velocity(at: t - 0.001).magnitude, glide.velocity(at: t).magnitude)
                if t < glide.duration { #expect((now - last).magnitude <= speed * 0.001 + 0.02) }
                last = now
            }
            #expect(glide.value(at: 1e9) == glide.rest && glide.rest >= 0 && glide.rest <= 100)
            #expect((glide.value(at: glide.duration - 1e-9) - glide.rest).magnitude <= 0.5 + 1e-6)
        }
    }
}

@Suite("An elementary function")
struct PortableMathTests {
    static let numbers = stride(from: -30.0, through: 30, by: 0.37).map { $0 }

    @Test("is accurate to the last bits", arguments: numbers)
    func precision(_ x: Double) {
        #expect(PortableMath.exp(x).isClose(to: Foundation.exp(x), 4e-16 * max(1, Foundation.exp(x))))
        #expect((PortableMath.log(Foundation.exp(x)) - x).magnitude <= 1e-14)
        #expect((PortableMath.tanh(x) - Foundation.tanh(x)).magnitude < 1e-15)
        #expect((PortableMath.sinh(x) / Foundation.sinh(x) - 1).magnitude < 1e-14)
        let (c, s) = PortableMath.cosineAndSine(radians: x)
        #expect((c - Foundation.cos(x)).magnitude < 1e-13 && (s - Foundation.sin(x)).magnitude < 1e-13)
        let (d, e) = PortableMath.cosineAndSine(degrees: x * 40)
        #expect((d - Foundation.cos(x * 40 * .pi / 180)).magnitude < 1e-14)
        #expect((e - Foundation.sin(x * 40 * .pi / 180)).magnitude < 1e-14)
    }

    @Test("handles every input")
    func edges() {
        for x in [Double.nan, .infinity, -.infinity, 1e300] {
            #expect(
                PortableMath.cosineAndSine(radians: x) == (1, 0)
                    && PortableMath.cosineAndSine(degrees: x) == (1, 0))
        }
        #expect(PortableMath.exp(-1e9) == 0 && PortableMath.exp(1e9) == .greatestFiniteMagnitude)
        #expect(PortableMath.log(0) == -.greatestFiniteMagnitude && PortableMath.exp(.nan).isNaN)
        #expect(
            PortableMath.cosineAndSine(degrees: 90) == (0, 1)
                && PortableMath.cosineAndSine(degrees: 270) == (0, -1))
    }
}
