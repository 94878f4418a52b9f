#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing
import ViewportRendering

@testable import TileServing

@Suite("Access to the server: host names, addresses and origins")
struct AccessTests {
    @Test(
        "parses host and port of an authority",
        arguments: [
            ("localhost", "localhost", nil), ("LocalHost:8080", "localhost", 8080),
            ("localhost.:80", "localhost", 80), ("[::1]:8080", "::1", 8080), ("[::1]", "::1", nil),
            ("127.0.0.1:", "127.0.0.1", nil), ("my_host-1.example:65535", "my_host-1.example", 65535),
        ] as [(String, String, Int?)])
    func authorities(_ text: String, _ host: String, _ port: Int?) {
        let authority = Authority(text)
        #expect(authority?.host == host && authority?.port == port)
    }

    @Test(
        "refuses malformed authorities",
        arguments: [
            "", ":80", "user@localhost", "user:pass@localhost:80", "localhost:80:80", "localhost:8o",
            "localhost:65536", "localhost:-1", "::1", "[::1", "[::1]x", "[localhost]", "local host",
            "localhost/", "localhost\\", "localhost#", "ex%61mple.org", "é.example", "a\u{0}b",
            String(repeating: "a", count: 301),
        ])
    func noAuthority(_ text: String) {
        #expect(Authority(text) == nil)
    }

    @Test(
        "parses IP addresses in the usual notation only",
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("::ffff:10.0.0.1", [10, 0, 0, 1]),
            ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("fe80::a:0", [0xFE, 0x80] + [UInt8](repeating: 0, count: 11) + [10, 0, 0]),
            ("::", [UInt8](repeating: 0, count: 16)),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("127.1", nil), ("0x7f.0.0.1", nil), ("127.0.0.01", nil), ("256.0.0.1", nil), ("1.2.3", nil),
            ("1.2.3.4.5", nil), ("+1.2.3.4", nil), ("2130706433", nil), ("", nil), (":", nil), (":::", nil),
            ("1::2::3", nil), ("1:2:3:4:5:6:7", nil), ("1:2:3:4:5:6:7:8:9", nil), ("12345::", nil),
            ("g::", nil), ("1.2.3.4::", nil), ("fe80::1%eth0", nil),
        ] as [(String, [UInt8]?)])
    func addresses(_ text: String, _ bytes: [UInt8]?) {
        #expect(NetworkAddress(text)?.bytes == bytes)
    }

    @Test(
        "matches addresses with ranges",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.168.1.128/25", "192.168.1.129", true), ("192.168.1.128/25", "192.168.1.127", false),
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false), ("fd00::/8", "fdab::1", true), ("fd00::/8", "fe00::1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ])
    func ranges(_ range: String, _ address: String, _ isThere: Bool) throws {
        let (range, address) = (
            try #require(AddressRange(range)), try #require(NetworkAddress(address))
        )
        #expect(range.contains(address) == isThere)
    }

    @Test(
        "refuses malformed ranges",
        arguments: [
            "", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "example.org", "::/129",
        ])
    func noRanges(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    private static func hosts(_ change: (inout TileServer.Configuration) -> Void) -> AllowedHosts {
        var settings = TileServer.Configuration(roots: [])
        change(&settings)
        return AllowedHosts(settings, machine: "Desk.example.net")
    }

    @Test(
        "accepts its own host names and no others",
        arguments: [
            ("localhost:1", true, true), ("127.0.0.1:8080", true, true), ("[::1]:8080", true, true),
            ("LOCALHOST.", true, true), ("127.8.9.1", true, true), ("192.168.1.5:8080", false, true),
            ("0.0.0.0:8080", false, true), ("[fe80::1]:80", false, true), ("desk:8080", false, true),
            ("desk.example.net", false, true), ("desk.local", false, true),
            ("images.example.org", false, false), ("evil.example", false, false),
            ("localhost.evil.example", false, false), ("127.0.0.1.evil.example", false, false),
            ("evil-localhost", false, false), ("2130706433", false, false),
        ])
    func names(_ host: String, onLoopback: Bool, everywhere: Bool) throws {
        let authority = try #require(Authority(host))
        #expect(Self.hosts { _ in }.contains(authority) == onLoopback)
        let bound = Self.hosts { ($0.host, $0.token) = ("0.0.0.0", "x") }
        #expect(bound.contains(authority) == everywhere)
        let proxied = Self.hosts { $0.baseURL = "https://Images.example.org/photos" }
        #expect(proxied.contains(authority) == (onLoopback || host == "images.example.org"))
        #expect(Self.hosts { $0.isPublic = true }.contains(authority))
    }

    @Test(
        "distinguishes pages of other origins from its own and from followed links",
        arguments: [
            ([:], false), (["Sec-Fetch-Site": "same-origin"], false), (["Sec-Fetch-Site": "none"], false),
            (["Sec-Fetch-Site": "cross-site"], true), (["Sec-Fetch-Site": "same-site"], true),
            (["Sec-Fetch-Site": "nonsense"], true),
            (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"], true),
            (
                ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"],
                false
            ),
            (
                ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"],
                true
            ),
            (["Origin": "http://localhost:8080"], false), (["Origin": "http://LOCALHOST:8080"], false),
            (["Origin": "http://localhost:8081"], true), (["Origin": "http://localhost"], true),
            (["Origin": "null"], true), (["Origin": "https://evil.example"], true),
            (["Origin": "file://"], true), (["Origin": "http://localhost:8080@evil.example"], true),
            (["Origin": "https://images.example.org"], false),
            (["Origin": "http://images.example.org:81"], true),
        ] as [([String: String], Bool)])
    func foreign(_ headers: [String: String], _ isForeign: Bool) throws {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let own = [Authority("localhost:8080"), Authority("images.example.org")].compactMap { $0 }
        #expect(FetchMetadata.isCrossOrigin(fields, own: own) == isForeign)
    }

    @Test(
        "accepts forwarded hosts from trusted proxies only",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("10.1.2.3", true), ("::ffff:10.1.2.3", true),
            ("192.168.1.9", false), ("11.0.0.1", false), ("", false),
        ])
    func proxies(_ peer: String, _ isBelieved: Bool) throws {
        let base = BaseURL(nil, proxies: [try #require(AddressRange("10.0.0.0/8"))])
        let headers: HTTPFields = [
            HTTPField.Name("X-Forwarded-Host")!: "images.example.org",
            HTTPField.Name("X-Forwarded-Proto")!: "https",
        ]
        #expect(
            base.string(headers, authority: "desk:8080", peer: peer)
                == (isBelieved ? "https://images.example.org" : "http://desk:8080"))
        #expect(base.string([:], authority: "user@evil", peer: peer) == "http://localhost")
        #expect(
            BaseURL("https://a.example/b/").string(headers, authority: "desk", peer: peer)
                == "https://a.example/b")
    }

    @Test("identifies renders by all their inputs, even if their FNV-1a hashes collide")
    func identities() async throws {
        // These two texts collide.
        let (one, other) = (RenderIdentity("8yn0iYCKYHlIj4-BwPqk"), RenderIdentity("GReLUrM4wMqfg9yzV3KQ"))
        let pictures = ExtensionRenders(
            AdmissionController(budget: 1 << 20), TileServer.Limits())
        for _ in 0..<2 {
            #expect(try await pictures.file(one, area: 1) { [1] }.readableBytesView.elementsEqual([1]))
            #expect(try await pictures.file(other, area: 1) { [2] }.readableBytesView.elementsEqual([2]))
        }
        let tags = [
            EntityTag(one), EntityTag(other), EntityTag("a", "bc"), EntityTag("ab", "c"), EntityTag("abc"),
            EntityTag("1:a"), EntityTag("a"), EntityTag("a", ""), EntityTag(),
        ]
        #expect(Set(tags).count == tags.count)
        #expect(tags.allSatisfy { $0.text.wholeMatch(of: /"[0-9a-f]{32}"/) != nil })
    }

    @Test(
        "reserves descriptors for files",
        arguments: [
            (88, 16, 32), (128, 56, 32), (256, 184, 32), (1024, 760, 128), (4096, 3064, 512),
            (1_048_576, 4096, 1024), (Int.max, 4096, 1024),
        ])
    func descriptors(_ limit: Int, _ connections: Int, _ images: Int) throws {
        var limits = TileServer.Limits()
        try limits.fit(descriptors: limit, threads: 2)
        #expect(limits.connections == connections && limits.openImageCount == images)
        #expect(throws: ServerError.tooFewDescriptors(87)) { try limits.fit(descriptors: 87, threads: 2) }
    }

    static let badLimits: [(String, @Sendable (inout TileServer.Limits) -> Void)] = [
        ("maximumOutputArea", { $0.maximumOutputArea = 0 }),
        ("maximumConcurrentArea", { $0.maximumConcurrentArea = -1 }),
        ("maximumSourcePixels", { $0.maximumSourcePixels = .min }),
        ("openImageCount", { $0.openImageCount = 0 }), ("preparedImageCount", { $0.preparedImageCount = -9 }),
        ("overviewCacheBytes", { $0.overviewCacheBytes = .min }),
        ("tileCacheBytes", { $0.tileCacheBytes = 0 }),
        ("responseCacheBytes", { $0.responseCacheBytes = -1 }), ("outboundBytes", { $0.outboundBytes = 0 }),
        ("eventStreams", { $0.eventStreams = 0 }), ("connections", { $0.connections = -1 }),
        ("diskCacheThreshold", { $0.diskCacheThreshold = .zero }), ("timeout", { $0.timeout = .seconds(-1) }),
        ("idleTimeout", { $0.idleTimeout = .seconds(Int64.max) }),
        ("writeTimeout", { $0.writeTimeout = .nanoseconds(-1) }),
    ]

    @Test("refuses limits that are not positive, and ports out of range", arguments: badLimits.indices)
    func limits(_ index: Int) {
        let (name, change) = Self.badLimits[index]
        var configuration = TileServer.Configuration(roots: ["/"])
        change(&configuration.limits)
        #expect(throws: ServerError.invalidLimit(name)) { try configuration.validate() }
        configuration.limits = TileServer.Limits()
        configuration.port = index % 2 == 0 ? -1 : 65536 + index
        #expect(throws: ServerError.invalidPort(configuration.port)) { try configuration.validate() }
    }

    @Test("accepts or refuses any text in its configuration", arguments: 1...20 as ClosedRange<UInt64>)
    func fuzz(_ seed: UInt64) {
        let pieces = [
            "", "/", ":", "::", "10.0.0.0", "/8", "/-1", "/999", "http://", "https://a", "[", "]", "%", "@",
            "é",
            "\u{0}", " ", "-", "localhost", ":99999", "18446744073709551616", "\r\n", "..",
        ]
        var random = SplitMix64(seed: seed)
        func text() -> String {
            (0..<random.next() % 6).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
        }
        for _ in 0..<50 {
            _ = AddressRange(text())
            var configuration = TileServer.Configuration(roots: [text()])
            configuration.host = text()
            configuration.baseURL = text()
            configuration.token = text()
            configuration.cacheCapacity = Int(truncatingIfNeeded: random.next())
            configuration.port = Int(truncatingIfNeeded: random.next() >> (random.next() % 64))
            do throws(ServerError) { try configuration.validate() } catch {
                #expect(!error.description.isEmpty)
            }
            Router().addTileServer(Self.server, at: text())
        }
    }

    private static let server: TileServer = {
        do {
            return try TileServer(roots: [])
        } catch {
            fatalError("\(error)")
        }
    }()

    @Test("describes errors without options of the command line")
    func errors() {
        let errors: [ServerError] = [
            .missingRoot("/x"), .unreadableRoot("/x", reason: "Permission denied"), .duplicateNames,
            .notPublic(host: "0.0.0.0"),
            .cannotListen(host: "::", port: 80, reason: "in use"), .invalidBaseURL("x"), .invalidPort(-1),
            .emptyToken, .invalidLimit("timeout"), .tooFewDescriptors(40),
        ]
        for error in errors {
            #expect(
                error.errorDescription == error.description && error.localizedDescription == error.description
            )
            #expect(!error.description.contains("--") && !error.description.contains("ulimit"))
        }
    }
}
#endif
