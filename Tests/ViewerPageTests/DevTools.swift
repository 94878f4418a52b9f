import Foundation
import TestSupport
import Testing

/// Chromium without a window, spoken to in its DevTools protocol over a pipe.
///
/// Messages are JSON and end with NUL: commands go to its file descriptor 3, answers and events come from 4.
final class DevTools {
    private let process: Process
    private let commands: FileHandle
    private let answers: FileHandle
    private let profile: TemporaryFolder
    private var unread = Data()
    private var lastID = 0
    private var session: String?
    /// Told every event while an answer is waited for.
    var onEvent: (_ method: String, _ parameters: [String: Any]) throws -> Void = { _, _ in }

    /// The program; cancels the test, with the reason, where it is not installed.
    static func program() throws -> BuiltProgram {
        // They take minutes, and a busy machine lets some of them miss their moment.
        guard ProcessInfo.processInfo.environment["VIEWPORT_BROWSER_TESTS"] != nil else {
            try Test.cancel("NO BROWSER TEST: set VIEWPORT_BROWSER_TESTS=1 to run them")
        }
        if let program = BuiltProgram(installed: "chromium") ?? BuiltProgram(installed: "google-chrome") {
            return program
        }
        try Test.cancel("NO BROWSER TEST: chromium is not installed (apt-get install chromium)")
    }

    init(_ program: BuiltProgram) throws {
        profile = try TemporaryFolder()
        let (toBrowser, fromBrowser) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null", program.url.path]
            + [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--force-color-profile=srgb",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
                "--user-data-dir=\(profile.url.path)", "about:blank",
            ]
        process.standardInput = toBrowser
        process.standardOutput = fromBrowser
        commands = toBrowser.fileHandleForWriting
        answers = fromBrowser.fileHandleForReading
        try process.run()
        // A browser that hangs is ended, and whoever waits for it then reads the end of its answers.
        let watched = process
        DispatchQueue.global().asyncAfter(deadline: .now() + 120) {
            if watched.isRunning { watched.terminate() }
        }
        let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? ""
        session =
            try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Sends a command and returns its result.
    @discardableResult
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        let id = try send(method, parameters)
        while true {
            let message = try next()
            guard message["id"] as? Int == id else {
                try hear(message)
                continue
            }
            if let error = message["error"] { throw DevToolsError("\(method): \(error)") }
            return message["result"] as? [String: Any] ?? [:]
        }
    }

    /// Sends a command whose result nobody needs.
    @discardableResult
    func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> Int {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        message["sessionId"] = session
        try commands.write(contentsOf: try JSONSerialization.data(withJSONObject: message) + [0])
        return lastID
    }

    private func hear(_ message: [String: Any]) throws {
        guard let method = message["method"] as? String else { return }
        try onEvent(method, message["params"] as? [String: Any] ?? [:])
    }

    private func next() throws -> [String: Any] {
        while true {
            if let end = unread.firstIndex(of: 0) {
                let message = try JSONSerialization.jsonObject(with: unread[..<end])
                unread = Data(unread[(end + 1)...])
                return message as? [String: Any] ?? [:]
            }
            let more = answers.availableData
            guard !more.isEmpty else { throw DevToolsError("the browser has ended") }
            unread += more
        }
    }
}

/// What pages are asked, and told.
extension DevTools {
    func resize(_ width: Int, _ height: Int, _ pixelRatio: Double = 1) throws {
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": pixelRatio, "mobile": false])
    }

    @discardableResult
    func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let exception = answer["exceptionDetails"] { throw DevToolsError("\(exception)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Waits until an expression is true.
    func wait(for condition: String) throws {
        for _ in 0..<1000 {
            if try evaluate(condition) as? Bool == true { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw DevToolsError("never came true: \(condition)")
    }

    func press(_ key: String) throws {
        let text = key.count == 1 ? key : ""
        try call("Input.dispatchKeyEvent", ["type": "keyDown", "key": key, "text": text])
        try call("Input.dispatchKeyEvent", ["type": "keyUp", "key": key])
    }
}

struct DevToolsError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
