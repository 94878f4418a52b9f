#if Server && os(Linux)
import Foundation
import TestSupport
import TestHarness
import Testing
import TileServing
import Vips

/// A server of two folders, one of which is on a share that can hang.
private struct SharingServer {
    let program: ServingProgram
    let probe: HTTPProbe
    private let folder: TemporaryFolder
    /// The process of the file system.
    private let share: Int32

    /// Photos of the share, as many as the server renders at a time: renders of one photo wait for one of them.
    static let photos = (0..<ProcessInfo.processInfo.activeProcessorCount).map { "photo-\($0).jpg" }
    static let script = PackageFolder.url("Tests/hanging-share.py").path

    init(_ options: String...) throws {
        let folder = try TemporaryFolder()
        let viewport = BuiltProgram("viewport").url.path
        for name in ["files", "far", "near"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
        }
        let names =
            ["files/a.jpg", "files/b.jpg", "near/a.jpg", "near/b.jpg"] + Self.photos.map { "files/\($0)" }
        for (number, name) in names.enumerated() {
            try TestImages.photo(width: 700, height: 500, seed: UInt64(number)).save(
                folder.path(name), with: "jpegsave")
        }
        let command = """
            python3 "$1" "$2/files" "$2/far" "$2/pid" || exit 1
            shift 2
            exec "$@"
            """
        let arguments =
            ["-m", "--propagation", "private", "sh", "-c", command, "-", Self.script, folder.url.path]
            + [viewport, "serve", "--port", "0", "--json", folder.path("far"), folder.path("near")] + options
        let unshare = try #require(BuiltProgram(installed: "unshare"))
        program = try ServingProgram { unshare.process(arguments, environment: $0) }
        probe = HTTPProbe(host: "127.0.0.1", port: program.port, timeout: 600)
        share = try #require(Int32(String(contentsOfFile: folder.path("pid"), encoding: .utf8)))
        self.folder = folder
    }

    func signal(_ signal: Int32) { _ = kill(share, signal) }

    /// Stops the file system, and waits until it has stopped.
    ///
    /// Otherwise it could take a request in between, and not even SIGKILL ends what waits for the answer to one that was taken.
    func hang() async throws {
        signal(SIGSTOP)
        while try !String(contentsOfFile: "/proc/\(share)/stat", encoding: .utf8).contains(") T ") {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Ends the file system, and with it all that waits for it.
    func end() { signal(SIGKILL) }

    /// Sends a request in the background.
    func begin(_ path: String) -> Task<HTTPProbe.Response, any Error> {
        Task { [probe] in try await probe.send(path) }
    }

    /// The number of threads of the server that wait for the share.
    var waitingThreads: Int {
        let tasks = "/proc/\(program.process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.filter {
            let place = try? String(contentsOfFile: "\(tasks)/\($0)/wchan", encoding: .utf8)
            return place?.contains("fuse") == true || place?.contains("request_wait") == true
        }.count
    }

    static let isPossible: Bool = {
        guard FileManager.default.fileExists(atPath: "/dev/fuse"),
            let python = BuiltProgram(installed: "python3"),
            let unshare = BuiltProgram(installed: "unshare"),
            let folder = try? TemporaryFolder(),
            (try? FileManager.default.createDirectory(
                atPath: folder.path("far"), withIntermediateDirectories: true)) != nil
        else { return false }
        let process = unshare.process([
            "-m", "--propagation", "private", python.url.path, script, folder.url.path, folder.path("far"),
            folder.path("pid"),
        ])
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil else { return false }
        process.waitUntilExit()
        guard let pid = (try? String(contentsOfFile: folder.path("pid"), encoding: .utf8)).flatMap(Int32.init)
        else { return false }
        kill(pid, SIGKILL)
        return process.terminationStatus == 0
    }()
}

@Suite(
    "viewport serve of a network share that hangs", .inTurn,
    .enabled(if: SharingServer.isPossible, "needs /dev/fuse, unshare, python3, and the right to mount"))
struct HangingShareTests {
    private static let tile = "0,0,256,256/256,256/0/default.jpg"

    /// Requests that look at files of a folder.
    private static func requests(_ root: String) -> [String] {
        [
            "/iiif/3/\(root)%2Fa.jpg/\(tile)", "/iiif/3/\(root)%2Fa.jpg/info.json",
            "/iiif/3/\(root)%2Fb.jpg/\(tile)", "/iiif/3/\(root)%2Fa/full/300,/0/default.png",
            "/dzi/\(root)%2Fa.jpg.dzi", "/view/\(root)%2Fb.jpg", "/neighbors/\(root)%2Fa.jpg",
            "/?folder=\(root)", "/?folder=\(root)&name=a",
        ]
    }

    @Test("serves other folders meanwhile, and the share when it answers again")
    func others() async throws {
        let server = try SharingServer()
        defer { server.end() }
        for root in ["far", "near"] {
            let tile = Self.requests(root)[0]
            // The second answer comes from memory.
            for _ in 0..<2 { #expect(try await server.probe.send(tile).status == 200) }
        }
        try await server.hang()
        defer { server.signal(SIGCONT) }
        let held = (0..<4).flatMap { _ in Self.requests("far").map(server.begin) }
        while server.waitingThreads == 0 { try await Task.sleep(for: .milliseconds(1)) }
        for _ in 0..<3 {
            for path in Self.requests("near") + ["/", "/?name=photo&folder=near", "/health", "/metrics"] {
                #expect(try await server.probe.send(path).status == 200, "\(path)")
            }
        }
        server.signal(SIGCONT)
        for task in held { #expect(try await task.value.status == 200) }
        #expect(server.program.end() == 0)
    }

    @Test("gives the places of renders that hang to those of other folders")
    func renders() async throws {
        let server = try SharingServer()
        defer { server.end() }
        let photos = SharingServer.photos
        for photo in photos {
            #expect(try await server.probe.send("/iiif/3/far%2F\(photo)/info.json").status == 200)
        }
        // Reads hang first, so that renders begin.
        server.signal(SIGUSR1)
        let held = (photos + photos).enumerated().map { number, photo in
            server.begin("/iiif/3/far%2F\(photo)/\(number),\(number),256,256/256,256/0/default.jpg")
        }
        while server.waitingThreads < photos.count { try await Task.sleep(for: .milliseconds(1)) }
        try await server.hang()
        #expect(try await server.probe.send(Self.requests("near")[0]).status == 200)
        server.signal(SIGUSR2)
        server.signal(SIGCONT)
        for task in held { #expect(try await task.value.status == 200) }
        #expect(server.program.end() == 0)
    }

    @Test("ends after SIGTERM though it waits for the share")
    func ending() async throws {
        let server = try SharingServer()
        defer { server.end() }
        let tile = Self.requests("far")[0]
        #expect(try await server.probe.send(tile).status == 200)
        try await server.hang()
        let held = Self.requests("far").map(server.begin)
        while server.waitingThreads == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(server.program.end() == 0)
        for task in held {
            if let answer = try? await task.value { #expect(answer.status == 503, "\(answer.text)") }
        }
    }
}
#endif
