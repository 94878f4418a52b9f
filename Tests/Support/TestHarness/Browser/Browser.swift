import Foundation
import TestSupport
import Testing

/// Answers the requests of a page.
package protocol PageHost: AnyObject {
    func answer(_ event: [String: Any], to browser: DevTools) throws
}

/// A page in the browser.
package final class Browser {
    package let tools: DevTools
    private let folder: TemporaryFolder
    /// The errors and warnings of the page.
    package private(set) var complaints: [String] = []

    /// Opens an empty page.
    ///
    /// - Parameter site: Answers the page's requests; nil if they go to servers on this machine.
    package init(_ site: (any PageHost)?, width: Int = 400, height: Int = 300, pixelRatio: Double = 1) throws
    {
        folder = try TemporaryFolder()
        tools = try DevTools.take()
        if site != nil {
            try tools.reusePage { [unowned self] in try self.hear($0, $1, site) }
        } else {
            try tools.openPage { [unowned self] in try self.hear($0, $1, nil) }
            for domain in ["Page", "Runtime", "Log"] { try tools.call("\(domain).enable") }
        }
        try resize(width, height, pixelRatio)
    }

    deinit { tools.giveBack() }

    private func hear(_ method: String, _ event: [String: Any], _ site: (any PageHost)?) throws {
        switch method {
        case "Fetch.requestPaused": try site?.answer(event, to: tools)
        case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
            complaints.append("\(event)")
        default: break
        }
    }

    package func resize(_ width: Int, _ height: Int, _ pixelRatio: Double = 1) throws {
        try tools.call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": pixelRatio, "mobile": false])
    }

    /// Makes the screen that of a phone or a tablet: touched, with three pixels per point.
    package func becomePhone(_ width: Int, _ height: Int) throws {
        try tools.call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 3, "mobile": true])
        try tools.call("Emulation.setTouchEmulationEnabled", ["enabled": true, "maxTouchPoints": 5])
    }

    /// Brings the page to the front, so that the browser lays it out and draws it.
    package func look() throws { try tools.call("Page.captureScreenshot") }

    /// Sets a preference of the user, such as `prefers-color-scheme: dark`.
    package func prefer(_ feature: String, _ value: String) throws {
        try tools.call("Emulation.setEmulatedMedia", ["features": [["name": feature, "value": value]]])
    }

    /// Runs a script in every page before the page's own scripts.
    package func before(_ script: String) throws {
        try tools.runBefore(script)
    }

    package func open(_ address: String) throws {
        try visit(address)
        try settle()
    }

    /// Opens a page that may never show an image.
    package func visit(_ address: String) throws {
        try tools.call("Page.navigate", ["url": address])
    }

    /// Waits until nothing moves and everything visible has loaded.
    package func settle() throws {
        try wait(
            for: "document.querySelector('canvas') !== null"
                + " && [...document.querySelectorAll('canvas')].every((one) => one.ariaBusy === 'false')")
    }

    /// Waits until an expression is true; it may read members of elements that the page does not have yet.
    ///
    /// The page itself looks again and again: a question to it, and its answer, cost more than most conditions.
    package func wait(for condition: String) throws {
        let looks = """
            new Promise((resolve, reject) => {
                let looks = 0
                const look = async () => {
                    try {
                        if (await (\(condition)) === true) return resolve(true)
                    } catch (error) {
                        if (!`${error}`.includes('properties of null')) return reject(error)
                    }
                    if (++looks === 1000) resolve(false)
                    else setTimeout(look, 5)
                }
                look()
            })
            """
        var (attempts, pages) = (0, 0)
        while attempts < 12, pages < 1000 {
            do {
                if try evaluate(looks) as? Bool == true { return }
                attempts += 1
            } catch let error as DevToolsError where error.isOfNavigation {
                pages += 1
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
        try fail(condition)
    }

    /// Waits until an expression is true, where the page cannot look by itself.
    package func ask(_ condition: String) throws {
        for _ in 0..<3000 {
            if try evaluate(condition) as? Bool == true { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        try fail(condition)
    }

    private func fail(_ condition: String) throws -> Never {
        let state = try evaluate("location.href + ' ' + document.body?.innerText") as? String ?? ""
        throw DevToolsError("never came true: \(condition); the page is \(state)")
    }

    @discardableResult
    package func evaluate(_ expression: String) throws -> Any? {
        try tools.evaluate(expression)
    }

    package func text(_ selector: String) throws -> String {
        try evaluate("document.querySelector('\(selector)').textContent") as? String ?? ""
    }

    /// Writes the picture of a canvas to a file, and returns its path.
    package func picture(of selector: String) throws -> String {
        let text = try evaluate("document.querySelector('\(selector)').toDataURL().split(',')[1]") as? String
        let data = try #require(text.flatMap { Data(base64Encoded: $0) })
        let path = folder.path("canvas.png")
        try data.write(to: URL(filePath: path))
        return path
    }

    /// The fragment of the page's URL.
    package var place: String { get throws { try evaluate("location.hash.slice(1)") as? String ?? "" } }
}

/// Input: real events with realistic timestamps.
///
/// Delivery may be slow, but the timestamps are as far apart as requested, as with a real mouse.
extension Browser {
    private static let step = 0.016

    package func wheel(_ dx: Int, _ dy: Int, at point: (Int, Int), control: Bool = false) throws {
        try tools.call(
            "Input.dispatchMouseEvent",
            [
                "type": "mouseWheel", "x": point.0, "y": point.1, "deltaX": dx, "deltaY": dy,
                "modifiers": control ? 2 : 0,
            ])
    }

    /// Presses the mouse at the first point, moves it to all others, and releases it at the last.
    package func drag(_ points: [(Int, Int)], shift: Bool = false) throws {
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

    /// For every gesture, puts fingers down, moves them step by step, and lifts them.
    ///
    /// Each step of a gesture contains the locations of all fingers.
    package func fingers(_ gestures: [[(Int, Int)]]...) throws {
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

    /// The middle of an element, given by an expression.
    package func middle(of element: String) throws -> (Int, Int) {
        let found =
            try evaluate(
                "(({ x, y, width, height }) => [x + width / 2, y + height / 2])((\(element)).getBoundingClientRect())"
            )
            as? [Double]
        let point = try #require(found, "there is no \(element)")
        return (Int(point[0]), Int(point[1]))
    }

    /// Taps the middle of an element, given by an expression.
    package func tap(_ element: String) throws { try fingers([[middle(of: element)]]) }

    /// Moves the mouse without a pressed button.
    package func move(to point: (Int, Int)) throws {
        try tools.call("Input.dispatchMouseEvent", ["type": "mouseMoved", "x": point.0, "y": point.1])
    }

    /// Clicks with the mouse.
    package func click(at point: (Int, Int)) throws {
        try move(to: point)
        try drag([point])
    }

    /// Types a text, as a keyboard on a screen does.
    package func type(_ text: String) throws { try tools.call("Input.insertText", ["text": text]) }

    package func press(_ key: String, shift: Bool = false) throws {
        let text = key == "Enter" ? "\r" : key.count == 1 ? key : ""
        let modifiers = shift ? 8 : 0
        // Without its code a key has no effect of its own, such as moving the focus.
        let code = Self.codes[key] ?? 0
        try tools.call(
            "Input.dispatchKeyEvent",
            [
                "type": "keyDown", "key": key, "text": text, "modifiers": modifiers,
                "windowsVirtualKeyCode": code,
            ])
        try tools.call(
            "Input.dispatchKeyEvent",
            ["type": "keyUp", "key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code])
    }

    private static let codes = [
        "Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40,
    ]

    private static var now: Double { Date.now.timeIntervalSince1970 }
}
