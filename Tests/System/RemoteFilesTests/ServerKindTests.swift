import Files
import Synchronization
import TestHarness
import TestSupport
import Testing

@testable import RemoteFiles

@Suite("A remote file on a kind of server", .ownThread)
struct ServerKindTests {
    private let bytes = sample

    private func server(_ kind: ServerKind, _ bytes: [UInt8]) throws -> HTTPTestServer {
        let count = Atomic(0)
        return try HTTPTestServer {
            kind.answer(bytes, $0, number: count.wrappingAdd(1, ordering: .relaxed).oldValue)
        }
    }

    /// About a hundred parts, as of the rows of a JPEG.
    private let rows = (0..<98).map { 100_000 + $0 * 29_000..<(100_000 + $0 * 29_000 + 1500) }

    @Test("has the right bytes, with few requests", arguments: ServerKind.all)
    func parts(_ kind: ServerKind) throws {
        let server = try server(kind, bytes)
        let file = try remote(server)
        #expect(file.count == bytes.count)
        file.willRead(rows)
        for row in rows { #expect(try file.bytes(row) == Array(bytes[row])) }
        #expect(server.requests.count <= kind.requests)
        #expect(file.report.bytes < 2 * bytes.count)
        for request in server.requests {
            let ranges = request.ranges(of: bytes.count) ?? []
            #expect(ranges.count <= 100)
            // Servers join those that touch.
            #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $1.lowerBound - $0.upperBound > 80 })
            // What it would send instead of several is never asked for.
            #expect(kind.named == nil || ranges.count == 1)
        }
    }

    @Test("has the bytes of a long range that is requested in pieces", arguments: ServerKind.all)
    func pieces(_ kind: ServerKind) throws {
        let server = try server(kind, bytes)
        let file = try remote(server)
        let range = 500_000..<2_900_000
        file.willRead([range])
        #expect(try file.bytes(range) == Array(bytes[range]))
        #expect(server.requests.count <= 6)
    }

    @Test("has the bytes of a small file", arguments: ServerKind.all)
    func small(_ kind: ServerKind) throws {
        let bytes = Array(bytes[..<1245])
        let server = try server(kind, bytes)
        let file = try remote(server)
        #expect(file.count == bytes.count)
        #expect(try file.bytes(0..<1245) == bytes)
        #expect(server.requests.count <= 2)
    }

    @Test(
        "gets no request for several ranges any more once it has sent one of them",
        arguments: ["first", "last"])
    func oneOfSeveral(_ which: String) throws {
        let kind = try #require(
            ServerKind.all.first { $0.name.hasPrefix(which == "first" ? "bottle" : "Wsgi") })
        let server = try server(kind, bytes)
        let file = try remote(server)
        file.willRead(rows)
        for row in rows { _ = try file.bytes(row) }
        let before = server.requests.count
        let other = try remote(server, "/other.jpg")
        other.willRead(rows)
        for row in rows { _ = try other.bytes(row) }
        // The host is remembered.
        #expect(server.requests[before...].allSatisfy { $0.ranges(of: bytes.count)?.count == 1 })
    }

    @Test("is asked once more without a range where it does not know what that is")
    func withoutRanges() throws {
        let server = try HTTPTestServer { [bytes] in
            $0.fields["range"] == nil ? HTTPTestResponse(200, [], bytes) : HTTPTestResponse(501)
        }
        let file = try remote(server)
        #expect(try file.bytes(1_000_000..<1_000_100) == Array(bytes[1_000_000..<1_000_100]))
        #expect(server.requests.count == 2)
    }

    @Test(
        "is refused only where it compresses",
        arguments: ["gzip", "x-gzip", "br", "identity, zstd", "base64", "aws-chunked"])
    func encodings(_ encoding: String) throws {
        let server = try HTTPTestServer { [bytes] in
            var answer = HTTPTestResponse.file(bytes, $0)
            answer.fields.append(("Content-Encoding", encoding))
            return answer
        }
        if ["base64", "aws-chunked"].contains(encoding) {
            #expect(try remote(server).count == bytes.count)
        } else {
            #expect(throws: FileError.unreadable("the server compresses it, so that there are no ranges")) {
                try remote(server)
            }
        }
    }

    @Test("sends what has to be copied in one answer, with progress")
    func copied() throws {
        let server = try HTTPTestServer { [bytes] in .file(bytes, $0) }
        let file = try remote(server)
        let shares = Mutex<[Double]>([])
        let copy = try #require(try file.localCopy { share in shares.withLock { $0.append(share) } })
        #expect(server.requests.count == 2)
        var copied = [UInt8](repeating: 0, count: bytes.count)
        // The buffer has room for all bytes.
        try unsafe copied.withUnsafeMutableBytes { try unsafe copy.read(into: $0, at: 0) }
        #expect(copied == bytes)
        let seen = shares.withLock { $0 }
        #expect(seen == seen.sorted() && seen.last == 1)
        // Further reads are of the copy.
        #expect(try file.bytes(2_000_000..<2_000_100) == Array(bytes[2_000_000..<2_000_100]))
        #expect(server.requests.count == 2)
    }
}
