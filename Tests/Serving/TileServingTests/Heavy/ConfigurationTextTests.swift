import TestSupport
import Testing

@testable import TileServing

@Suite("The configuration of a server as text")
struct ConfigurationTextTests {
    private static var limits: TileServer.Limits {
        var limits = TileServer.Limits()
        (limits.memoryBytes, limits.timeout, limits.connections) = (1 << 30, .milliseconds(1500), 7)
        return limits
    }

    @Test("has limits that are equal after encoding and decoding")
    func limits() throws {
        #expect(try CodedValue(TileServer.Limits()).isKept)
        #expect(try CodedValue(Self.limits).isKept)
        #expect(try decoded(TileServer.Limits.self, #"{"connections":7}"#).connections == 7)
        #expect(throws: DecodingError.self) { try decoded(TileServer.Limits.self, #"{"connections":0}"#) }
    }

    @Test(
        "has ranges of addresses that are parsed from their texts",
        arguments: [
            ("10.0.0.0/8", "10.0.0.0/8"), ("192.168.1.7", "192.168.1.7/32"),
            ("fd00::/8", "fd00:0:0:0:0:0:0:0/8"), ("::1", "0:0:0:0:0:0:0:1/128"),
        ])
    func ranges(_ text: String, _ description: String) throws {
        let range = try #require(AddressRange(text))
        #expect("\(range)" == description)
        #expect(AddressRange(description) == range)
        #expect(try CodedValue(range).isKept)
        #expect(throws: DecodingError.self) { try decoded(AddressRange.self, #""\#(text)/x""#) }
    }

    @Test("is printed without its token")
    func token() {
        var configuration = TileServer.Configuration(roots: ["a", "b"])
        configuration.token = "secret"
        #expect("\(configuration)" == "127.0.0.1:8080, 2 roots")
    }
}
