#if Server && Library
import Foundation
import LibraryServing
import Logging
import TestSupport
import PhotoCatalog
import RenderCaching
import Testing
import TileServing
import ViewportRendering

/// A library in a temporary folder, and its server in this process.
struct RunningLibrary: Sendable {
    let folder: TemporaryFolder
    let library: PhotoLibrary
    let probe: HTTPProbe
    /// The path of its pages, with a slash at the end.
    let address: String

    /// The library that the tests of a suite share.
    @TaskLocal static var shared: RunningLibrary?

    /// Days in three years, with one to seven photos each.
    static let days = [
        "2013:12:31", "2014:01:01", "2014:05:19", "2014:05:25", "2014:05:26", "2014:06:01", "2015:05:25",
    ]

    /// Writes a few dozen photos, pictures and videos of several days, in two folders.
    static func write(into folder: TemporaryFolder) throws {
        for (number, day) in days.enumerated() {
            for index in 0...number {
                let hour = 8 + index * 7 % 12
                let date = "\(day) \(hour < 10 ? "0" : "")\(hour):15:0\(index)"
                try write(
                    TinyPhoto.jpeg(date: date, salt: UInt64(number * 100 + index)),
                    "\(number % 2 == 0 ? "even" : "odd")/IMG_\(number)_\(index).jpg", folder)
            }
        }
        for day in 20...23 {
            let size = (width: 400 + day, height: 300)
            let png = PhotoMaker.png(width: size.width, height: size.height)
            try write(png, "IMG_201405\(day)_101500.png", folder)
            let other = PhotoMaker.png(width: size.width, height: 200)
            try write(other, "Screenshot_2014-05-\(day)-11-00-00.png", folder)
        }
        for hour in 0..<3 {
            // Seconds since 1904.
            let film = FilmMaker.film(created: 2_082_844_800 + 1_401_012_000 + hour * 3600, seconds: 65)
            try write(film, "film \(hour).mov", folder)
        }
        try write(TinyPhoto.jpeg(salt: 7777), "undated.jpg", folder)
    }

    static func write(_ bytes: [UInt8], _ path: String, _ folder: TemporaryFolder) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Fills a folder, creates its library, and serves it on a free port while `body` runs.
    static func with<R: Sendable>(
        _ fill: (TemporaryFolder) throws -> Void = write(into:),
        settings change: (inout TileServer.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningLibrary) async throws -> R
    ) async throws -> R {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        try fill(folder)
        let library = try await PhotoLibrary.create(folder.url.path)
        try await library.index()
        var configuration = TileServer.Configuration(roots: [folder.url.path])
        configuration.port = 0
        configuration.cachePath = cache.url.path
        // Other tests may keep all threads busy for minutes.
        configuration.limits.idleTimeout = .seconds(600)
        configuration.limits.writeTimeout = .seconds(600)
        configuration.limits.timeout = .seconds(600)
        change(&configuration)
        let server = try TileServer(
            configuration,
            extensions: [.photoLibraries(try await ServedLibraries.open(among: configuration.roots))],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                try await server.run { ready.yield($0) }
                return nil
            }
            group.addTask {
                for await port in ports {
                    let probe = HTTPProbe(host: "127.0.0.1", port: port, timeout: 600)
                    let address = "/library/\(folder.url.lastPathComponent)/"
                    return try await body(
                        RunningLibrary(folder: folder, library: library, probe: probe, address: address))
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

/// Serves one library for all tests of a suite.
struct LibraryTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await RunningLibrary.with { running in
                try await RunningLibrary.$shared.withValue(running) { try await function() }
            }
        }
    }
}

extension Trait where Self == LibraryTrait {
    static var library: Self { Self() }
}
#endif
