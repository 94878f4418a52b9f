import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

/// A site of `viewport site` on servers that others wrote.
@Suite("A static site in Chromium, from a real server", .inBrowser)
struct StaticServerTests {
    @Test(
        "shows the exact pixels of viewport render at 1:1", arguments: StaticServer.Kind.allCases,
        [false, true])
    func exact(_ kind: StaticServer.Kind, _ isProgressive: Bool) async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.clouds(width: 1600, height: 1400).save(
            photo, oriented: .right, ["Q": .int(85), "interlace": .bool(isProgressive)])
        let viewport = BuiltProgram("viewport")
        let made = try await viewport.run(["site", photo, "-o", folder.path("site")])
        #expect(made.code == 0, "\(made.errors)")
        let server = try await StaticServer.start(kind, folder.path("site"))
        let browser = try Browser(nil)
        for rect in ["500,600,400,300", "333,517,400,300"] {
            let path = folder.path("\(rect).png")
            let rendered = try await viewport.run(["render", photo, "--rect", rect, "-o", path])
            #expect(rendered.code == 0, "\(rendered.errors)")
            try browser.open("\(server.address)/index.html?\(rect)#xywh=\(rect)")
            #expect(try browser.text("#scale") == "100 %")
            #expect(try browser.pixels == Pixels(path), "\(rect)")
        }
        // Browsers log the answer of a server that refuses several ranges in one request.
        let others = browser.complaints.filter {
            kind != .rangeHTTPServer || !$0.contains("400 (Invalid byte range)")
        }
        #expect(others.isEmpty, "\(others)")
    }
}

/// A running server of a folder, on loopback.
final class StaticServer {
    enum Kind: String, CaseIterable, Sendable {
        case nginx, rangeHTTPServer = "RangeHTTPServer", s3 = "moto"
    }

    /// The URL of the folder, without a slash at the end.
    let address: String
    private let process: Process
    private let work: TemporaryFolder

    private init(_ process: Process, _ address: String, _ work: TemporaryFolder) {
        (self.process, self.address, self.work) = (process, address, work)
    }

    /// Starts a server of a folder, and waits until clients can connect.
    static func start(_ kind: Kind, _ folder: String) async throws -> StaticServer {
        let work = try TemporaryFolder()
        let log = work.path("log")
        let running: StaticServer
        switch kind {
        case .nginx:
            guard let nginx = BuiltProgram(installed: "nginx") else {
                try Test.cancel("nginx is not installed")
            }
            let configuration = work.path("nginx.conf")
            // nginx does not tell a port that it chose. Workers of another user would have no access to the folder.
            let port = Int.random(in: 20_000..<32_000)
            try Data(
                """
                daemon off; pid \(work.path("pid")); error_log \(log); user root;
                events {}
                http {
                    include /etc/nginx/mime.types;
                    access_log off;
                    client_body_temp_path \(work.path("1")); proxy_temp_path \(work.path("2"));
                    fastcgi_temp_path \(work.path("3")); uwsgi_temp_path \(work.path("4"));
                    scgi_temp_path \(work.path("5"));
                    server { listen 127.0.0.1:\(port); root \(folder); }
                }
                """.utf8
            ).write(to: URL(filePath: configuration))
            let server = nginx.process(["-e", log, "-c", configuration])
            try server.start()
            try wait { (try? RawConnection(port: port)) != nil || !server.isRunning }
            running = StaticServer(server, "http://127.0.0.1:\(port)", work)
        case .rangeHTTPServer, .s3:
            guard let servers = ProcessInfo.processInfo.environment["SERVERS"] else {
                try Test.cancel("the variable SERVERS has no folder of servers")
            }
            let arguments =
                kind == .s3
                ? ["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
                : ["-m", "RangeHTTPServer", "--bind", "127.0.0.1", "0"]
            let server = BuiltProgram(path: servers + "/bin/python").process(["-u"] + arguments)
            server.currentDirectoryURL = URL(filePath: folder)
            try Data().write(to: URL(filePath: log))
            server.standardOutput = try FileHandle(forWritingTo: URL(filePath: log))
            server.standardError = server.standardOutput
            try server.start()
            var root = ""
            try wait {
                let said = try String(contentsOfFile: log, encoding: .utf8)
                root = said.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/).map { String($0.output) } ?? ""
                return !root.isEmpty || !server.isRunning
            }
            running = StaticServer(server, kind == .s3 ? root + "/photos" : root, work)
            if kind == .s3, server.isRunning { try await upload(folder, to: running.address) }
        }
        guard running.process.isRunning else {
            throw DevToolsError("\(kind.rawValue): \(try String(contentsOfFile: log, encoding: .utf8))")
        }
        return running
    }

    // On the main actor, waiting for its end would never return.
    deinit { process.terminate() }

    private static func wait(until condition: () throws -> Bool) throws {
        while try !condition() { Thread.sleep(forTimeInterval: 0.02) }
    }

    /// Makes a bucket and stores all files of the folder in it, with their types.
    private static func upload(_ folder: String, to bucket: String) async throws {
        guard let curl = BuiltProgram(installed: "curl") else { try Test.cancel("curl is not installed") }
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css",
            "svg": "image/svg+xml",
        ]
        _ = try await curl.run(["-sf", "-X", "PUT", bucket])
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let file = URL(filePath: folder + "/" + path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                continue
            }
            let type = types[file.pathExtension] ?? "application/octet-stream"
            let stored = try await curl.run([
                "-sf", "-T", file.path, "-H", "Content-Type: \(type)", "-H", "x-amz-acl: public-read",
                "\(bucket)/\(path)",
            ])
            guard stored.code == 0 else { throw DevToolsError("\(path): \(stored.errors)") }
        }
    }
}
