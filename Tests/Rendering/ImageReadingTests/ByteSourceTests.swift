import Synchronization
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes that count how many of them are read.
private final class CountedBytes: ImageByteSource {
    private let bytes: [UInt8]
    let isRemote: Bool
    private let counts = Mutex(0)

    init(_ bytes: [UInt8], isRemote: Bool) { (self.bytes, self.isRemote) = (bytes, isRemote) }

    var count: Int { bytes.count }
    var read: Int { counts.withLock { $0 } }

    func bytes(in range: Range<Int>) -> [UInt8] {
        counts.withLock { $0 += range.count }
        return Array(bytes[range])
    }
}

/// A source with the defaults of the protocol, which fails at once.
private final class PlainBytes: ImageByteSource {
    let count = 10
    func bytes(in range: Range<Int>) throws -> [UInt8] { throw CancellationError() }
}

@Suite("A source of bytes")
struct ByteSourceTests {
    private static func jpeg() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 2400, height: 1800).save(
            folder.path("photo.jpg"), with: "jpegsave", ["Q": .int(92)])
        return [UInt8](try Data(contentsOf: URL(filePath: folder.path("photo.jpg"))))
    }

    @Test(
        "is read once at most for a part of a JPEG", arguments: [100.0, 700, 1400],
        [(false, false), (true, false), (false, true), (true, true)])
    func once(_ y: Double, _ kind: (isRemote: Bool, isForManyParts: Bool)) async throws {
        let jpeg = try Self.jpeg()
        let source = CountedBytes(jpeg, isRemote: kind.isRemote)
        var options = OpenOptions()
        options.optimizesForRandomAccess = kind.isForManyParts
        let file = try ImageFile(bytesOf: source, options: options)
        let part = Rect<ImageSpace>(x: 800, y: y, width: 320, height: 240)
        let picture = try await ViewportRenderer().render(rect: part, of: file)
        #expect(source.read <= jpeg.count * 105 / 100, "\(100 * source.read / jpeg.count) %")
        let same = try await ViewportRenderer().render(rect: part, of: ImageFile(bytesOf: jpeg))
        #expect(picture == same)

        // What was read is still there, also for parts at the same time.
        let before = source.read
        try await withThrowingTaskGroup { group in
            for column in 0..<4 {
                group.addTask {
                    let part = Rect<ImageSpace>(x: Double(column) * 400, y: y, width: 400, height: 240)
                    _ = try await ViewportRenderer().render(rect: part, of: file)
                }
            }
            try await group.waitForAll()
        }
        #expect(source.read - before <= jpeg.count / 10)
    }

    /// A file and the most percent of its bytes that are read: more of scans that do not fit into what is kept.
    typealias Kind = (saver: String, side: Int, options: [String: VipsArgument], percent: Int)

    @Test(
        "is read about once for a part of other formats, and of files that are larger than what is kept",
        arguments: [
            ("jpegsave", 4800, ["Q": .int(95)], 105),
            ("jpegsave", 4800, ["Q": .int(95), "interlace": .bool(true)], 200),
            ("jpegsave", 1600, ["interlace": .bool(true)], 105), ("pngsave", 1600, [:], 105),
        ] as [Kind], [false, true])
    func large(_ kind: Kind, _ isForManyParts: Bool) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: kind.side, height: kind.side).save(
            folder.path("photo"), with: kind.saver, kind.options)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path("photo"))))
        let source = CountedBytes(bytes, isRemote: false)
        var options = OpenOptions()
        options.optimizesForRandomAccess = isForManyParts
        let file = try ImageFile(bytesOf: source, options: options)
        let part = Rect<ImageSpace>(x: 800, y: Double(kind.side) / 2, width: 320, height: 240)
        _ = try await ViewportRenderer().render(rect: part, of: file)
        let percent = 100 * source.read / source.count
        #expect(percent <= kind.percent, "\(percent) % of \(source.count) bytes")
    }

    @Test("is on this machine unless it says otherwise")
    func local() { #expect(!PlainBytes().isRemote) }
}
