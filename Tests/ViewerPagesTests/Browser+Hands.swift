import Foundation

/// Hands: real events, with the times that hands have.
///
/// A machine may be slow to deliver them. What they did lies as far apart as it says, as with a real mouse.
extension Browser {
    private static let step = 0.016

    func wheel(_ dx: Int, _ dy: Int, at point: (Int, Int), control: Bool = false) throws {
        try tools.call(
            "Input.dispatchMouseEvent",
            [
                "type": "mouseWheel", "x": point.0, "y": point.1, "deltaX": dx, "deltaY": dy,
                "modifiers": control ? 2 : 0,
            ])
    }

    /// Presses the mouse at the first point, moves it to all others, and lets go at the last.
    func drag(_ points: [(Int, Int)], shift: Bool = false) throws {
        var time = Self.now
        func mouse(_ type: String, _ point: (Int, Int), _ buttons: Int) throws {
            try tools.call(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": point.0, "y": point.1, "button": "left", "buttons": buttons,
                    "clickCount": 1, "modifiers": shift ? 8 : 0, "timestamp": time,
                ])
            time += Self.step
            Thread.sleep(forTimeInterval: Self.step)
        }
        try mouse("mousePressed", points[0], 1)
        for point in points.dropFirst() { try mouse("mouseMoved", point, 1) }
        try mouse("mouseReleased", points[points.count - 1], 0)
    }

    /// Sets fingers down, moves them step by step, and lifts them, and so again for every gesture.
    ///
    /// Each step of a gesture holds the places of all fingers.
    func fingers(_ gestures: [[(Int, Int)]]...) throws {
        var time = Self.now
        func touch(_ type: String, _ points: [(Int, Int)]) throws {
            let list = points.enumerated().map { ["id": $0, "x": $1.0, "y": $1.1] }
            try tools.call(
                "Input.dispatchTouchEvent", ["type": type, "touchPoints": list, "timestamp": time])
            time += Self.step
            Thread.sleep(forTimeInterval: Self.step)
        }
        for steps in gestures {
            for count in 1...steps[0].count { try touch("touchStart", Array(steps[0].prefix(count))) }
            for step in steps.dropFirst() { try touch("touchMove", step) }
            try touch("touchEnd", [])
        }
    }

    func press(_ key: String) throws {
        let text = key.count == 1 ? key : ""
        try tools.call("Input.dispatchKeyEvent", ["type": "keyDown", "key": key, "text": text])
        try tools.call("Input.dispatchKeyEvent", ["type": "keyUp", "key": key])
    }

    private static var now: Double { Date.now.timeIntervalSince1970 }
}
