internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A client that sends one request just as it is told to: for checks, which also ask for what no browser would.
package struct HTTPProbe: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        /// Names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let host: String
    package let port: Int
    /// How long an answer may take, in seconds.
    package let timeout: Int

    package init(host: String, port: Int, timeout: Int = 30) {
        self.host = host
        self.port = port
        self.timeout = timeout
    }

    /// The server of an address as `http://127.0.0.1:8080/some/path`, and the path; nil for others.
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

    /// Sends a request on a connection of its own.
    ///
    /// - Parameter target: what stands in the request line, sent as it is.
    /// - Throws: where nobody answers in time.
    package func ask(
        _ target: String, method: String = "GET", headers: [(String, String)] = []
    ) async throws -> Answer {
        var fields = HTTPHeaders([("Host", "\(host):\(port)"), ("Connection", "close")])
        for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: method), uri: target, headers: fields)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let answer = loop.makePromise(of: Answer.self)
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // What breaks the grammar is to reach the server, too.
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(
                        enableOutboundHeaderValidation: false)
                    try channel.pipeline.syncOperations.addHandler(
                        Exchange(head, answer, .seconds(Int64(timeout))))
                }
            }
            .connect(host: host, port: port).cascadeFailure(to: answer)
        return try await answer.futureResult.get()
    }
}

/// Asks as soon as it is connected, and keeps what is answered.
///
/// All of it happens on the event loop. A task that asked may be woken late where others keep all threads busy,
/// and a server does not wait for ever for a request that does not come.
private final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequestHead
    private let answer: EventLoopPromise<HTTPProbe.Answer>
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private let timeout: TimeAmount
    private var limit: Scheduled<Void>?

    init(_ request: HTTPRequestHead, _ answer: EventLoopPromise<HTTPProbe.Answer>, _ timeout: TimeAmount) {
        self.request = request
        self.answer = answer
        self.timeout = timeout
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        limit = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        context.write(wrapOutboundOut(.head(request)), promise: nil)
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
            answer.succeed(HTTPProbe.Answer(status: Int(head.status.code), headers: headers, body: body))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        answer.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
