import Files
import Foundation
import RenderCaching
import TestSupport
import Testing
import ViewportRendering

@Suite("A cache folder")
struct CacheFolderTests {
    static let kind = CacheKind(name: "test", version: 1)

    /// Writes a source file, and returns the key of an entry for it.
    static func key(_ folder: TemporaryFolder, _ name: String = "source", _ text: String = "text") throws
        -> CacheKey
    {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
        let path = folder.path(name)
        return try #require(CacheKey(SourceIdentity(path, FileStatus(path), OpenOptions())))
    }

    static func bytes(_ entry: CacheEntry?) throws -> [UInt8]? {
        try entry.map { Array(try Data(contentsOf: URL(fileURLWithPath: $0.path))) }
    }

    @Test("returns its entries by key and by kind")
    func kept() throws {
        let folder = try TemporaryFolder()
        let cache = CacheFolder(path: folder.path("a/b/cache"))
        let key = try Self.key(folder)
        #expect(cache.entry(for: key, Self.kind) == nil)
        try cache.store([1, 2, 3], for: key, Self.kind)
        #expect(try Self.bytes(cache.entry(for: key, Self.kind)) == [1, 2, 3])
        #expect(cache.entry(for: key, CacheKind(name: "test", version: 2)) == nil)
        #expect(cache.entry(for: key, CacheKind(name: "other", version: 1)) == nil)
        #expect(cache.entry(for: try Self.key(folder, "elsewhere"), Self.kind) == nil)
        let item = try #require(cache.items().first)
        #expect(item.source.hasSuffix("/source") && item.kind == "test")
    }

    @Test("ignores entries of an earlier state of the file")
    func stale() throws {
        let folder = try TemporaryFolder()
        let cache = CacheFolder(path: folder.path("cache"))
        let before = try Self.key(folder)
        try cache.store([1], for: before, Self.kind)
        let after = try Self.key(folder, "source", "longer text")
        #expect(before != after)
        #expect(cache.entry(for: after, Self.kind) == nil)
        try cache.store([2], for: after, Self.kind)
        #expect(cache.entry(for: before, Self.kind) == nil)
        #expect(cache.items().count == 1)
    }

    /// Kinds of damage to the files of an entry: its bytes and its stamp.
    static let damages: [(String, @Sendable (URL, URL) throws -> Void)] = [
        ("its bytes are cut", { bytes, _ in try cut(bytes) }),
        ("its stamp is cut", { _, stamp in try cut(stamp) }),
        ("its bytes are gone", { bytes, _ in try FileManager.default.removeItem(at: bytes) }),
        ("its stamp is gone", { _, stamp in try FileManager.default.removeItem(at: stamp) }),
        ("its bytes are others", { bytes, _ in try Data(repeating: 7, count: 5000).write(to: bytes) }),
        ("its stamp is another's", { _, stamp in try Data("viewport cache 1".utf8).write(to: stamp) }),
        ("its bytes are empty", { bytes, _ in try Data().write(to: bytes) }),
        (
            "a byte was changed and the file's time set back",
            { bytes, _ in
                let time = try FileManager.default.attributesOfItem(atPath: bytes.path)[.modificationDate]
                var data = try Data(contentsOf: bytes)
                data[2500] ^= 1
                try data.write(to: bytes)
                try FileManager.default.setAttributes([.modificationDate: time!], ofItemAtPath: bytes.path)
            }
        ),
    ]

    static func cut(_ url: URL) throws {
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: try file.seekToEnd() / 2)
        try file.close()
    }

    @Test("does not trust an entry when", arguments: damages.indices)
    func damaged(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let cache = CacheFolder(path: folder.path("cache"))
        let key = try Self.key(folder)
        try cache.store(Array(repeating: 1, count: 5000), for: key, Self.kind)
        let path = try #require(cache.entry(for: key, Self.kind)).path
        try Self.damages[index].1(URL(fileURLWithPath: path), URL(fileURLWithPath: path + ".stamp"))
        #expect(cache.entry(for: key, Self.kind) == nil, "\(Self.damages[index].0)")
        try cache.store([2], for: key, Self.kind)
        #expect(try Self.bytes(cache.entry(for: key, Self.kind)) == [2])
    }

    @Test("evicts the least recently used entries")
    func bounded() async throws {
        let folder = try TemporaryFolder()
        // Room for three entries of 1,000 bytes and their stamps.
        let cache = CacheFolder(path: folder.path("cache"), capacity: 4000)
        let keys = try (0..<4).map { try Self.key(folder, "source\($0)") }
        for key in keys[..<3] {
            try cache.store(Array(repeating: 1, count: 1000), for: key, Self.kind)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(cache.entry(for: keys[0], Self.kind) != nil)
        try await Task.sleep(for: .milliseconds(20))
        try cache.store(Array(repeating: 1, count: 1000), for: keys[3], Self.kind)
        let isThere = keys.map { cache.entry(for: $0, Self.kind) != nil }
        #expect(isThere == [true, false, true, true])
        #expect(cache.items().reduce(0) { $0 + $1.bytes } <= 4000)
    }

    @Test("stays within its capacity, and keeps entries that are being read")
    func random() throws {
        let folder = try TemporaryFolder()
        let cache = CacheFolder(path: folder.path("cache"), capacity: 20_000)
        let keys = try (0..<12).map { try Self.key(folder, "source\($0)") }
        var random = SplitMix64(seed: 4)
        for _ in 0..<100 {
            let count = Int(random.next() % 6000) + 1
            try cache.store(Array(repeating: 1, count: count), for: keys[Int(random.next() % 12)], Self.kind)
            #expect(cache.items().reduce(0) { $0 + $1.bytes } <= 20_000)
        }
        let held = try #require(keys.lazy.compactMap { cache.entry(for: $0, Self.kind) }.first)
        let clearance = cache.clear()
        #expect(clearance.inUse == 1)
        #expect(FileManager.default.fileExists(atPath: held.path))
        #expect(cache.items().map(\.path) == [held.path])
    }

    @Test("removes files of ended processes, and no others")
    func swept() throws {
        let folder = try TemporaryFolder()
        let cache = CacheFolder(path: folder.path("cache"))
        try cache.store([1], for: try Self.key(folder), Self.kind)
        let name = "0123456789abcdef-0123456789abcdef.pyramid1"
        for left in [
            "\(name)", "\(name).part", "\(name).part.rows", "\(name).lock", ".\(name).stamp.99.part",
            "mine.txt",
        ] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("cache/\(left)")))
        }
        #expect(cache.clear(unusedFor: .seconds(86400)).removed == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: cache.path)
        #expect(names.count == 3 && names.contains("mine.txt"))
        #expect(cache.clear().removed == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path) == ["mine.txt"])
    }

    @Test("that cannot be written is an error")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let key = try Self.key(folder)
        #expect(throws: CacheError.self) {
            try CacheFolder(path: folder.path("source/cache")).store([1], for: key, Self.kind)
        }
    }
}
