import Foundation
import ScrollModel
import Testing

/// Seeded extreme and invalid numbers.
struct HostileNumbers {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    mutating func bool() -> Bool { next(2) == 0 }

    mutating func number() -> Double {
        let odd: [Double] = [
            0, -0.0, 1, -1, 0.5, 320, -1e-9, 1e-300, .leastNonzeroMagnitude, 1e9, 1e18, -1e18, 9.3e18, 1e22,
            1e300, -1e300,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
        ]
        return bool() ? odd[next(odd.count)] : Double(next(2_000_000) - 1_000_000) / 1000
    }

    mutating func integer() -> Int {
        let odd = [0, 1, -1, 2, 7, 90, -450, 1 << 40, .max, .min, .max - 1, .min + 1]
        return odd[next(odd.count)]
    }

    mutating func point<Space>() -> Point<Space> { Point(x: number(), y: number()) }
    mutating func size<Space>() -> Size<Space> { Size(width: number(), height: number()) }
    mutating func rect<Space>() -> Rect<Space> { Rect(origin: point(), size: size()) }
    mutating func insets() -> EdgeInsets {
        EdgeInsets(top: number(), left: number(), bottom: number(), right: number())
    }
    mutating func touch() -> Touch { Touch(id: bool() ? next(3) : integer(), location: point()) }
    mutating func timing() -> Timing {
        switch next(4) {
        case 0: .linear(duration: number())
        case 1: .easeInOut(duration: number())
        case 2: .cubicBezier(number(), number(), number(), number(), duration: number())
        default: .spring(dampingRatio: number(), response: number())
        }
    }
}

@Suite("No input")
struct FuzzTests {
    @Test("makes a scroll view trap or contain NaN", arguments: 0..<60)
    func scrollView(_ seed: Int) {
        var random = HostileNumbers(seed: seed)
        var view = ScrollView(bounds: random.size(), viewSize: random.size())
        for _ in 0..<300 {
            let step = act(on: &view, &random)
            guard let bad = notFinite(view) else { continue }
            Issue.record("\(bad) after \(step) of seed \(seed)")
            return
        }
    }

    /// Calls an operation with random input and returns its name.
    private func act(on view: inout ScrollView, _ random: inout HostileNumbers) -> Int {
        let step = random.next(34)
        let timing = random.timing()
        switch step {
        case 0: view.setBounds(random.size())
        case 1: view.setViewSize(random.size(), keepingPlace: random.bool())
        case 2: view.setContentSize(random.size())
        case 3: view.setContentInset(random.insets())
        case 4: view.setSafeAreaInsets(random.insets())
        case 5:
            let all = ContentInsetAdjustmentBehavior.allCases
            view.setContentInsetAdjustmentBehavior(all[random.next(4)])
        case 6: view.setZoomLimits(minimum: random.number(), maximum: random.number())
        case 7: view.setContentAlignment(ContentAlignment(x: random.number(), y: random.number()))
        case 8: view.setRounding(random.bool() ? .none : .pixel(displayScale: random.number()))
        case 9: view.setReversed(random.bool())
        case 10: view.setContentRotation(Rotation(degrees: random.number()))
        case 11: view.show(ContentMode.allCases[random.next(13)])
        case 12: view.setContentOffset(random.point())
        case 13: view.setContentOffset(random.point(), animated: timing)
        case 14: view.setZoomScale(random.number(), anchor: random.bool() ? nil : random.point())
        case 15: view.setZoomScale(random.number(), anchor: random.point(), animated: timing)
        case 16: view.zoom(to: random.rect())
        case 17: view.zoom(to: random.rect(), animated: timing)
        case 18: view.scrollRectToVisible(random.rect())
        case 19: view.scrollRectToVisible(random.rect(), alignment: .center, animated: timing)
        case 20: view.fly(to: random.rect(), duration: random.bool() ? nil : random.number())
        case 21: view.advance(to: random.number())
        case 22: view.advance(by: random.number())
        case 23: view.stop()
        case 24:
            let (dx, dy) = (random.number(), random.number())
            view.wheel(dx: dx, dy: dy, at: random.point(), zooms: random.bool())
        case 25: view.scroll(dx: random.number(), dy: random.number(), animated: timing)
        case 26: view.press(ScrollView.Key.allCases[random.next(11)], animated: timing)
        case 27: view.doubleTap(at: random.point(), animated: timing)
        case 28: view.twoFingerTap(at: random.point(), animated: timing)
        case 29: view.statusBarTap(animated: timing)
        case 30: view.scrollToPage(random.integer(), random.integer())
        case 31:
            let archive = ScrollView.Archive(
                center: random.point(), zoom: random.number(), rotation: random.number())
            if let archive { view.restore(archive) }
        case 32:
            view.decelerationRate = DecelerationRate(perMillisecond: random.number())
            view.bouncesHorizontally = random.bool()
            view.alwaysBounceVertical = random.bool()
            view.isPagingEnabled = random.bool()
        default:
            let phase = [TouchPhase.began, .moved, .moved, .ended, .cancelled][random.next(5)]
            view.touches(random.touch(), random.bool() ? nil : random.touch(), phase: phase) { _, target in
                if random.bool() { target = random.point() }
            }
        }
        return step
    }

    /// The first number of the state, including computed properties, that is not finite.
    private func notFinite(_ view: ScrollView) -> String? {
        let resting = view.projectedRestingState
        let numbers = [
            view.contentOffset.x, view.contentOffset.y, view.zoomScale, view.contentSize.width,
            view.contentSize.height, view.minimumContentOffset.x, view.maximumContentOffset.y,
            view.adjustedContentInset.top, view.fittingZoomScale, view.fillingZoomScale, view.time,
            view.visibleRect.minX, view.visibleRect.height, resting.contentOffset.x, resting.zoomScale,
            view.archive.center.x, view.archive.zoom, view.verticalScrollIndicator?.minY ?? 0,
            view.horizontalScrollIndicator?.width ?? 0,
        ]
        _ = (view.pageCount, view.currentPage, view.explain.limits.names)
        _ = view.archive.iiif(of: view.viewSize)
        return numbers.firstIndex { !$0.isFinite }.map { "number \($0)" }
    }

    @Test("makes the other types trap", arguments: 0..<60)
    func others(_ seed: Int) {
        var random = HostileNumbers(seed: seed + 1000)
        for _ in 0..<100 {
            var pan = ScreenEdgePanRecognizer(edges: .all, screen: random.size())
            for phase in [TouchPhase.began, .moved, .ended] {
                pan.touch(random.touch(), phase: phase, at: random.number())
            }
            _ = pan.velocity
            let rotation = Rotation(degrees: random.number())
            #expect(rotation.degrees >= 0 && rotation.degrees < 360)
            let size = Size<ImageSpace>(width: random.number(), height: random.number())
            if let archive = ScrollView.Archive(center: random.point(), zoom: random.number()) {
                _ = archive.iiif(of: size)
            }
            _ = ScrollView.Archive(iiif: "pct:0,0,50,50", of: size)
            let view = ScrollView(bounds: random.size(), viewSize: random.size())
            _ = view.convert(Point<ViewSpace>(x: random.number(), y: 0), to: ImageSpace.self)
            _ = view.convert(random.rect() as Rect<ImageSpace>, to: ViewSpace.self)
            _ = view.contentOffset(ofPage: random.integer(), random.integer())
            #expect(view.clampedContentOffset(random.point()).isFinite)
        }
    }
}
