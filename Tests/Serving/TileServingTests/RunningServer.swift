#if Server
import Foundation
import Logging
import MemoryWatching
import RenderCaching
import TestSupport
import Testing
import ViewportRendering
import Vips

@testable import TileServing

extension TileServer.Limits {
    /// Sets timeouts that expire only if a test hangs.
    mutating func beForbearing() {
        (idleTimeout, writeTimeout, timeout) = (.seconds(600), .seconds(600), .seconds(600))
    }
}

/// A server of this process and a client for it.
struct RunningServer: Sendable {
    let folder: TemporaryFolder
    let probe: HTTPProbe

    /// The server that the tests of a suite share.
    @TaskLocal static var shared: RunningServer?

    /// Returns a folder with a photo of 700 x 500 pixels, and an image in a subfolder.
    static func photos() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("deep"), withIntermediateDirectories: true)
        try TestImages.photo(width: 700, height: 500).save(folder.path("photo.jpg"), with: "jpegsave")
        try TestImages.photo(width: 300, height: 200, bands: 4).save(
            folder.path("deep/a b.png"), with: "pngsave")
        return folder
    }

    /// Runs a server of a folder on a free port, with a client.
    static func with<R: Sendable>(
        _ folder: TemporaryFolder, _ change: (inout TileServer.Configuration) -> Void = { _ in },
        listeningTo memory: MemoryWatch? = nil,
        _ body: @escaping @Sendable (HTTPProbe) async throws -> R
    ) async throws -> R {
        let cache = try TemporaryFolder()
        var configuration = TileServer.Configuration(roots: [folder.url.path])
        configuration.port = 0
        configuration.cachePath = cache.url.path
        configuration.limits.beForbearing()
        change(&configuration)
        let server = try TileServer(
            configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        if let memory { server.listen(to: memory) }
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                try await server.run { ready.yield($0) }
                return nil
            }
            group.addTask {
                for await port in ports {
                    return try await body(HTTPProbe(host: "127.0.0.1", port: port, timeout: 600))
                }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }
}

/// Starts one server for all tests of a suite.
struct ServerTrait: SuiteTrait, TestScoping {
    let change: @Sendable (inout TileServer.Configuration) -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let folder = try RunningServer.photos()
        try await withoutActuallyEscaping(function) { function in
            try await RunningServer.with(folder, change) { probe in
                try await RunningServer.$shared.withValue(RunningServer(folder: folder, probe: probe)) {
                    try await function()
                }
            }
        }
    }
}

extension Trait where Self == ServerTrait {
    static var server: Self { Self { _ in } }

    static func server(_ change: @escaping @Sendable (inout TileServer.Configuration) -> Void) -> Self {
        Self(change: change)
    }
}
#endif
