internal import Basics
internal import Synchronization

/// How many ranges servers send together, by host, as they were seen to do.
enum HostAbilities {
    private static let mostRanges = Mutex(LRUCache<String, Int>(capacity: 256))

    /// The most ranges of a request: Starlette sends the whole file beyond, Apache beyond twice as many.
    static let usualRanges = 100

    static func mostRanges(of url: String) -> Int {
        mostRanges.withLock { $0.value(host(of: url)) } ?? usualRanges
    }

    /// Remembers that a server sends fewer ranges together.
    static func limit(_ url: String, to ranges: Int) {
        mostRanges.withLock { $0.insert(ranges, for: host(of: url), cost: 1) }
    }

    /// The names of servers that are known to send one range at a time: what they send instead of several may be the whole file.
    private static let singles: [(field: String, name: String)] = [
        ("server", "amazons3"), ("server", "tornadoserver/"), ("server", "aiohttp/"), ("server", "werkzeug/"),
        ("server", "wsgiserver/"), ("via", "varnish"),
    ]

    /// Whether the head of an answer names such a server.
    static func sendsOneRange(_ head: ResponseHead) -> Bool {
        singles.contains { head.fields[$0.field]?.lowercased().contains($0.name) == true }
    }

    /// Scheme, host and port.
    private static func host(of url: String) -> String {
        let start = (url.firstRange(of: "://")?.upperBound) ?? url.startIndex
        return String(url[..<(url[start...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex)])
    }
}
