import Foundation
import Replay
import ScrollModel
import TestHarness
import Testing
import ViewportGeometry

@Suite("Whatever happens to a scroll view", .ownThread)
struct InvariantTests {
    static let scripts = TestLength.repetitions(500, short: 100)
    static let lines = 240

    @Test("its state stays valid and its events follow the grammar", arguments: 0..<10)
    func invariants(_ part: Int) throws {
        for number in stride(from: part, to: Self.scripts, by: 10) {
            var script = RandomScript(seed: UInt64(number) + 1)
            var player = Player()
            var written = [script.setup()]
            _ = try player.play(written[0])
            var grammar = Grammar()
            var judge = Judge()
            for _ in 0..<Self.lines {
                let line = script.line()
                written.append(line)
                let answer = try #require(try player.play(line))
                let view = try #require(player.view)
                var faults = grammar.faults(in: Self.names(answer), of: view)
                faults += judge.faults(in: view, after: line)
                guard faults.isEmpty else {
                    Issue.record(
                        "\(faults.joined(separator: "; ")); viewport replay:\n\(written.joined(separator: "\n"))"
                    )
                    return
                }
            }
        }
    }

    @Test(
        "any split of time into steps ends in the same state",
        arguments: 0..<TestLength.repetitions(60, short: 20))
    func steps(_ number: Int) throws {
        var script = RandomScript(seed: UInt64(number) + 5000)
        var coarse = Player()
        var fine = Player()
        let setup = script.setup()
        _ = try (coarse.play(setup), fine.play(setup))
        for _ in 0..<120 {
            let line = script.line()
            guard let start = fine.view?.time, let end = Double(line.dropFirst(5).prefix { $0 != "," }) else {
                Issue.record("no time in \(line)")
                return
            }
            for step in stride(from: 0.1, to: 1, by: 0.17) {
                _ = try fine.play("{\"t\":\(start + (end - start) * step)}")
            }
            _ = try (coarse.play(line), fine.play(line))
            let (a, b) = (try #require(coarse.view), try #require(fine.view))
            #expect(a.contentOffset == b.contentOffset && a.zoomScale == b.zoomScale, "\(line)")
            #expect(a.isAnimating == b.isAnimating && a.isDecelerating == b.isDecelerating, "\(line)")
        }
    }

    @Test("its position can be archived and restored", arguments: 0..<60)
    func archives(_ number: Int) throws {
        var script = RandomScript(seed: UInt64(number) + 9000)
        var player = Player()
        _ = try player.play(script.setup())
        for _ in 0..<60 { _ = try player.play(script.line()) }
        var view = try #require(player.view)
        view.setRounding(.none)
        guard !view.viewSize.isEmpty, !view.bounds.isEmpty else { return }
        view.setContentOffset(view.clampedContentOffset(view.contentOffset))
        view.setZoomScale(view.zoomScale)
        view.setZoomLimits(minimum: 1e-6, maximum: 1e6)
        let (offset, scale) = (view.contentOffset, view.zoomScale)
        let archive = view.archive
        view.setZoomScale(scale * 1.7)
        view.setContentOffset(view.maximumContentOffset)
        view.setContentRotation(Rotation(degrees: 77))
        view.restore(archive)
        #expect((view.zoomScale / scale - 1).magnitude < 1e-9)
        let way = max(
            (view.contentOffset.x - offset.x).magnitude, (view.contentOffset.y - offset.y).magnitude)
        #expect(way < 1e-9 * max(1, view.contentSize.width, view.contentSize.height, 1000))
    }

    @Test(
        "it can be coded during a gesture and continues identically",
        arguments: 0..<TestLength.repetitions(40, short: 15))
    func coding(_ number: Int) throws {
        var script = RandomScript(seed: UInt64(number) + 7000)
        var player = Player()
        _ = try player.play(script.setup())
        for _ in 0..<80 {
            _ = try player.play(script.line())
            var view = try #require(player.view)
            let data = try JSONEncoder().encode(view)
            var again = try JSONDecoder().decode(ScrollView.self, from: data)
            #expect(again == view)
            let later = view.time + 0.07
            #expect(Array(again.advance(to: later)) == Array(view.advance(to: later)))
            #expect(again == view)
        }
    }

    @Test("a modified file is rejected or harmless", arguments: 0..<20)
    func hostile(_ number: Int) throws {
        var random = SplitMix(seed: UInt64(number) + 300)
        var script = RandomScript(seed: UInt64(number) + 40)
        var player = Player()
        _ = try player.play(script.setup())
        for _ in 0..<30 {
            for _ in 0..<5 { _ = try player.play(script.line()) }
            var text = String(decoding: try JSONEncoder().encode(try #require(player.view)), as: UTF8.self)
            for _ in 0..<3 {
                let numbers = text.ranges(of: /-?[0-9.e+]+/)
                let values = [
                    "-1", "0", "1e300", "-1e300", "99", "null", "1e-300", "9223372036854775807", "\"\"",
                ]
                text.replaceSubrange(random.pick(numbers), with: random.pick(values))
            }
            guard var view = try? JSONDecoder().decode(ScrollView.self, from: Data(text.utf8)) else {
                continue
            }
            var judge = Judge()
            for _ in 0..<10 {
                view.advance(by: random.number(0...0.5))
                let place = Point<ViewSpace>(x: random.number(0...300), y: random.number(0...300))
                let phase = random.pick([TouchPhase.began, .moved, .moved, .ended])
                view.touches(Touch(id: random.pick([0, 1, 2]), location: place), phase: phase)
                #expect(
                    judge.faults(in: view, after: "setContentOffset").filter { $0.contains("none") } == [])
            }
        }
    }

    /// Returns the names of the events in a line of output, without parsing JSON.
    static func names(_ answer: String) -> [Substring] {
        guard let events = answer.range(of: "\"events\":[") else { return [] }
        return answer[events.upperBound...].components(separatedBy: "{\"name\":\"").dropFirst().map {
            $0[...].prefix { $0 != "\"" }
        }
    }
}

/// The grammar of events.
struct Grammar {
    private var isDragging = false
    private var isDecelerating = false
    private var isZooming = false
    private var ended = false
    private var isScrollingToTop = false

    mutating func faults(in names: [Substring], of view: ScrollView) -> [String] {
        var faults: [String] = []
        func check(_ isRight: Bool, _ name: Substring) {
            if !isRight { faults.append("\(name) in \(names.joined(separator: " "))") }
        }
        for name in names {
            switch name {
            case "willBeginDragging":
                check(!isDragging && !isDecelerating && !isZooming, name)
                isDragging = true
            case "willEndDragging":
                check(isDragging && !ended, name)
                ended = true
            case "didEndDragging":
                check(isDragging && ended, name)
                (isDragging, ended) = (false, false)
            case "willBeginDecelerating":
                check(!isDragging && !isDecelerating, name)
                isDecelerating = true
            case "didEndDecelerating":
                check(isDecelerating, name)
                isDecelerating = false
            case "willBeginZooming":
                check(!isZooming && !isDragging && !isDecelerating, name)
                isZooming = true
            case "didEndZooming":
                check(isZooming, name)
                isZooming = false
            case "shouldScrollToTop": isScrollingToTop = true
            case "didScrollToTop":
                check(isScrollingToTop, name)
                isScrollingToTop = false
            default: break
            }
        }
        if isDragging != view.isDragging { faults.append("isDragging is \(view.isDragging)") }
        if isDecelerating != view.isDecelerating { faults.append("isDecelerating is \(view.isDecelerating)") }
        if !isZooming, view.isZooming || view.isZoomBouncing { faults.append("zooming that never began") }
        return faults
    }
}

/// The invariants of every state.
struct Judge {
    /// Whether a program has set the offset out of range and nothing has brought it back yet.
    private var isOut = false

    mutating func faults(in view: ScrollView, after line: String) -> [String] {
        var faults: [String] = []
        let (least, greatest) = (view.minimumContentOffset, view.maximumContentOffset)
        let numbers = [
            view.contentOffset.x, view.contentOffset.y, view.zoomScale, view.contentSize.width,
            view.contentSize.height, least.x, least.y, greatest.x, greatest.y, view.visibleRect.minX,
            view.visibleRect.minY, view.visibleRect.width, view.visibleRect.height,
        ]
        if !numbers.allSatisfy(\.isFinite) { faults.append("a number that is none: \(numbers)") }
        if least.x > greatest.x || least.y > greatest.y { faults.append("minimum above maximum") }
        let clamped = view.clampedContentOffset(view.contentOffset)
        let again = view.clampedContentOffset(clamped)
        if distance(clamped, again) > 1e-6 { faults.append("clamping twice is not clamping once") }
        let isFree = view.isTracking || view.isDecelerating || view.isAnimating || view.isZoomBouncing
        if line.contains("setContentOffset") { isOut = true }
        let beyond = distance(clamped, view.contentOffset)
        // Rounding to pixels moves by at most a point; rotated ranges are not rounded.
        if beyond <= 1.5, !view.isAnimating { isOut = false }
        if !isFree, !isOut, beyond > 1.5 { faults.append("out of range by \(beyond) at rest") }
        let limits = view.minimumZoomScale * (1 - 1e-9)...view.maximumZoomScale * (1 + 1e-9)
        if !isFree, !limits.contains(view.zoomScale) { faults.append("the scale \(view.zoomScale) at rest") }
        return faults
    }

    private func distance(_ a: Point<ContentSpace>, _ b: Point<ContentSpace>) -> Double {
        max((a.x - b.x).magnitude, (a.y - b.y).magnitude)
    }
}
