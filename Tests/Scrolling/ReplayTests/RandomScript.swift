/// A seeded generator of random numbers: the same seed gives the same script on every machine.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double {
        (Double.random(in: range, using: &self) * 100).rounded() / 100
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }

    mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &self)]
    }
}

/// Generates scripts with any sequence of operations and touches.
struct RandomScript {
    private var random: SplitMix
    private var time = 0.0
    private var fingers: [Int: (Double, Double)] = [:]

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func setup() -> String {
        let least = random.pick([1, 0.05, 0.25, 0.5])
        let greatest = random.pick([1, 1, 4, 30])
        let fields = [
            "\"bounds\":[\(random.number(1...900)),\(random.number(1...900))]",
            "\"viewSize\":[\(random.number(0...5000)),\(random.number(0...5000))]",
            "\"minimumZoomScale\":\(least),\"maximumZoomScale\":\(greatest)",
            "\"zoomScale\":\(random.number(0.1...4))",
            "\"contentInset\":\(random.chance(0.3) ? insets() : "[0,0,0,0]")",
            "\"contentAlignment\":\(random.pick(["\"topLeading\"", "\"center\"", "[0.2,1]"]))",
            "\"contentRotation\":\(random.chance(0.3) ? random.number(0...360) : random.pick([0, 0, 90, 180, 270]))",
            "\"bounces\":\(random.chance(0.8)),\"bouncesZoom\":\(random.chance(0.8))",
            "\"alwaysBounceVertical\":\(random.chance(0.3)),\"alwaysBounceHorizontal\":\(random.chance(0.3))",
            "\"isPagingEnabled\":\(random.chance(0.2)),\"isDirectionalLockEnabled\":\(random.chance(0.2))",
            "\"bouncesHorizontally\":\(random.chance(0.8)),\"scrollsToTop\":\(random.chance(0.8))",
            "\"safeAreaInsets\":\(random.chance(0.3) ? insets() : "[0,0,0,0]")",
            "\"contentInsetAdjustmentBehavior\":\(behavior())",
            "\"isReversed\":\(random.chance(0.15))",
            "\"decelerationRate\":\(random.pick(["\"normal\"", "\"fast\"", "0.995"]))",
            "\"rounding\":\(random.pick(["\"none\"", "\"none\"", "\"pixel\""])),\"displayScale\":\(random.pick([1, 2, 3]))",
        ]
        return "{\"setup\":{\(fields.joined(separator: ","))}}"
    }

    mutating func line() -> String {
        time += random.pick([0, 0.008, 0.016, 0.016, 0.05, 0.3, 2])
        let now = time
        return "{\"t\":\(now),\(action())}"
    }

    private mutating func action() -> String {
        let most = random.chance(0.02) ? 1e9 : 1000
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: return touch()
        case 60..<64: return "\"setContentOffset\":\(point(most)),\"animated\":\(random.chance(0.5))"
        case 64..<68:
            return
                "\"setZoomScale\":\(random.number(0.01...40)),\"anchor\":\(point(500)),\"animated\":\(random.chance(0.5))"
        case 68..<71: return "\"zoomToRect\":\(rect(most)),\"animated\":\(random.chance(0.5))"
        case 71..<74:
            let alignment = random.pick(["nearest", "start", "center", "end"])
            return
                "\"scrollRectToVisible\":\(rect(most)),\"alignment\":\"\(alignment)\",\"animated\":\(random.chance(0.5))"
        case 74..<76: return "\"setBounds\":[\(random.number(0...900)),\(random.number(0...900))]"
        case 76..<77: return "\"setContentInset\":\(insets())"
        case 77..<78:
            return random.chance(0.5)
                ? "\"setSafeAreaInsets\":\(insets())"
                : "\"setContentInsetAdjustmentBehavior\":\(behavior())"
        case 78..<80: return "\"setViewSize\":[\(random.number(0...5000)),\(random.number(0...5000))]"
        case 80..<84:
            return
                "\"wheel\":\(point(300)),\"at\":\(point(500)),\"zoom\":\(random.chance(0.4)),\"animated\":\(random.chance(0.5))"
        case 84..<85:
            let isAllowed = random.chance(0.8)
            return
                "\"statusBarTap\":true,\"shouldScrollToTop\":\(isAllowed),\"animated\":\(random.chance(0.7))"
        case 85..<87: return "\"doubleTap\":\(point(500)),\"animated\":\(random.chance(0.5))"
        case 87..<90:
            let key = random.pick(["+", "-", "0", "ArrowUp", "ArrowLeft", "PageDown", "Home", "End"])
            return "\"key\":\"\(key)\",\"animated\":\(random.chance(0.5))"
        case 90..<92: return "\"flyTo\":\(rect(most)),\"duration\":\(random.number(0...3))"
        case 92..<94: return "\"setContentRotation\":\(random.number(-400...400))"
        case 94..<96: return "\"stop\":true"
        case 96..<97: return "\"setZoomLimits\":[\(random.number(0.01...1)),\(random.number(1...30))]"
        default:
            let seconds = random.number(0...3)
            // A small margin, so that the next line is never earlier than the end of this one.
            defer { time += seconds + 1e-6 }
            return "\"advance\":\(seconds)"
        }
    }

    private mutating func touch() -> String {
        if fingers.isEmpty || fingers.count < 2 && random.chance(0.15) {
            let id = fingers.keys.contains(1) ? 2 : 1
            fingers[id] = (random.number(0...900), random.number(0...900))
            return touches([id], "began")
        }
        if random.chance(0.15) {
            let ids = random.chance(0.5) ? fingers.keys.sorted() : [random.pick(fingers.keys.sorted())]
            let line = touches(ids, random.pick(["ended", "ended", "cancelled"]))
            for id in ids { fingers[id] = nil }
            return line
        }
        for id in fingers.keys.sorted() {
            let (x, y) = fingers[id] ?? (0, 0)
            fingers[id] = (x + random.number(-60...60), y + random.number(-60...60))
        }
        return touches(fingers.keys.sorted(), "moved")
    }

    private func touches(_ ids: [Int], _ phase: String) -> String {
        let list = ids.map { id in "[\(id),\(fingers[id]?.0 ?? 0),\(fingers[id]?.1 ?? 0)]" }
        return "\"touches\":[\(list.joined(separator: ","))],\"phase\":\"\(phase)\""
    }

    private mutating func point(_ most: Double) -> String {
        "[\(random.number(-most...most)),\(random.number(-most...most))]"
    }

    private mutating func rect(_ most: Double) -> String {
        "[\(random.number(-most...most)),\(random.number(-most...most)),\(random.number(0...most)),\(random.number(0...most))]"
    }

    private mutating func behavior() -> String {
        "\"\(random.pick(["always", "always", "automatic", "scrollableAxes", "never"]))\""
    }

    private mutating func insets() -> String {
        "[\(random.number(-20...200)),\(random.number(-20...200)),\(random.number(-20...200)),\(random.number(-20...200))]"
    }
}
