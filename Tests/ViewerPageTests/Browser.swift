import Foundation
import TestSupport
import Testing

/// A browser that shows the page of a site, and the hands in front of it.
final class Browser {
    let site: Site
    private let tools: DevTools
    /// What the page complained about.
    private(set) var complaints: [String] = []

    init(_ site: Site, width: Int = 400, height: Int = 300, pixelRatio: Double = 1) throws {
        self.site = site
        tools = try DevTools(DevTools.program())
        tools.onEvent = { [unowned self] method, event in
            switch method {
            case "Fetch.requestPaused": try site.answer(event, to: tools)
            case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
                complaints.append("\(event)")
            default: break
            }
        }
        for domain in ["Page", "Runtime", "Log"] { try tools.call("\(domain).enable") }
        try tools.call("Fetch.enable", ["patterns": [["urlPattern": "*"]]])
        try resize(width, height, pixelRatio)
    }

    func resize(_ width: Int, _ height: Int, _ pixelRatio: Double = 1) throws {
        try tools.resize(width, height, pixelRatio)
    }

    /// Says what the reader prefers, as `prefers-color-scheme: dark`.
    func prefer(_ feature: String, _ value: String) throws {
        try tools.call("Emulation.setEmulatedMedia", ["features": [["name": feature, "value": value]]])
    }

    /// Runs a script in every page before its own.
    func before(_ script: String) throws {
        try tools.call("Page.addScriptToEvaluateOnNewDocument", ["source": script])
    }

    func open(_ address: String = Site.address) throws {
        try tools.call("Page.navigate", ["url": address])
        try settle()
    }

    /// Waits until nothing moves and all that is seen is there.
    func settle() throws {
        try wait(for: "document.querySelector('#picture')?.ariaBusy === 'false'")
    }

    /// Waits until an expression is true.
    func wait(for condition: String) throws {
        try tools.wait(for: condition)
    }

    @discardableResult
    func evaluate(_ expression: String) throws -> Any? {
        try tools.evaluate(expression)
    }

    func text(_ selector: String) throws -> String {
        try evaluate("document.querySelector('\(selector)').textContent") as? String ?? ""
    }

    /// The fragment of the page's address.
    var place: String { get throws { try evaluate("location.hash.slice(1)") as? String ?? "" } }

    /// The canvas as it is.
    var pixels: Pixels {
        get throws {
            let text = try evaluate("document.querySelector('#picture').toDataURL().split(',')[1]") as? String
            let data = try #require(text.flatMap { Data(base64Encoded: $0) })
            let path = site.folder.path("canvas.png")
            try data.write(to: URL(filePath: path))
            return try Pixels(path)
        }
    }

    func save(screenshot path: String) throws {
        let data = try tools.call("Page.captureScreenshot")["data"] as? String
        try #require(data.flatMap { Data(base64Encoded: $0) }).write(to: URL(filePath: path))
    }
}

/// Hands.
extension Browser {
    func wheel(_ dx: Int, _ dy: Int, at point: (Int, Int), control: Bool = false) throws {
        try tools.call(
            "Input.dispatchMouseEvent",
            [
                "type": "mouseWheel", "x": point.0, "y": point.1, "deltaX": dx, "deltaY": dy,
                "modifiers": control ? 2 : 0,
            ])
    }

    /// Presses the mouse at the first point, moves it to all others, and lets go at the last.
    func drag(_ points: [(Int, Int)], shift: Bool = false, pause: Double = 0.016) throws {
        func mouse(_ type: String, _ point: (Int, Int), _ buttons: Int) throws {
            try tools.call(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": point.0, "y": point.1, "button": "left", "buttons": buttons,
                    "clickCount": 1,
                    "modifiers": shift ? 8 : 0,
                ])
        }
        try mouse("mousePressed", points[0], 1)
        for point in points.dropFirst() {
            Thread.sleep(forTimeInterval: pause)
            try mouse("mouseMoved", point, 1)
        }
        try mouse("mouseReleased", points[points.count - 1], 0)
    }

    /// Sets fingers down, moves them step by step, and lifts them; each step holds the places of all.
    func fingers(_ steps: [[(Int, Int)]]) throws {
        func touch(_ type: String, _ points: [(Int, Int)]) throws {
            let list = points.enumerated().map { ["id": $0, "x": $1.0, "y": $1.1] }
            try tools.call("Input.dispatchTouchEvent", ["type": type, "touchPoints": list])
        }
        for count in 1...steps[0].count { try touch("touchStart", Array(steps[0].prefix(count))) }
        for step in steps.dropFirst() {
            Thread.sleep(forTimeInterval: 0.016)
            try touch("touchMove", step)
        }
        try touch("touchEnd", [])
    }

    func press(_ key: String) throws {
        try tools.press(key)
    }
}
