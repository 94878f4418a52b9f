private import Foundation
private import Platform
private import Synchronization

/// A server on the loopback interface whose answers a test makes, also wrong ones.
package final class HTTPTestServer: Sendable {
    package let port: Int
    private let listener: Int32
    private let answer: @Sendable (HTTPTestRequest) -> HTTPTestResponse
    private let log = Mutex<[HTTPTestRequest]>([])

    /// Starts a server.
    ///
    /// - Parameter answer: Makes the answer to a request, on the thread of its connection.
    package init(_ answer: @escaping @Sendable (HTTPTestRequest) -> HTTPTestResponse) throws {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The structure is that of the family, and outlives the calls.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = Int(UInt16(bigEndian: address.sin_port))
        (self.listener, self.answer) = (listener, answer)
        let thread = Thread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let server = self else { break }
                Thread { server.serve(connection) }.start()
            }
        }
        thread.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Returns the URL of a path.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests so far.
    package var requests: [HTTPTestRequest] { log.withLock { $0 } }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var buffer: [UInt8] = []
        while let request = HTTPTestRequest(connection, &buffer) {
            log.withLock { $0.append(request) }
            let response = answer(request)
            if response.pause > 0 { Thread.sleep(forTimeInterval: response.pause) }
            guard response.send(connection) else { return }
        }
    }
}

/// A request that a test server has received.
package struct HTTPTestRequest: Sendable {
    package var path: String
    /// Values by lowercase names.
    package var fields: [String: String] = [:]

    /// Reads the next request of a connection; nil where it ends.
    fileprivate init?(_ connection: Int32, _ buffer: inout [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        var text = ""
        while true {
            if let range = buffer.firstRange(of: end) {
                text = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<range.upperBound)
                break
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            // The call writes at most as many bytes as the array has.
            let count = unsafe recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            buffer += piece.prefix(count)
        }
        let lines = text.split(separator: "\r\n")
        path = lines.first.map { String($0.split(separator: " ")[1]) } ?? ""
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
    }

    /// The requested ranges of a file of `count` bytes; nil where the whole file is requested.
    package func ranges(of count: Int) -> [Range<Int>]? {
        guard let text = fields["range"], text.hasPrefix("bytes=") else { return nil }
        return text.dropFirst(6).split(separator: ",").compactMap { range in
            let parts = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let first = parts[0], first < count else { return nil }
            return first..<min(count, (parts[1] ?? count - 1).addingReportingOverflow(1).partialValue)
        }
    }
}

/// The answer of a test server.
package struct HTTPTestResponse: Sendable {
    package var status: Int
    package var fields: [(String, String)]
    package var body: [UInt8]
    /// The value of `Content-Length`, where it is a lie; negative to leave the field out.
    package var declaredCount: Int?
    /// The bytes of the body after which the connection is cut.
    package var cut: Int?
    /// Seconds before the answer.
    package var pause = 0.0

    package init(_ status: Int, _ fields: [(String, String)] = [], _ body: [UInt8] = []) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// The answer of a correct server to a request for a file.
    ///
    /// - Parameter severalRanges: Whether it sends several ranges at once; otherwise it then sends the whole file.
    package static func file(
        _ bytes: [UInt8], _ request: HTTPTestRequest, etag: String? = "\"1\"", severalRanges: Bool = true
    ) -> Self {
        let tags = etag.map { [("ETag", $0)] } ?? []
        if let wanted = request.fields["if-match"], wanted != etag { return Self(412) }
        guard let ranges = request.ranges(of: bytes.count), severalRanges || ranges.count == 1 else {
            return Self(200, tags, bytes)
        }
        guard let first = ranges.first else {
            return Self(416, [("Content-Range", "bytes */\(bytes.count)")])
        }
        func field(_ range: Range<Int>) -> String {
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        }
        guard ranges.count > 1 else {
            return Self(206, tags + [("Content-Range", field(first))], Array(bytes[first]))
        }
        var body: [UInt8] = []
        for range in ranges {
            body += "\r\n--limit\r\nContent-Type: image/jpeg\r\nContent-Range: \(field(range))\r\n\r\n".utf8
            body += bytes[range]
        }
        body += "\r\n--limit--\r\n".utf8
        return Self(206, tags + [("Content-Type", "multipart/byteranges; boundary=limit")], body)
    }

    /// Returns whether the connection stays open.
    fileprivate func send(_ connection: Int32) -> Bool {
        var head = "HTTP/1.1 \(status) Status\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let declared = declaredCount ?? body.count
        if declared >= 0 {
            head += "Content-Length: \(declared)\r\n"
        } else {
            head += "Connection: close\r\n"
        }
        let bytes = Array((head + "\r\n").utf8) + body.prefix(cut ?? body.count)
        var done = 0
        while done < bytes.count {
            // Inside of the array, by the condition of the loop.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Platform.send(
                    connection, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            done += count
        }
        return cut == nil && declared >= 0 && declared == body.count
    }
}
