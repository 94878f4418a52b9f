import ScrollModel
import Testing
import ViewportGeometry

@Suite("A flight path")
struct FlightPathTests {
    static let image = Size<ImageSpace>(width: 6000, height: 4000)
    static let film = Size<ViewSpace>(width: 1280, height: 720)
    static let near = Rect<ImageSpace>(x: 100.25, y: 200.5, width: 640, height: 360)
    static let far = Rect<ImageSpace>(x: 4711.7, y: 3000.3, width: 320, height: 180)

    static func path(
        _ poses: [FlightPath.Pose], duration: Double? = nil
    ) throws(FlightPathError) -> FlightPath {
        try FlightPath(poses, size: film, imageSize: image, duration: duration)
    }

    @Test("begins and ends exactly at the given rectangles, in as many frames as fit")
    func ends() throws {
        let path = try Self.path([.init(Self.near), .init(Self.far)], duration: 2)
        #expect(path.duration == 2)
        for rate in [1, 12.5, 24, 30_000.0 / 1001, 60] {
            let count = path.frameCount(framesPerSecond: rate)
            #expect(Double(count - 1) / rate >= 2 && Double(count - 2) / rate < 2)
            #expect(path.rect(ofFrame: 0, framesPerSecond: rate) == Self.near)
            #expect(path.rect(ofFrame: count - 1, framesPerSecond: rate) == Self.far)
            let middle = count / 2
            #expect(path.rect(ofFrame: middle, framesPerSecond: rate) == path.rect(at: Double(middle) / rate))
        }
        #expect(path.rect(at: -1) == Self.near && path.rect(at: .nan) == Self.near)
        #expect(path.rect(at: .infinity) == Self.far)
        // The product is a little more than 3.
        let short = try Self.path([.init(Self.near), .init(Self.far)], duration: 0.1)
        #expect(short.frameCount(framesPerSecond: 30) == 4)
        #expect(short.frameCount(framesPerSecond: .nan) == 1)
    }

    @Test("is the flight of a scroll view")
    func scrollView() throws {
        var view = ScrollView(bounds: Self.film, viewSize: Self.image)
        view.setZoomLimits(minimum: 1e-3, maximum: 1e3)
        view.zoom(to: Self.near)
        view.fly(to: Self.far, duration: 3)
        let path = try Self.path([.init(Self.near), .init(Self.far, easing: .linear)], duration: 3)
        for _ in 0..<30 {
            view.advance(by: 0.1)
            let (seen, expected) = (view.visibleRect, path.rect(at: view.time))
            // In the middle the flight shows more than the image is high; the path stays inside.
            #expect(abs(seen.width / expected.width - 1) < 1e-9)
            if seen.minX > 0, seen.maxX < 6000 { #expect(abs(seen.minX - expected.minX) < 1e-6) }
            if seen.minY > 0, seen.maxY < 4000 { #expect(abs(seen.minY - expected.minY) < 1e-6) }
        }
    }

    @Test("shows the smallest part of the film's aspect around a pose, inside the image where that fits")
    func aspect() throws {
        func stop(_ x: Double, _ y: Double, _ width: Double, _ height: Double) throws -> Rect<ImageSpace> {
            try Self.path([.init(Rect(x: x, y: y, width: width, height: height), hold: 1)]).stops[0]
        }
        #expect(try stop(1000, 1000, 1600, 100) == Rect(x: 1000, y: 600, width: 1600, height: 900))
        #expect(try stop(1000, 1000, 160, 900) == Rect(x: 280, y: 1000, width: 1600, height: 900))
        #expect(
            try stop(5900, 3900, 100, 100)
                == Rect(x: 6000 - 1600 / 9.0, y: 3900, width: 1600 / 9.0, height: 100))
        // The whole image is less wide than the film.
        let whole = try stop(0, 0, 6000, 4000)
        #expect(whole.height == 4000 && whole.minY == 0)
        #expect(abs(whole.width - 64_000 / 9.0) < 1e-9 && abs(whole.center.x - 3000) < 1e-9)
    }

    @Test("stays continuous and inside the image", arguments: [1, 2, 3] as [UInt64])
    func continuous(_ seed: UInt64) throws {
        var numbers = Numbers(seed: seed)
        for _ in 0..<50 {
            let poses = (0..<4).map { _ in
                FlightPath.Pose(
                    Rect(
                        x: numbers.next(0...5000), y: numbers.next(0...3500), width: numbers.next(10...900),
                        height: numbers.next(10...450)), hold: numbers.next(0...1))
            }
            let path = try Self.path(poses)
            var previous = path.rect(at: 0)
            for step in 1...400 {
                let rect = path.rect(at: path.duration * Double(step) / 400)
                #expect(abs(rect.width * 720 / rect.height / 1280 - 1) < 1e-12)
                if rect.width <= 6000 { #expect(rect.minX >= 0 && rect.maxX <= 6000 + 1e-9) }
                if rect.height <= 4000 { #expect(rect.minY >= 0 && rect.maxY <= 4000 + 1e-9) }
                // At speed 1 the width changes by at most e to the power of rho times the time, and easing
                // at most doubles the speed.
                let ratio = rect.width / previous.width
                #expect(max(ratio, 1 / ratio) < 1 + path.duration / 400 * 4)
                previous = rect
            }
        }
    }

    @Test("divides the free time by the lengths of the legs, after holds and given durations")
    func times() throws {
        let middle = Rect<ImageSpace>(x: 2000, y: 1000, width: 1280, height: 720)
        let free = try Self.path([.init(Self.near), .init(middle), .init(Self.far)])
        let legs = [
            try Self.path([.init(Self.near), .init(middle)]).duration,
            try Self.path([.init(middle), .init(Self.far)]).duration,
        ]
        #expect(free.duration == legs[0] + legs[1])
        let path = try Self.path(
            [.init(Self.near, hold: 1), .init(middle, hold: 0.5), .init(Self.far, hold: 2)], duration: 10)
        #expect(abs(path.duration - 10) < 1e-12)
        let arrival = 1 + 6.5 * legs[0] / (legs[0] + legs[1])
        #expect(path.rect(at: 1) == Self.near && path.rect(at: 1.001) != Self.near)
        for time in [arrival + 1e-9, arrival + 0.4999] { #expect(path.rect(at: time) == middle) }
        #expect(path.rect(at: arrival - 0.01) != middle && path.rect(at: arrival + 0.51) != middle)
        #expect(path.rect(at: 8.0001) == Self.far && path.rect(at: 7.9) != Self.far)
        let given = try Self.path(
            [.init(Self.near), .init(middle, duration: 4), .init(Self.far)], duration: 10)
        #expect(given.rect(at: 4) == middle && given.duration == 10)
        let cut = try Self.path([.init(Self.near, hold: 1), .init(Self.far, hold: 1, duration: 0)])
        #expect(cut.rect(at: 0.999) == Self.near && cut.rect(at: 1) == Self.far && cut.duration == 2)
        let still = try Self.path([.init(Self.near), .init(Self.near)], duration: 3)
        #expect(still.duration == 3 && still.rect(at: 1.5) == Self.near)
    }

    @Test("eases each leg by its curve")
    func easing() throws {
        func share(_ easing: FlightPath.Easing) throws -> Double {
            // A pan of parts of the same size is so short that the path is nearly straight.
            let to = Rect<ImageSpace>(x: 1001, y: 1000, width: 1280, height: 720)
            let from = Rect<ImageSpace>(x: 1000, y: 1000, width: 1280, height: 720)
            return try Self.path([.init(from), .init(to, easing: easing)], duration: 1)
                .rect(at: 0.25).center.x
                - 1640
        }
        #expect(abs(try share(.linear) - 0.25) < 1e-6)
        // WebKit's values of CSS's curves at a quarter of the time.
        #expect(abs(try share(.ease) - 0.4085) < 1e-3)
        #expect(abs(try share(.easeIn) - 0.0935) < 1e-3)
        #expect(abs(try share(.easeOut) - 0.3781) < 1e-3)
        #expect(abs(try share(.easeInOut) - 0.1292) < 1e-3)
        #expect(FlightPath.Easing(0, 0, 1, 1) == .linear && FlightPath.Easing(.nan, 0, 1, 1) == nil)
        #expect(FlightPath.Easing(-1, -3, 2, 7) == FlightPath.Easing(0, 0, 1, 1))
    }

    @Test("of Ken Burns begins with the largest part that fills the film and zooms to the focus")
    func kenBurns() throws {
        for focus in [(0.0, 0.0), (6000, 4000), (3000, 1000)] as [(Double, Double)] {
            let poses = FlightPath.kenBurns(
                towards: Point(x: focus.0, y: focus.1), size: Self.film, imageSize: Self.image)
            #expect(poses[0].rect == Rect(x: 0, y: 312.5, width: 6000, height: 3375))
            let end = poses[1].rect
            #expect(abs(end.width - 4200) < 1e-9 && end.minX >= 0 && end.maxX <= 6000.000_001)
            #expect(end.minY >= 0 && end.maxY <= 4000.000_001)
            #expect(try Self.path(poses).stops == poses.map(\.rect))
        }
    }

    static let refused: [([FlightPath.Pose], Double?, FlightPathError)] = [
        ([], 1, .empty),
        ([.init(near), .init(Rect(x: 0, y: 0, width: 0, height: 10))], 1, .invalidRect(pose: 1)),
        ([.init(Rect(x: .nan, y: 0, width: 1, height: 10))], 1, .invalidRect(pose: 0)),
        ([.init(Rect(x: 0, y: 0, width: .infinity, height: 10))], 1, .invalidRect(pose: 0)),
        ([.init(near), .init(Rect(x: 6000, y: 0, width: 10, height: 10))], 1, .outside(pose: 1)),
        ([.init(near, hold: -1), .init(far)], 1, .invalidTime(pose: 0)),
        ([.init(near), .init(far, hold: .nan)], 1, .invalidTime(pose: 1)),
        ([.init(near), .init(far, duration: .infinity)], nil, .invalidTime(pose: 1)),
        ([.init(near), .init(far)], 0, .invalidDuration), ([.init(near), .init(far)], -1, .invalidDuration),
        ([.init(near), .init(far)], .nan, .invalidDuration),
        ([.init(near), .init(far)], 1e9, .invalidDuration),
        ([.init(near), .init(near)], nil, .noDuration), ([.init(near)], nil, .noDuration),
        ([.init(near, hold: 2), .init(far)], 2, .conflict(poses: 2, duration: 2)),
        ([.init(near), .init(far, duration: 3)], 2, .conflict(poses: 3, duration: 2)),
    ]

    @Test("refuses poses and times that make no film", arguments: refused.indices)
    func refusals(_ index: Int) {
        let (poses, duration, expected) = Self.refused[index]
        #expect(throws: expected) { try Self.path(poses, duration: duration) }
    }

    /// Seeded numbers.
    struct Numbers {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next(_ range: ClosedRange<Double>) -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Double(state >> 11) * 0x1p-53 * (range.upperBound - range.lowerBound)
        }
    }
}
