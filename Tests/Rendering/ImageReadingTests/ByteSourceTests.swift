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

    @Test("is on this machine unless it says otherwise")
    func local() { #expect(!PlainBytes().isRemote) }
}
