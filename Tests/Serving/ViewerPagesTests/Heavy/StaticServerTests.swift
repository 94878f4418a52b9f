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
        case nginx, apache = "Apache", lighttpd, starlette = "Starlette"
        case rangeHTTPServer = "RangeHTTPServer", s3 = "moto"
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
        case .nginx, .apache, .lighttpd:
            // These do not tell a port that they chose.
            let port = Int.random(in: 20_000..<32_000)
            let configuration = work.path("configuration")
            try Data(Self.configuration(kind, port, folder, work.path("work")).utf8)
                .write(to: URL(filePath: configuration))
            let server = try Self.process(kind, configuration, log)
            try server.start()
            try wait { (try? RawConnection(port: port)) != nil || !server.isRunning }
            running = StaticServer(server, "http://127.0.0.1:\(port)", work)
        case .rangeHTTPServer, .s3, .starlette:
            guard let servers = ProcessInfo.processInfo.environment["SERVERS"] else {
                try Test.cancel("the variable SERVERS has no folder of servers")
            }
            let arguments =
                switch kind {
                case .s3: ["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
                case .starlette: ["-c", Self.starlette]
                default: ["-m", "RangeHTTPServer", "--bind", "127.0.0.1", "0"]
                }
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

    /// The settings of a server of a folder, which writes to another one.
    private static func configuration(_ kind: Kind, _ port: Int, _ folder: String, _ work: String) -> String {
        switch kind {
        case .apache:
            // Workers of another user would have no access to the folder.
            """
            ServerRoot /usr/lib/apache2
            ServerName localhost
            Listen 127.0.0.1:\(port)
            PidFile \(work).pid
            ErrorLog /dev/stderr
            LoadModule mpm_event_module modules/mod_mpm_event.so
            LoadModule authz_core_module modules/mod_authz_core.so
            LoadModule mime_module modules/mod_mime.so
            TypesConfig /etc/mime.types
            DocumentRoot \(folder)
            <Directory \(folder)>
            Require all granted
            </Directory>
            """
        case .lighttpd:
            """
            server.document-root = "\(folder)"
            server.bind = "127.0.0.1"
            server.port = \(port)
            mimetype.assign = (".html" => "text/html", ".js" => "text/javascript", ".css" => "text/css", "" => "application/octet-stream")
            """
        default:
            """
            daemon off; pid \(work).pid; user root;
            events {}
            http {
                include /etc/nginx/mime.types;
                access_log off;
                client_body_temp_path \(work)1; proxy_temp_path \(work)2; fastcgi_temp_path \(work)3;
                uwsgi_temp_path \(work)4; scgi_temp_path \(work)5;
                server { listen 127.0.0.1:\(port); root \(folder); }
            }
            """
        }
    }

    private static func process(_ kind: Kind, _ configuration: String, _ log: String) throws -> Process {
        let (name, arguments) =
            switch kind {
            case .apache: ("apache2", ["-X", "-f", configuration])
            case .lighttpd: ("lighttpd", ["-D", "-f", configuration])
            default: ("nginx", ["-e", log, "-c", configuration])
            }
        let folder = "/usr/sbin/\(name)"
        let found = FileManager.default.isExecutableFile(atPath: folder) ? BuiltProgram(path: folder) : nil
        guard let program = found ?? BuiltProgram(installed: name) else {
            try Test.cancel("\(name) is not installed")
        }
        return program.process(arguments)
    }

    /// A program that serves its working folder, and prints the address.
    private static let starlette = """
        import asyncio, socket, uvicorn
        from starlette.applications import Starlette
        from starlette.staticfiles import StaticFiles
        app = Starlette()
        app.mount("/", StaticFiles(directory="."))
        listener = socket.create_server(("127.0.0.1", 0))
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
        """

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
