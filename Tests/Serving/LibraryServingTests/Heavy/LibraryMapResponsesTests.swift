#if Server && Library
import Basics
import LibraryServing
import TestSupport
import Testing
import TileServing

@Suite("The map of a library's server")
struct LibraryMapResponsesTests {
    @Test("has 648 parts, which browsers keep, and no others")
    func cells() async throws {
        try await RunningLibrary.with { running in
            var bytes = 0
            for number in [0, 300, 511, 647] {
                let answer = try await running.probe.send(running.address + "atlas/\(number)")
                #expect(answer.status == 200 && answer.headers["etag"] != nil)
                // Each has at least the numbers of its towns, rings and lines.
                #expect(answer.body.count >= 5)
                bytes += answer.body.count
                let again = try await running.probe.send(
                    running.address + "atlas/\(number)",
                    headers: [("If-None-Match", answer.headers["etag"] ?? "")])
                #expect(again.status == 304)
            }
            // Central Europe is among them.
            #expect(bytes > 10_000)
            for name in ["648", "-1", "x", "", "1e2", "99999999999999999999"] {
                #expect(
                    try await running.probe.send(running.address + "atlas/\(name)").status == 404, "\(name)")
            }
        }
    }

    static let names: [(text: String, first: String)] = [
        ("Zurich", "Zürich, Switzerland"), ("züri", "Zürich, Switzerland"), ("SHANG", "Shanghai, China"),
        ("york", "York, United Kingdom"), ("new%20york%20c", "New York City, United States of America"),
        ("sao%20p", "São Paulo, Brazil"), ("Osl", "Oslo, Norway"),
    ]

    @Test(
        "finds towns by the beginnings of their names, without accents, the largest first", arguments: names)
    func towns(_ one: (text: String, first: String)) async throws {
        try await RunningLibrary.with { running in
            let text = one.text.replacing("ü", with: "%C3%BC")
            let answer = try await running.probe.send(running.address + "places?find=\(text)")
            let places = try JSONValue(parsing: answer.text)["places"]?.array ?? []
            let found = places.compactMap { place in
                place["name"]?.string.flatMap { name in place["country"]?.string.map { "\(name), \($0)" } }
            }
            #expect(found.first == one.first && found.count <= 8, "\(found)")
            for place in places {
                #expect((-90...90).contains(place["latitude"]?.double ?? 99))
                #expect((-180...180).contains(place["longitude"]?.double ?? 999))
            }
        }
    }

    @Test("finds nothing for nothing, and refuses what is no text")
    func nothing() async throws {
        try await RunningLibrary.with { running in
            for text in ["", "%20", "xyzzyx", "%F0%9F%90%B1"] {
                let answer = try await running.probe.send(running.address + "places?find=\(text)")
                #expect(
                    answer.status == 200 && answer.text.contains("\"places\":[]"), "\(text): \(answer.text)")
            }
            for query in ["", "?find=" + String(repeating: "a", count: 101)] {
                #expect(
                    try await running.probe.send(running.address + "places\(query)").status == 400, "\(query)"
                )
            }
        }
    }

    @Test("names no other server in its policy unless it is told of one")
    func policy() async throws {
        let template = "https://tiles.example.org:8443/{z}/{x}/{y}.png?k=a&b=c"
        try await RunningLibrary.with(settings: {
            $0.mapTiles = MapTiles(template)
            $0.mapTiles?.attribution = "A & B"
        }) { running in
            let map = try await running.probe.send(running.address + "map")
            let policy = map.headers["content-security-policy"] ?? ""
            #expect(policy.contains("img-src 'self' data: blob: https://tiles.example.org:8443; "))
            #expect(
                map.text.contains("data-tiles=\"https://tiles.example.org:8443/{z}/{x}/{y}.png?k=a&amp;b=c\"")
            )
            #expect(map.text.contains("A &amp; B"))
            let grid = try await running.probe.send(running.address + "group/all")
            #expect(grid.headers["content-security-policy"]?.contains("example") == false)
        }
        try await RunningLibrary.with { running in
            let map = try await running.probe.send(running.address + "map")
            #expect(map.headers["content-security-policy"]?.contains("img-src 'self' data: blob:; ") == true)
            #expect(!map.text.contains("data-tiles"))
        }
    }

    @Test(
        "takes templates of HTTP and of this host, and nothing that ends a policy or an attribute",
        arguments: [
            ("https://example.org/{z}/{x}/{y}.png", "https://example.org"),
            ("http://127.0.0.1:8080/t?z={z}&x={x}&y={y}", "http://127.0.0.1:8080"),
            ("http://[::1]:80/{z}/{x}/{y}", "http://[::1]:80"), ("/tiles/{z}/{x}/{y}.png", ""),
        ])
    func templates(_ template: String, _ origin: String) {
        #expect(MapTiles(template)?.template == template)
        #expect((MapTiles(template)?.origin ?? "") == origin)
    }

    @Test(
        "refuses other templates",
        arguments: [
            "", "https://example.org/{z}/{x}.png", "ftp://example.org/{z}/{x}/{y}",
            "//example.org/{z}/{x}/{y}",
            "https://example.org;script-src */{z}/{x}/{y}", "https://example.org /{z}/{x}/{y}",
            "https://exa\"mple.org/{z}/{x}/{y}", "https://{x}.example.org/{z}/{x}/{y}",
            "https:///{z}/{x}/{y}",
            "https://a@example.org/{z}/{x}/{y}", "https://*/{z}/{x}/{y}", "javascript:{z}{x}{y}",
            "https://exämple.org/{z}/{x}/{y}", "{z}/{x}/{y}", "https://example.org\n/{z}/{x}/{y}",
        ])
    func refused(_ template: String) { #expect(MapTiles(template) == nil) }
}
#endif
