import ScrollModel

extension Viewer {
    /// Moves a finger within 0.1 s and lifts it.
    mutating func flick(from start: Point<ViewSpace>, by dx: Double) -> [ScrollEvent] {
        var events = Array(touch(start, .began))
        for frame in 1...6 {
            events += advance(to: pages.time + 1.0 / 60)
            let location = Point<ViewSpace>(x: start.x + dx * Double(frame) / 6, y: start.y)
            events += touch(location, frame < 6 ? .moved : .ended)
        }
        return events + settle()
    }

    /// Plays frames, 60 a second, until nothing moves.
    mutating func settle() -> [ScrollEvent] {
        var events: [ScrollEvent] = []
        repeat { events += advance(to: pages.time + 1.0 / 60) } while isMoving
        return events
    }

    func report(_ action: String, _ events: [ScrollEvent]) {
        let rect = photo.visibleRect
        print("\(action): page \(page + 1), photo from x = \(Int(rect.minX)), \(Int(rect.width)) wide")
        let names = events.filter { $0 != .didScroll && $0 != .didZoom }.map { "\($0.name)" }
        print("   ", names.joined(separator: " "))
    }
}

var viewer = Viewer(
    bounds: Size(width: 390, height: 844), photos: Array(repeating: Size(width: 3000, height: 4000), count: 3)
)
let fingertip = Point<ViewSpace>(x: 300, y: 400)
var events = viewer.flick(from: fingertip, by: -120)
viewer.report("flick", events)
events = viewer.flick(from: fingertip, by: -4)
viewer.report("short drag", events)
events = Array(viewer.doubleTap(fingertip)) + viewer.settle()
viewer.report("double tap", events)
events = viewer.flick(from: fingertip, by: -40)
viewer.report("flick", events)
