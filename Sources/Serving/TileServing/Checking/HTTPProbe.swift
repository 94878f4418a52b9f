#if Server
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// An HTTP client that sends single requests unchanged, even malformed ones.
package struct HTTPProbe: Sendable {
    package struct Response: Sendable {
        package let status: Int
        /// Keyed by lowercase names.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let host: String
    package let port: Int
    /// The time limit for a response, in seconds.
    package let timeout: Int

    package init(host: String, port: Int, timeout: Int = 30) {
        self.host = host
        self.port = port
        self.timeout = timeout
    }

    /// Parses a URL such as `http://127.0.0.1:8080/some/path`; nil for other schemes.
    package static func parse(_ address: String) -> (probe: HTTPProbe, path: String)? {
        guard address.hasPrefix("http://") else { return nil }
        let rest = address.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2,
            let port = parts.count == 2 ? Int(parts[1]) : 80, (1...65535).contains(port)
        else { return nil }
        return (HTTPProbe(host: String(host), port: port), path.isEmpty ? "/" : String(path))
    }

    /// Sends a request on a new connection.
    ///
    /// - Parameters:
    ///   - target: The target of the request line, sent unchanged.
    ///   - body: The body; its length is sent if it is not empty.
    /// - Throws: An error if there is no response in time.
    package func send(
        _ target: String, method: String = "GET", headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> Response {
        var fields = HTTPHeaders([("Host", "\(host):\(port)"), ("Connection", "close")])
        if !body.isEmpty { fields.replaceOrAdd(name: "Content-Length", value: "\(body.count)") }
        for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: method), uri: target, headers: fields)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let response = loop.makePromise(of: Response.self)
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Malformed requests must reach the server.
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(
                        enableOutboundHeaderValidation: false)
                    try channel.pipeline.syncOperations.addHandler(
                        Exchange(head, body, response, .seconds(Int64(timeout))))
                }
            }
            .connect(host: host, port: port).cascadeFailure(to: response)
        return try await response.futureResult.get()
    }
}

/// Sends the request as soon as the connection is open, and collects the response.
///
/// Runs on the event loop only: a task may be resumed late if others occupy all threads, and a server closes connections
/// that send no request.
private final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequestHead
    private let response: EventLoopPromise<HTTPProbe.Response>
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private let requestBody: [UInt8]
    private let timeout: TimeAmount
    private var limit: Scheduled<Void>?

    init(
        _ request: HTTPRequestHead, _ requestBody: [UInt8], _ response: EventLoopPromise<HTTPProbe.Response>,
        _ timeout: TimeAmount
    ) {
        self.request = request
        self.requestBody = requestBody
        self.response = response
        self.timeout = timeout
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        limit = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        if !requestBody.isEmpty {
            let bytes = context.channel.allocator.buffer(bytes: requestBody)
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let begun): head = begun
        case .body(let bytes): body += bytes.readableBytesView
        case .end:
            guard let head else { break }
            let headers = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { "\($0), \($1)" })
            response.succeed(HTTPProbe.Response(status: Int(head.status.code), headers: headers, body: body))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        response.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        response.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
#endif
