internal import Hummingbird
internal import Logging

/// Counts and logs every answer.
struct RequestObserver: Sendable {
    let metrics: ServerMetrics
    let logger: Logger

    func observe(_ request: Request, _ route: String, _ response: Response, _ time: Duration) {
        metrics.answered(route: route, status: response.status.code, after: time)
        logger.debug(
            "answered",
            metadata: [
                "method": "\(request.method)", "path": "\(Self.path(request))",
                "status": "\(response.status.code)",
                "bytes": "\(response.headers[.contentLength] ?? "0")",
                "ms": "\((time / .microseconds(1)).rounded() / 1000)",
            ])
    }

    /// The path without its query, which may have a token, and without what could break a line.
    private static func path(_ request: Request) -> String {
        String(
            (request.head.path ?? "").prefix { $0 != "?" }.filter { $0.isASCII && !$0.isNewline }.prefix(300))
    }
}
