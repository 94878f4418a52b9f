import Basics
import Files
import Synchronization
import TestHarness
import TestSupport
import Testing

@testable import RemoteFiles

/// The bytes of a file, which differ from place to place.
let sample: [UInt8] = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

/// Opens the file of a test server.
func remote(
    _ server: HTTPTestServer, _ path: String = "/big.jpg", _ change: (inout RemoteOptions) -> Void = { _ in }
) throws -> RemoteFile {
    var options = RemoteOptions()
    options.timeout = 5
    change(&options)
    let file = try RemoteFile(RemoteAddress(server.url(path)), options)
    try file.open()
    return file
}

@Suite("A remote file", .ownThread)
struct RemoteFileTests {
    private let bytes = sample

    @Test("requests only what is read")
    func ranges() throws {
        let server = try HTTPTestServer { [bytes] in .file(bytes, $0) }
        let file = try remote(server)
        #expect(file.count == bytes.count)
        #expect(try file.bytes(1_000_000..<1_000_100) == Array(bytes[1_000_000..<1_000_100]))
        #expect(try file.bytes(10..<200) == Array(bytes[10..<200]))
        #expect(server.requests.count == 2)
        #expect(file.report.bytes < 100_000)
        #expect(file.report.hasRanges)
    }

    @Test("reads forward with few requests", arguments: [false, true])
    func forward(onDisk: Bool) throws {
        let server = try HTTPTestServer { [bytes] in .file(bytes, $0) }
        let file = try remote(server) {
            $0.storesOnDisk = onDisk
            $0.storeByteCount = 1 << 20
        }
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            let range = start..<(start + 50_000)
            #expect(try file.bytes(range) == Array(bytes[range]))
        }
        #expect(server.requests.count < 30)
    }

    @Test(
        "requests announced ranges together, unless the server ignores or refuses that",
        arguments: [nil, 200, 400, 416, 501])
    func announced(refusal: Int?) throws {
        let server = try HTTPTestServer { [bytes] in
            if let refusal, refusal != 200, $0.ranges(of: bytes.count)?.count ?? 0 > 1 {
                return HTTPTestResponse(refusal)
            }
            return .file(bytes, $0, severalRanges: refusal == nil)
        }
        let file = try remote(server)
        let ranges = (0..<40).map { 100_000 + $0 * 70_000..<(100_000 + $0 * 70_000 + 3000) }
        file.willRead(ranges)
        for range in ranges { #expect(try file.bytes(range) == Array(bytes[range])) }
        #expect(server.requests.count <= (refusal == nil ? 3 : 16))
    }

    @Test("is read once as a whole where the server sends no ranges", arguments: [true, false])
    func whole(statesSize: Bool) throws {
        let server = try HTTPTestServer { [bytes] _ in
            var response = HTTPTestResponse(200, [("ETag", "\"1\"")], bytes)
            if !statesSize { response.declaredCount = -1 }
            return response
        }
        let file = try remote(server) { $0.storeByteCount = 1 << 20 }
        #expect(file.count == bytes.count)
        #expect(try file.bytes(2_900_000..<2_900_100) == Array(bytes[2_900_000..<2_900_100]))
        #expect(try file.bytes(0..<100) == Array(bytes[0..<100]))
        #expect(!file.report.hasRanges)
        #expect(server.requests.count == 1)
    }

    @Test("is never a mixture of two versions")
    func changed() throws {
        let version = Atomic(1)
        let server = try HTTPTestServer { [bytes] request in
            let number = version.load(ordering: .relaxed)
            return .file(number == 1 ? bytes : bytes.reversed(), request, etag: "\"\(number)\"")
        }
        let file = try remote(server)
        version.store(2, ordering: .relaxed)
        #expect(throws: FileError.changed) { try file.bytes(1_000_000..<1_000_100) }
        #expect(throws: FileError.changed) { try file.bytes(0..<100) }
    }

    @Test("notices a new version by its tag, size or time, also where the server ignores conditions")
    func ignoredConditions() throws {
        for change in 0..<3 {
            let isNew = Atomic(false)
            let server = try HTTPTestServer { [bytes] request in
                let isNew = isNew.load(ordering: .relaxed)
                var plain = request
                plain.fields["if-match"] = nil
                let file = isNew && change == 1 ? bytes + [0] : bytes
                let tag = change == 0 ? (isNew ? "W/\"b\"" : "W/\"a\"") : nil
                var response = HTTPTestResponse.file(file, plain, etag: tag)
                if change == 2 { response.fields.append(("Last-Modified", isNew ? "tomorrow" : "today")) }
                return response
            }
            let file = try remote(server)
            isNew.store(true, ordering: .relaxed)
            #expect(throws: FileError.changed) { try file.bytes(1_000_000..<1_000_100) }
        }
    }
}

@Suite("A server with faults", .ownThread)
struct FaultyServerTests {
    private let bytes = Array(sample[..<1_000_000])

    /// A server whose first answers to requests behind the first one have a fault.
    private func server(
        faults: Int, _ fault: @escaping @Sendable (HTTPTestRequest, HTTPTestResponse) -> HTTPTestResponse
    ) throws -> HTTPTestServer {
        let count = Atomic(0)
        return try HTTPTestServer { [bytes] request in
            let response = HTTPTestResponse.file(bytes, request)
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            return number > 1 && number <= faults + 1 ? fault(request, response) : response
        }
    }

    private func read(_ server: HTTPTestServer, _ change: (inout RemoteOptions) -> Void = { _ in }) throws
        -> Bool
    {
        let file = try remote(server, "/big.jpg", change)
        return try file.bytes(500_000..<700_000) == Array(bytes[500_000..<700_000])
    }

    @Test("that cuts connections is asked for the rest")
    func cuts() throws {
        let server = try server(faults: 2) { _, response in
            var response = response
            response.cut = 60_000
            return response
        }
        #expect(try read(server))
    }

    @Test("that cuts every connection at once is given up")
    func alwaysCuts() throws {
        let server = try server(faults: 100) { _, response in
            var response = response
            response.cut = 0
            return response
        }
        #expect(throws: FileError.unavailable("the connection was cut, 2 times")) {
            try read(server) { $0.attempts = 2 }
        }
    }

    @Test("that sends no ranges and cuts each answer at one place is given up", arguments: [1_000, 300_000])
    func alwaysCutsWhole(_ place: Int) throws {
        let server = try HTTPTestServer { [bytes] _ in
            var response = HTTPTestResponse(200, [("ETag", "\"1\"")], bytes)
            response.cut = place
            return response
        }
        #expect(throws: FileError.unavailable("the connection was cut, 2 times")) {
            _ = try remote(server) { $0.attempts = 2 }.bytes(900_000..<900_100)
        }
        #expect((2...4).contains(server.requests.count), "\(server.requests.count)")
    }

    @Test("that is busy is asked again, after the time that it states")
    func busy() throws {
        let server = try server(faults: 2) { _, _ in HTTPTestResponse(503, [("Retry-After", "0")]) }
        #expect(try read(server))
        #expect(server.requests.count == 4)
    }

    @Test("that is busy for too long is given up")
    func busyForLong() throws {
        let server = try server(faults: 100) { _, _ in HTTPTestResponse(503, [("Retry-After", "3600")]) }
        #expect(
            throws: FileError.unavailable(
                "the server answers 503 Service Unavailable, and asks to come back in 3600 seconds")
        ) { try read(server) }
    }

    @Test("that is slow is given up after the time limit")
    func slow() throws {
        let server = try server(faults: 100) { _, response in
            var response = response
            response.pause = 3
            return response
        }
        #expect(throws: FileError.unavailable("the server sends nothing for too long")) {
            try read(server) {
                $0.timeout = 1
                $0.attempts = 1
            }
        }
    }

    @Test(
        "that lies about what it sends is not believed",
        arguments: [
            ("the server sends other bytes than those requested", "bytes 0-199999/1000000"),
            ("the server's answer does not state the size of the file", "bytes 500000-699999/*"),
            ("the server's answer does not state the size of the file", "bytes 5-3/9223372036854775808"),
        ])
    func lies(reason: String, range: String) throws {
        let server = try server(faults: 100) { _, response in
            var response = response
            response.fields = [("Content-Range", range)]
            return response
        }
        #expect(throws: FileError.unreadable(reason)) { try read(server) }
    }

    @Test("that states another size is read no further")
    func size() throws {
        let server = try server(faults: 100) { _, response in
            var response = response
            response.fields = [("Content-Range", "bytes 500000-699999/1000001")]
            return response
        }
        #expect(throws: FileError.changed) { try read(server) }
    }

    @Test("that sends fewer or more bytes than it declares is given up")
    func lengths() throws {
        let fewer = try server(faults: 100) { _, response in
            var response = response
            response.body = []
            return response
        }
        #expect(throws: FileError.unreadable("the server sends fewer bytes than requested")) {
            try read(fewer)
        }
        let more = try server(faults: 100) { _, response in
            var response = response
            response.body += response.body
            return response
        }
        #expect(throws: FileError.unreadable("the server sends more bytes than it declares")) {
            try read(more)
        }
    }

    @Test("that compresses is refused")
    func compressed() throws {
        let server = try HTTPTestServer { _ in
            HTTPTestResponse(200, [("Content-Encoding", "gzip")], [1, 2, 3])
        }
        #expect(throws: FileError.unreadable("the server compresses it, so that there are no ranges")) {
            try remote(server)
        }
        #expect(server.requests[0].fields["accept-encoding"] == "identity")
    }

    @Test("that redirects is followed five times, and then remembered")
    func redirects() throws {
        let server = try HTTPTestServer { [bytes] request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 0
                ? .file(bytes, request) : HTTPTestResponse(302, [("Location", "/\(number - 1)")])
        }
        let file = try remote(server, "/5")
        #expect(try file.bytes(500_000..<500_100) == Array(bytes[500_000..<500_100]))
        #expect(server.requests.map(\.path) == ["/5", "/4", "/3", "/2", "/1", "/0", "/0"])
        #expect(throws: FileError.unreadable("it redirects more than 5 times")) { try remote(server, "/6") }
    }

    @Test(
        "must not redirect to files and other schemes",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a"])
    func schemes(location: String) throws {
        let server = try HTTPTestServer { _ in HTTPTestResponse(302, [("Location", location)]) }
        #expect(throws: FileError.unreadable("it redirects to a URL that is not read")) { try remote(server) }
    }

    @Test("with a private address is refused where it is not allowed, also behind a redirect")
    func privateAddress() throws {
        let server = try HTTPTestServer { [bytes] in .file(bytes, $0) }
        #expect(throws: FileError.unreadable("its host has a private address, which is not allowed")) {
            try remote(server) { $0.allowsPrivateAddresses = false }
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "without the file is reported once",
        arguments: [(404, FileError.missing), (403, .unreadable("the server answers 403 Forbidden"))])
    func statuses(status: Int, error: FileError) throws {
        let server = try HTTPTestServer { _ in HTTPTestResponse(status) }
        #expect(throws: error) { try remote(server) }
        #expect(server.requests.count == 1)
    }

    @Test("with an empty file is reported")
    func empty() throws {
        let server = try HTTPTestServer { .file([], $0) }
        #expect(throws: FileError.empty) { try remote(server) }
        let whole = try HTTPTestServer { _ in HTTPTestResponse(200) }
        #expect(throws: FileError.empty) { try remote(whole) }
    }
}

@Suite("An address")
struct RemoteAddressTests {
    @Test(
        "has a name without credentials",
        arguments: [
            ("https://jens:secret@host/a%20b.jpg", "https://host/a%20b.jpg"),
            ("HTTP://Host:8080", "http://host:8080/"),
            ("https://host/a.jpg?X-Amz-Signature=secret", "https://host/a.jpg?…"),
            ("https://host/ä b.jpg#part", "https://host/%C3%A4%20b.jpg"),
        ])
    func names(text: String, name: String) throws {
        let address = try RemoteAddress(text)
        #expect(address.name == name)
        #expect(!address.identity.contains("secret"))
    }

    @Test("is the same for caches with another signature, and another with other parameters")
    func identities() throws {
        let plain = try RemoteAddress("https://host/a.jpg?v=1").identity
        #expect(try RemoteAddress("https://me:you@host/a.jpg?v=1&X-Amz-Signature=b").identity == plain)
        #expect(try RemoteAddress("https://host/a.jpg?v=2").identity != plain)
    }

    @Test(
        "of other schemes or without a host is refused",
        arguments: ["ftp://host/a", "https:///a", "http://a b/"])
    func refusals(text: String) {
        #expect(throws: InvalidText.self) { try RemoteAddress(text) }
    }

    @Test("keeps user and password for the request, decoded")
    func login() throws {
        let login = try RemoteAddress("https://a%40b:c%3A@host/").login
        #expect(login?.user == "a@b")
        #expect(login?.password == "c:")
    }

    @Test(
        "is private by its numbers",
        arguments: [
            ([127, 0, 0, 1], true), ([10, 1, 2, 3], true), ([169, 254, 169, 254], true),
            ([172, 20, 0, 1], true),
            ([192, 168, 1, 1], true), ([100, 64, 0, 1], true), ([0, 0, 0, 0], true), ([8, 8, 8, 8], false),
            ([172, 32, 0, 1], false), ([193, 0, 0, 1], false),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1], true),
            ([0, 100, 255, 155, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1], true),
            ([0x20, 2, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ([0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ([0x2A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false),
        ] as [([UInt8], Bool)])
    func privateNumbers(ip: [UInt8], isPrivate: Bool) {
        #expect(PrivateAddress.contains(ip) == isPrivate)
    }
}
