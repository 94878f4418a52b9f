import Foundation
import Logging
import RenderCaching
import TestSupport
import Testing
import ViewportRendering

@testable import TileServing

extension TileServer.Limits {
    /// Other tests may keep all threads busy for minutes.
    mutating func beForbearing() {
        (idleTimeout, writeTimeout, timeout) = (.seconds(600), .seconds(600), .seconds(600))
    }
}

/// A server of this process, for as long as a test asks it.
enum RunningServer {
    /// Starts a server of a folder on a free port and asks it.
    static func with<R: Sendable>(
        _ folder: TemporaryFolder, _ change: (inout TileServer.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (HTTPProbe) async throws -> R
    ) async throws -> R {
        let cache = try TemporaryFolder()
        var settings = TileServer.Configuration(roots: [folder.url.path])
        settings.port = 0
        settings.cache = CacheFolder(path: cache.url.path, capacity: 1 << 28)
        settings.limits.beForbearing()
        change(&settings)
        let server = try TileServer(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (ports, told) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                try await server.run { told.yield($0) }
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
