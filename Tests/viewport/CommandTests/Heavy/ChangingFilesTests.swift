import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

#if Server
import TileServing
#endif

/// A photo that changes continuously while programs read it.
private final class RestlessFile: Sendable {
    enum Change: String, CaseIterable, Sendable {
        case cut, grown, replaced, removed
    }

    /// The number of changes, and whether the changes continue.
    private let state = Locked((count: 0, isGoingOn: true))
    private let url: URL
    /// The contents of the file whenever it is complete.
    let contents: [Data]

    init(_ url: URL, _ contents: [Data]) throws {
        self.url = url
        self.contents = contents
        try contents[0].write(to: url)
    }

    /// Changes the file until `body` returns, at least `least` times, and then restores the first contents.
    func changing<R>(_ change: Change, atLeast least: Int, _ body: () async throws -> R) async throws -> R {
        state.with { $0 = (0, true) }
        let ended = AsyncStream.makeStream(of: Void.self)
        // A separate thread, because the tests share few.
        Thread.detachNewThread { [self] in
            while state.with({ $0.isGoingOn || $0.count < least }) {
                self.make(change, state.with { $0.count })
                state.with { $0.count += 1 }
            }
            ended.continuation.finish()
        }
        let result: Result<R, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        state.with { $0.isGoingOn = false }
        for await _ in ended.stream {}
        #expect(state.with { $0.count } >= least)
        try? contents[0].write(to: url)
        return try result.get()
    }

    private func make(_ change: Change, _ number: Int) {
        let next = contents[number % contents.count]
        let pause = UInt32(200 + number * 7919 % 6000)
        switch change {
        case .cut:
            try? next.write(to: url)
            usleep(pause)
            let file = try? FileHandle(forWritingTo: url)
            try? file?.truncate(atOffset: UInt64(number * 977 % next.count))
            usleep(pause / 2)
        case .grown:
            try? next.write(to: url)
            usleep(pause)
            let file = try? FileHandle(forWritingTo: url)
            _ = try? file?.seekToEnd()
            try? file?.write(contentsOf: Data(repeating: 7, count: 1 + number * 4099 % 200_000))
            usleep(pause)
        case .replaced:
            // Writes a hidden file and renames it.
            try? next.write(to: url, options: .atomic)
            usleep(pause)
        case .removed:
            try? FileManager.default.removeItem(at: url)
            usleep(pause / 2)
            try? next.write(to: url, options: .atomic)
            usleep(pause)
        }
    }
}

private final class Locked<Value>: @unchecked Sendable {
    // Accessed only with the lock.
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) { self.value = value }

    func with<R>(_ body: (inout Value) -> R) -> R {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}

/// Files that are truncated, extended, replaced and removed while commands read them.
@Suite("Files that change while they are read")
struct ChangingFilesTests {
    private static let viewport = BuiltProgram("viewport")

    /// Returns two photos of the same size as files of a format.
    private static func contents(_ ending: String) throws -> [Data] {
        let folder = try TemporaryFolder()
        return try (1...2).map { seed in
            let name = "\(seed).\(ending)"
            try TestImages.photo(width: 300, height: 240, seed: UInt64(seed))
                .save(folder.path(name), oriented: .up)
            return try folder.data(name)
        }
    }

    /// Returns whether the command succeeded or reported an error, and did not crash.
    private static func isWellTold(_ result: BuiltProgram.Result) -> Bool {
        let codes: Set<Int32> = [0, 3, 65, 66, 75]
        return codes.contains(result.code) && !result.errors.contains("Fatal error")
    }

    @Test(
        "give the old picture, the new one or an error", arguments: RestlessFile.Change.allCases,
        ["jpg", "png", "webp", "tif"])
    private func pictures(_ change: RestlessFile.Change, _ ending: String) async throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let environment = ["XDG_CACHE_HOME": cache.url.path]
        let contents = try Self.contents(ending)
        var pictures: [Data] = []
        let parts = ["--rect", "60,48,180,120", "--format", "png", "-o", "-"]
        for (number, content) in contents.enumerated() {
            try content.write(to: folder.url.appendingPathComponent("\(number).\(ending)"))
            pictures.append(
                try await Self.viewport.run(["render", folder.path("\(number).\(ending)")] + parts).output)
        }
        #expect(pictures[0] != pictures[1] && pictures.allSatisfy { !$0.isEmpty })
        let path = folder.path("photo.\(ending)")
        let file = try RestlessFile(URL(fileURLWithPath: path), contents)
        try await file.changing(change, atLeast: TestLength.repetitions(100, short: 15)) {
            for number in 0..<6 {
                let result: BuiltProgram.Result
                if number % 3 == 2 {
                    result = try await Self.viewport.run(["index", path], environment: environment)
                } else {
                    result = try await Self.viewport.run(["render", path] + parts, environment: environment)
                    #expect(result.code != 0 || pictures.contains(result.output), "\(number)")
                }
                #expect(Self.isWellTold(result), "\(number): \(result.code) \(result.errors)")
            }
        }
        // Data that was cached for other states of the file is not used.
        for _ in 0..<2 {
            let last = try await Self.viewport.run(["render", path] + parts, environment: environment)
            #expect(last.output == pictures[0], "\(last.errors)")
            if ending == "jpg" {
                #expect(try await Self.viewport.run(["index", path], environment: environment).code == 0)
            }
        }
    }

    @Test("do not crash commands that read them", arguments: RestlessFile.Change.allCases)
    private func commands(_ change: RestlessFile.Change) async throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let photos = folder.url.appendingPathComponent("photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        let contents = try Self.contents("jpg")
        for number in 0..<4 { try contents[1].write(to: photos.appendingPathComponent("still\(number).jpg")) }
        let file = try RestlessFile(photos.appendingPathComponent("photo.jpg"), contents)
        let library = folder.url.appendingPathComponent("library").path
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        let environment = ["XDG_CACHE_HOME": cache.url.path, "TZ": "UTC"]
        func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
            try await Self.viewport.run(arguments, in: folder.url, environment: environment)
        }
        for root in ["photos", library] {
            #expect(try await run(["library", "init", root]).code == 0)
            #expect(try await run(["library", "index", root]).code == 0)
        }
        let commands: [[String]] = [
            ["info", "photos/photo.jpg"],
            [
                "thumbnail", "--recursive", "photos", "--size", "64", "-o", "out/{name}-{size}.jpg",
                "--results", "results",
            ],
            ["thumbnail", "verify", "results"],
            ["pyramid", "photos/photo.jpg", "-o", "site"],
            ["library", "index", "photos"],
            ["library", "import", library, "photos"],
            ["library", "sheet", "photos", "-o", "sheet.png"],
        ]
        try await file.changing(change, atLeast: TestLength.repetitions(100, short: 15)) {
            for arguments in commands {
                let result = try await run(arguments)
                #expect(Self.isWellTold(result), "\(arguments): \(result.code) \(result.errors)")
            }
        }
        // The other photos have their thumbnails, whatever happened to the changing one.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
        #expect(names.filter { $0.hasPrefix("still") }.count == 4)
        // The library and its cache contain no data of other states.
        #expect(try await run(["library", "index", "photos"]).code == 0)
        let sheets = ["one.png", "two.png"].map { folder.path($0) }
        #expect(try await run(["library", "sheet", "photos", "-o", sheets[0]]).code == 0)
        let fresh = try TemporaryFolder()
        let other = try await Self.viewport.run(
            ["library", "sheet", "photos", "-o", sheets[1]], in: folder.url,
            environment: ["XDG_CACHE_HOME": fresh.url.path, "TZ": "UTC"])
        #expect(other.code == 0)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: sheets[0]))
                == Data(contentsOf: URL(fileURLWithPath: sheets[1])))
    }

    #if Server
    /// Returns whether a picture has the upper rows of another one, and gray where rows are missing.
    private static func isBeginning(_ picture: [UInt8], of whole: [UInt8]) -> Bool {
        guard
            let images = try? [picture, whole].map({
                try VipsImage.load(bytes: $0, with: "pngload_buffer")
            }), let bytes = try? images.map({ try $0.pixels().copied() }),
            bytes[0].count == bytes[1].count
        else { return false }
        let row = bytes[0].count / images[0].height
        let same = (0..<images[0].height).prefix { number in
            bytes[0][number * row..<(number + 1) * row] == bytes[1][number * row..<(number + 1) * row]
        }.count
        // The row of blocks in which the file ends, and the colors of the one above it, are between both.
        return bytes[0].dropFirst((same + 18) * row).allSatisfy { $0 == 128 }
    }

    @Test("are reported as such by the server", arguments: RestlessFile.Change.allCases)
    private func serving(_ change: RestlessFile.Change) async throws {
        let folder = try TemporaryFolder()
        let contents = try Self.contents("jpg")
        try contents[1].write(to: folder.url.appendingPathComponent("still.jpg"))
        let part = "60,48,120,90/120,90/0/default.png"
        var pictures: [[UInt8]] = []
        for (number, content) in contents.enumerated() {
            try content.write(to: folder.url.appendingPathComponent("\(number).jpg"))
        }
        let serving = try ServeCommandTests.Serving([folder.url.path])
        for number in contents.indices {
            pictures.append(try await serving.probe.send("/iiif/3/\(number).jpg/\(part)").body)
        }
        let file = try RestlessFile(folder.url.appendingPathComponent("photo.jpg"), contents)
        try await file.changing(change, atLeast: TestLength.repetitions(100, short: 15)) {
            for number in 0..<60 {
                let answer = try await serving.probe.send("/iiif/3/photo.jpg/\(part)")
                // Of a file that stays cut, the existing part is shown.
                let isRight =
                    pictures.contains(answer.body)
                    || change == .cut && pictures.contains { Self.isBeginning(answer.body, of: $0) }
                #expect(
                    answer.status == 200 ? isRight : answer.status >= 404, "\(number): \(answer.status)")
                let still = try await serving.probe.send("/iiif/3/still.jpg/\(part)")
                #expect(still.status == 200 && still.body == pictures[1])
            }
        }
        let last = try await serving.probe.send("/iiif/3/photo.jpg/\(part)")
        #expect(last.status == 200 && last.body == pictures[0])
        #expect(serving.program.end() == 0)
    }
    #endif
}
