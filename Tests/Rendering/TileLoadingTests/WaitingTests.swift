#if os(Linux)
import Basics
import Files
import Foundation
import Synchronization
import TestSupport
import TestHarness
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading
@testable import TileLoading

/// The bytes of a file; reads can be held.
private final class HeldBytes: RandomAccessBytes {
    let count: Int
    private let bytes: [UInt8]
    private let gate = NSCondition()
    private let state = Mutex((isShut: false, held: 0))

    init(_ bytes: [UInt8]) {
        (self.bytes, count) = (bytes, bytes.count)
    }

    /// The reads that are held.
    var held: Int { state.withLock { $0.held } }

    func shut() { state.withLock { $0.isShut = true } }

    func open() {
        gate.lock()
        state.withLock { $0.isShut = false }
        gate.broadcast()
        gate.unlock()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        gate.lock()
        state.withLock { $0.held += 1 }
        while state.withLock({ $0.isShut }) { gate.wait() }
        state.withLock { $0.held -= 1 }
        gate.unlock()
        // The buffer is as long as the range.
        unsafe buffer.copyBytes(from: bytes[position..<(position + buffer.count)])
    }
}

/// Something that the first caller makes of a file, on the caller's thread.
struct SharedWork: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The arguments of libvips' saver.
    let saver: String
    /// Returns the work for an open file.
    let prepare: @Sendable (OpenFile) throws -> @Sendable () throws -> Void

    private static let options = {
        var options = OpenOptions()
        options.optimizesForRandomAccess = true
        return options
    }()

    private static func source(of file: OpenFile) throws -> any ImageSource {
        try ImageFile.open(file, options, scans: false).source
    }

    private static func jpeg(of file: OpenFile) throws -> any JPEGSource {
        let source = try #require(try source(of: file) as? any JPEGSource)
        try source.refuseDamage()
        return source
    }

    private static func tiled(_ file: OpenFile) throws -> TiledSource {
        TiledSource(
            try ImageFile.open(file, OpenOptions(), scans: false).source,
            identity: SourceIdentity("a", hasPath: false, file.status, OpenOptions()),
            cache: TileCache(capacity: 1 << 24), minimumPixels: 0)
    }

    static let all = [
        SharedWork(testDescription: "a scan for damage", saver: ".jpg") { file in
            let scan = DamageScan(file)
            return { _ = try scan.damage(.jpeg) }
        },
        SharedWork(testDescription: "the index of a JPEG", saver: ".jpg") { file in
            let source = try jpeg(of: file)
            return { _ = try source.indexedWhereAsked() }
        },
        SharedWork(testDescription: "the index of a progressive JPEG", saver: ".jpg[interlace]") { file in
            let source = try jpeg(of: file)
            return { _ = try source.indexedWhereAsked() }
        },
        SharedWork(testDescription: "the overview of a JPEG", saver: ".jpg") { file in
            let source = try jpeg(of: file)
            return { try source.makeOverview() }
        },
        SharedWork(testDescription: "the overview of a progressive JPEG", saver: ".jpg[interlace]") { file in
            let source = try jpeg(of: file)
            return { try source.makeOverview() }
        },
        SharedWork(testDescription: "the index of a PNG", saver: ".png") { file in
            let source = try #require(try source(of: file) as? PNGRegionSource)
            return { _ = try source.reader() }
        },
        SharedWork(testDescription: "a level that frames share", saver: ".png") { file in
            let shared = try ImageFile.open(file, OpenOptions(), scans: false).sharedByFrames().source
            let reader = try shared.open(shared.pyramid.full)
            return { try reader.read(PixelRect(x: 0, y: 0, width: 8, height: 8)) { _ in } }
        },
        SharedWork(testDescription: "a tile", saver: ".jpg") { file in
            let source = try tiled(file)
            let key = TileKey(source: source.identity, level: 0, column: 0, row: 0)
            return { _ = try source.tile(key) }
        },
        SharedWork(testDescription: "the index of a source in tiles", saver: ".jpg") { file in
            let source = try tiled(file)
            return { try source.prepare() }
        },
        SharedWork(testDescription: "a copy for another library", saver: ".jpg") { file in
            { if file.descriptorPath == "/dev/null" { throw FileError.cancelled } }
        },
    ]
}

@Suite("Work on a file that several threads need", .ownThread)
struct WaitingTests {
    private static let threads = BlockingExecutor(width: 8)

    @Test("is not waited for by a cancelled task, and is made for the others", arguments: SharedWork.all)
    func cancelled(_ shared: SharedWork) async throws {
        let folder = try TemporaryFolder()
        let ending = shared.saver.prefix { $0 != "[" }
        let path = folder.path("photo\(ending)")
        let image = try TestImages.photo(width: 700, height: 500)
        try image.save(
            path, with: ending == ".png" ? "pngsave" : "jpegsave",
            shared.saver.contains("interlace") ? ["interlace": .bool(true)] : [:])
        let bytes = HeldBytes(Array(try folder.data("photo\(ending)")))
        let status = try #require(FileStatus(path))
        let file = try OpenFile(source: bytes, name: "photo\(ending)", status: status)
        let work = try shared.prepare(file)
        bytes.shut()
        defer { bytes.open() }

        let maker = Task { try await Self.threads.run(work) }
        while bytes.held == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let thread = Mutex<String?>(nil)
        let waiter = Task {
            try await Self.threads.run {
                let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                thread.withLock { $0 = link }
                try work()
            }
        }
        try await Self.untilAsleep { thread.withLock { $0 } }
        waiter.cancel()
        let error = await #expect(throws: (any Error).self) { try await waiter.value }
        // Where errors are those of files, it is one of them.
        let isUnavailable = if case .unavailable = error as? RenderingError { true } else { false }
        #expect(error is CancellationError || error as? FileError == .cancelled || isUnavailable)
        #expect(bytes.held >= 1)
        bytes.open()
        try await maker.value
        try await Self.threads.run(work)
        try file.check()
    }

    /// Waits until a thread sleeps for long enough that it does not wake up by itself.
    private static func untilAsleep(_ thread: () -> String?) async throws {
        var times = 0
        while times < 20 {
            let status = thread().flatMap { try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8) }
            let state = status?.split(separator: ")").last?.split(separator: " ").first
            times = state == "S" ? times + 1 : 0
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
#endif
