#if Server
import Foundation
import TestSupport
import TestHarness
import Testing
import TilePyramid
import TileServing
import ViewportGeometry
import Vips

@Suite("viewport serve", .inTurn)
struct ServeCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// The running command and a client.
    struct Serving {
        let program: ServingProgram
        let probe: HTTPProbe

        init(_ arguments: [String], cache: TemporaryFolder? = nil) throws {
            program = try ServingProgram(viewport, arguments, cache: cache)
            probe = HTTPProbe(host: "127.0.0.1", port: program.port, timeout: 600)
        }
    }

    @Test("exits with 0 after SIGTERM")
    func ending() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 300, height: 200).save(folder.path("photo.jpg"), with: "jpegsave")
        let serving = try Serving([folder.url.path])
        #expect(try await serving.probe.send("/health").status == 200)
        #expect(serving.program.end() == 0)
    }

    #if os(Linux)
    @Test("opens the page that was seen last, except on a public server")
    func lastVisit() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("photos"), withIntermediateDirectories: true)
        for name in ["photos/photo.jpg", "a b.jpg"] {
            try TestImages.photo(width: 300, height: 200).save(folder.path(name), with: "jpegsave")
        }
        // Stands in for the browser's opener, and records the address.
        let opener = folder.path("xdg-open")
        let opened = folder.path("opened")
        try Data("#!/bin/sh\necho \"$1\" >>\(opened)\n".utf8).write(to: URL(fileURLWithPath: opener))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener)
        let person = [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Site", "none")]
        func run(_ path: String, _ visited: String, _ options: String...) async throws -> Substring {
            let arguments = ["serve", "--port", "0", "--json", "--open", folder.path(path)] + options
            let program = try ServingProgram { environment in
                let more = [
                    "XDG_STATE_HOME": folder.path("state"), "PATH": "\(folder.url.path):/usr/bin:/bin",
                ]
                return Self.viewport.process(arguments, environment: environment.merging(more) { $1 })
            }
            let probe = HTTPProbe(host: "127.0.0.1", port: program.port, timeout: 600)
            // A browser has the cookie by now; a token in the query would be redirected.
            let token = options.contains("--token") ? [("Authorization", "Bearer secret")] : []
            let answer = try await probe.send("/view/\(visited)", headers: person + token)
            #expect(answer.status == 200)
            // The opener is a process of its own.
            var lines: [Substring] = []
            repeat {
                try await Task.sleep(for: .milliseconds(10))
                lines = ((try? String(contentsOfFile: opened, encoding: .utf8)) ?? "").split(separator: "\n")
            } while lines.isEmpty
            try FileManager.default.removeItem(atPath: opened)
            #expect(program.end() == 0)
            return lines[0].drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        }
        #expect(try await run("photos", "photo.jpg", "--public") == "/")
        #expect(try await run("photos", "photo.jpg") == "/")
        #expect(try await run("photos", "photo.jpg") == "/view/photo.jpg")
        #expect(try await run("photos", "photo.jpg", "--token", "secret") == "/view/photo.jpg?token=secret")
        // A single image is opened itself.
        for _ in 0..<2 { #expect(try await run("a b.jpg", "a%20b") == "/view/a%20b.jpg") }
        #expect(
            try await run("a b.jpg", "a%20b", "--public", "--token", "secret")
                == "/view/a%20b.jpg?token=secret")
    }
    #endif

    @Test("names the viewer of a single image as its address")
    func addressOfImage() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 300, height: 200).save(folder.path("a b.jpg"), with: "jpegsave")
        // Ends by itself, because nobody connects.
        let serve = ["serve", "--port", "0", "--exit-when-idle", "0.01"]
        let result = try await Self.viewport.run(serve + [folder.path("a b.jpg")])
        #expect(result.code == 0 && result.errors.isEmpty)
        #expect(
            result.text.wholeMatch(of: /http:\/\/127.0.0.1:\d+\/view\/a%20b.jpg\n/) != nil, "\(result.text)")
        let several = try await Self.viewport.run(serve + [folder.url.path, "--json"])
        #expect(several.code == 0 && several.text.contains(/"address":"http:\/\/127.0.0.1:\d+\/"/))
    }

    @Test(
        "reports in one sentence why it cannot start",
        arguments: [
            (["serve", "/no/such/folder"], 66), (["serve", "/tmp", "--host", "0.0.0.0"], 64),
            (["serve", "/tmp", "--base-url", "nowhere"], 64), (["serve", "/tmp", "--port", "99999"], 64),
            (["serve"], 64), (["serve", "/tmp", "--trusted-proxy", "somewhere"], 64),
            (["serve", "/tmp", "--trusted-proxy", "10.0.0.0/33"], 64),
            (["serve", "/tmp", "--base-url", "http://a@b/"], 64),
            (["serve", "/tmp", "--allow-edits", "--public"], 64),
            (["serve", "/tmp", "--allow-edits", "--host", "0.0.0.0", "--public"], 64),
        ] as [([String], Int32)])
    func refusals(_ arguments: [String], _ code: Int32) async throws {
        let result = try await Self.viewport.run(arguments)
        #expect(result.code == code, "\(result.errors)")
        #expect(result.errors.hasPrefix("viewport: ") || code == 64)
    }

    /// Images for each way to make tiles: copied blocks, decoded, from a PNG, rotated.
    static let images: [(String, String, Orientation)] = [
        ("a.jpg", "jpegsave", .up), ("b.png", "pngsave", .up), ("c.jpg", "jpegsave", .right),
    ]

    @Test(
        "serves exactly the bytes of an exact export and of render",
        arguments: images)
    func equal(_ name: String, _ saver: String, _ orientation: Orientation) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("images"), withIntermediateDirectories: true)
        let path = folder.path("images/\(name)")
        try TestImages.photo(width: 1300, height: 900).save(path, oriented: orientation)
        let serving = try Serving([folder.url.appendingPathComponent("images").path])
        defer { _ = serving.program.end() }
        let same = ["XDG_CACHE_HOME": serving.program.cache.url.path]

        // The server runs first, and fills the cache for the others.
        _ = try await serving.probe.send("/iiif/3/\(name)/full/64,/0/default.png")
        let site = folder.path("site")
        let exported = try await Self.viewport.run(
            ["pyramid", path, "-o", site, "--exact"], environment: same)
        #expect(exported.code == 0, "\(exported.errors)")
        let requests = folder.files(below: "site").filter { $0.hasSuffix(".jpg") }
        let probe = serving.probe
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    let served = try await probe.send("/iiif/3/\(name)/\(request)")
                    let bytes = try folder.data("site/\(request)")
                    #expect(served.status == 200 && served.body == Array(bytes), "\(request)")
                    let rendered = try await Self.viewport.run(
                        ["render", path, "--iiif", request, "-o", "-"], environment: same)
                    #expect(rendered.output == bytes, "\(request)")
                }
            }
            try await group.waitForAll()
        }
        #expect(requests.count > 10)

        let zoom = try await Self.viewport.run(
            ["pyramid", path, "-o", folder.path("x.dzi"), "--exact"], environment: same)
        #expect(zoom.code == 0, "\(zoom.errors)")
        for file in folder.files(below: "x_files") {
            let served = try await serving.probe.send("/dzi/\(name)_files/\(file)")
            #expect(served.body == Array(try folder.data("x_files/\(file)")), "\(file)")
        }
        let described = try await serving.probe.send("/dzi/\(name).dzi")
        #expect(described.body == Array(try folder.data("x.dzi")))
    }

    @Test("names an address on which it cannot listen, without the words of its network library")
    func addresses() async throws {
        let folder = try TemporaryFolder()
        let serving = try Serving([folder.url.path])
        defer { _ = serving.program.end() }
        for (arguments, words) in [
            (["--port", "\(serving.probe.port)"], "(Address already in use); choose another --port"),
            (["--host", "nowhere.invalid", "--public"], "(there is no such host); choose another --host"),
        ] {
            let result = try await Self.viewport.run(["serve", folder.url.path] + arguments)
            #expect(result.code == 75 && result.errors.contains(words), "\(result.errors)")
            #expect(!result.errors.contains("bind(") && !result.errors.contains("errno"))
        }
    }

    @Test("passes the checks of doctor")
    func doctor() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 600, height: 400).save(folder.path("photo.jpg"), with: "jpegsave")
        let serving = try Serving([folder.url.path])
        defer { _ = serving.program.end() }
        let address = "http://127.0.0.1:\(serving.probe.port)/iiif/3/photo.jpg"
        let result = try await Self.viewport.run(["doctor", address])
        #expect(result.code == 0, "\(result.text)")
        #expect(result.text.split(separator: "\n").count > 12)
        let nobody = try await Self.viewport.run(["doctor", "http://127.0.0.1:1/"])
        #expect(nobody.code == 3 && nobody.text.contains("no server responds (Connection refused)"))
    }

    @Test(
        "passes the checks of doctor with a token, with another host name, and in public",
        arguments: [
            (
                ["--token", "a&b%c"],
                ["a request without a token returns 401", "becomes a cookie (303, then 200)"]
            ),
            (
                ["--base-url", "http://images.example.org/x"],
                ["a foreign host name returns 421"]
            ),
            (["--public"], ["every host name is accepted", "can read images only"]),
        ])
    func doctorAccess(_ options: [String], _ sentences: [String]) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 600, height: 400).save(folder.path("photo.jpg"), with: "jpegsave")
        let serving = try Serving([folder.url.path] + options)
        defer { _ = serving.program.end() }
        let token = options.first == "--token" ? options : []
        let address = "http://127.0.0.1:\(serving.probe.port)/iiif/3/photo.jpg"
        let result = try await Self.viewport.run(["doctor", address] + token)
        #expect(result.code == 0, "\(result.text)")
        for sentence in sentences { #expect(result.text.contains(sentence), "\(result.text)") }
    }
}
#endif
