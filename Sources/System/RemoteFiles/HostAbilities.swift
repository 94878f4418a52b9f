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

    /// Scheme, host and port.
    private static func host(of url: String) -> String {
        let start = (url.firstRange(of: "://")?.upperBound) ?? url.startIndex
        return String(url[..<(url[start...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex)])
    }
}
