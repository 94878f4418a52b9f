import Foundation
import Synchronization
import TestSupport
import Testing

/// Headless Chromium, controlled by the DevTools protocol over a pipe.
///
/// One test at a time uses a browser, on any thread. Messages are JSON and end with NUL: commands on its file descriptor 3, answers and events on 4. When the
/// pipe closes, at the end of the tests' process, the browser exits and its profile is removed.
package final class DevTools: @unchecked Sendable {
    private let commands: FileHandle
    private let answers: FileHandle
    private var unread = Data()
    /// The number of bytes of `unread` that contain no end of a message.
    private var searched = 0
    private var lastID = 0
    /// Whether the browser has answered everything.
    private var isAlive = true
    private var session: String?
    private var context: String?
    /// Scripts that run in every page of the session before the page's own.
    private var scripts: [String] = []
    /// Whether the open page may be cleared and reused.
    private var isReusable = false
    /// Called for every event of the page while waiting for an answer.
    private var onEvent: (_ method: String, _ parameters: [String: Any]) throws -> Void = { _, _ in }

    private static let program =
        BuiltProgram(installed: "chromium") ?? BuiltProgram(installed: "google-chrome")

    /// Browsers that run, and that no test uses.
    private static let idle = Mutex<[DevTools]>([])

    /// Returns a browser that no other test uses until it is given back.
    ///
    /// Cancels the test if there is none.
    static func take() throws -> DevTools {
        if let browser = idle.withLock({ $0.popLast() }) { return browser }
        guard let program else {
            try Test.cancel("NO BROWSER TEST: chromium is not installed (apt-get install chromium)")
        }
        do {
            return try DevTools(program)
        } catch {
            try Test.cancel("NO BROWSER TEST: chromium does not start (\(error))")
        }
    }

    /// Leaves the browser to other tests.
    func giveBack() {
        onEvent = { _, _ in }
        if isAlive { Self.idle.withLock { $0.append(self) } }
    }

    /// The timeout of an answer, in milliseconds.
    private static let timeout: Int32 = 60_000

    private init(_ program: BuiltProgram) throws {
        // If the browser exits, the next command fails instead of ending the tests.
        signal(SIGPIPE, SIG_IGN)
        let (toBrowser, fromBrowser) = (Pipe(), Pipe())
        let profile = FileManager.default.temporaryDirectory.appending(path: "viewport-\(UUID().uuidString)")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            profile=$0
            "$@" "--user-data-dir=$profile" about:blank 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null
            rm -rf "$profile"
            """, profile.path, program.url.path, "--headless=new", "--no-sandbox", "--disable-gpu",
            "--remote-debugging-pipe", "--no-first-run", "--disable-dev-shm-usage",
            "--disable-background-networking", "--force-color-profile=srgb",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        process.standardInput = toBrowser
        process.standardOutput = fromBrowser
        commands = toBrowser.fileHandleForWriting
        answers = fromBrowser.fileHandleForReading
        try process.start()
        try call("Browser.getVersion")
    }

    /// Clears the page of the previous test, which is much faster than opening a page, if both tests answer
    /// all of its requests themselves.
    package func reusePage(onEvent: @escaping (_ method: String, _ parameters: [String: Any]) throws -> Void)
        throws
    {
        guard isReusable else {
            try openPage(onEvent: onEvent)
            for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable") }
            // Files loaded by an earlier test must be requested again.
            try call("Network.enable")
            try call("Network.setCacheDisabled", ["cacheDisabled": true])
            try call("Fetch.enable", ["patterns": [["urlPattern": "*"]]])
            isReusable = true
            return
        }
        self.onEvent = { _, _ in }
        for script in scripts { try call("Page.removeScriptToEvaluateOnNewDocument", ["identifier": script]) }
        scripts = []
        try call("Emulation.setEmulatedMedia", ["features": []])
        try call("Page.navigate", ["url": "about:blank"])
        // Events of the old page precede the answer for the new one.
        while try evaluate("location.href + document.readyState") as? String != "about:blankcomplete" {
            Thread.sleep(forTimeInterval: 0.002)
        }
        try call("Storage.clearDataForOrigin", ["origin": "http://127.0.0.1", "storageTypes": "all"])
        self.onEvent = onEvent
    }

    /// Runs a script in every page of the session before the page's own.
    package func runBefore(_ script: String) throws {
        let added = try call("Page.addScriptToEvaluateOnNewDocument", ["source": script])
        scripts += (added["identifier"] as? String).map { [$0] } ?? []
    }

    /// Returns the value of an expression in the page.
    ///
    /// Promises are awaited.
    @discardableResult
    package func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let exception = answer["exceptionDetails"] { throw DevToolsError("\(exception)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Closes the open page and opens an empty one without state of earlier pages.
    package func openPage(onEvent: @escaping (_ method: String, _ parameters: [String: Any]) throws -> Void)
        throws
    {
        session = nil
        (scripts, isReusable) = ([], false)
        self.onEvent = { _, _ in }
        if let context { try call("Target.disposeBrowserContext", ["browserContextId": context]) }
        let context = try call("Target.createBrowserContext")["browserContextId"] as? String ?? ""
        self.context = context
        let page = try call("Target.createTarget", ["url": "about:blank", "browserContextId": context])
        let attached = try call(
            "Target.attachToTarget", ["targetId": page["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String
        self.onEvent = onEvent
    }

    /// Sends a command and returns its result.
    @discardableResult
    package func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
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

    /// Sends a command and ignores its result.
    @discardableResult
    package func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> Int {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        message["sessionId"] = session
        try commands.write(contentsOf: try JSONSerialization.data(withJSONObject: message) + [0])
        return lastID
    }

    private func hear(_ message: [String: Any]) throws {
        // Closed pages may still send events.
        guard let method = message["method"] as? String, message["sessionId"] as? String == session else {
            return
        }
        try onEvent(method, message["params"] as? [String: Any] ?? [:])
    }

    private func next() throws -> [String: Any] {
        while true {
            if let length = unread.lengthOfFirstMessage(from: searched) {
                let message = try JSONSerialization.jsonObject(with: unread.prefix(length))
                unread = Data(unread.dropFirst(length + 1))
                searched = 0
                return message as? [String: Any] ?? [:]
            }
            searched = unread.count
            var waiting = pollfd(fd: answers.fileDescriptor, events: Int16(POLLIN), revents: 0)
            // `waiting` is written by the call and outlives it.
            guard unsafe poll(&waiting, 1, Self.timeout) > 0 else {
                isAlive = false
                throw DevToolsError("the browser does not respond")
            }
            let more = answers.availableData
            guard !more.isEmpty else {
                isAlive = false
                throw DevToolsError("the browser has ended")
            }
            unread += more
        }
    }
}

extension Data {
    /// The bytes before the first NUL; nil if there is none.
    ///
    /// `firstIndex(of:)` takes a fraction of a second for a picture, unoptimized.
    fileprivate func lengthOfFirstMessage(from start: Int) -> Int? {
        // The bytes are read within the closure, and no further than their count.
        unsafe withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let end = unsafe memchr(base + start, 0, bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(end) - base
        }
    }
}

package struct DevToolsError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Whether the page that was asked has been left for another one.
    var isOfNavigation: Bool {
        ["navigated or closed", "Promise was collected", "Execution context was destroyed"]
            .contains(where: description.contains)
    }
}
