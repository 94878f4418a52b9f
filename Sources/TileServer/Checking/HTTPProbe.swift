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

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
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
    /// - Throws: where nobody answers within half a minute.
    package func ask(
        _ target: String, method: String = "GET", headers: [(String, String)] = []
    ) async throws -> Answer {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    // What breaks the grammar is to reach the server, too.
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(
                        enableOutboundHeaderValidation: false)
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        let limit = channel.channel.eventLoop.scheduleTask(in: .seconds(30)) {
            channel.channel.close(promise: nil)
        }
        defer { limit.cancel() }
        var fields = HTTPHeaders([("Host", "\(host):\(port)"), ("Connection", "close")])
        for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: method), uri: target, headers: fields)
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(.head(head))
            try await outbound.write(.end(nil))
            return try await Self.read(inbound)
        }
    }

    private static func read(_ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>) async throws
        -> Answer
    {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        for try await part in parts {
            switch part {
            case .head(let begun): head = begun
            case .body(let bytes): body += bytes.readableBytesView
            case .end:
                guard let head else { break }
                let headers = Dictionary(
                    head.headers.map { ($0.name.lowercased(), $0.value) },
                    uniquingKeysWith: { "\($0), \($1)" })
                return Answer(status: Int(head.status.code), headers: headers, body: body)
            }
        }
        throw ChannelError.eof
    }
}
