import Basics
import Foundation
import PhotoCatalog
import Synchronization
import TestLibraries
import TestSupport
import Testing

@Suite("Thumbnails of an index run")
struct ThumbnailRunTests {
    /// Replaces all files as soon as the first thumbnail is asked for, and holds the other threads meanwhile.
    private final class ReplacingMaker: AssetThumbnailMaker {
        private let replace: @Sendable () throws -> Void
        private let count = Mutex(0)

        init(_ replace: @escaping @Sendable () throws -> Void) { self.replace = replace }

        var made: Int { count.withLock { $0 } }

        func thumbnails(of asset: Asset, at path: String) throws -> [AssetThumbnail]? {
            try count.withLock { count in
                count += 1
                if count == 1 { try replace() }
            }
            return [AssetThumbnail(form: "128", bytes: Array(asset.path.utf8))]
        }
    }

    @Test("are made of each file right after it was read, not after all files were")
    func order() async throws {
        let test = try await TestLibrary()
        let count = 300
        for number in 0..<count { try test.write("\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number))) }
        let maker = ReplacingMaker {
            for number in 0..<count {
                try test.write("\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number + count)))
            }
        }
        let report = try await test.library.index(undatedBy: nil, thumbnails: ThumbnailPlan(maker))
        #expect(report.inserted == count && maker.made == count)
        // Every thread had read one file, whose thumbnails were then refused.
        let early = try #require(report.thumbnails).failures
        #expect((1...Processors.count).contains(early.count), "\(early)")
        #expect(early.allSatisfy { $0.reason.contains("changed") })

        let next = try await test.library.index(undatedBy: nil, thumbnails: ThumbnailPlan(maker))
        #expect(next.updated == early.count && next.thumbnails?.made == early.count)
        #expect(next.thumbnails?.kept == count - early.count)
        let asset = try #require(try await test.library.asset(path: "7.jpg"))
        #expect(test.library.storedThumbnail(of: asset, "128") == Array("7.jpg".utf8))
        #expect(test.library.storedThumbnail(of: asset, "256") == nil)
    }

    @Test("are made of files that were indexed before, below the paths that are named")
    func earlier() async throws {
        let test = try await TestLibrary()
        for number in 0..<100 {
            try test.write("\(number % 2)/\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number)))
        }
        try await test.library.index()
        let maker = ReplacingMaker {}
        let shown = Mutex<[Int]>([])
        let plan = ThumbnailPlan(maker) { done, total in shown.withLock { $0 += [done, total] } }
        let part = try await test.library.index(["1"], undatedBy: nil, thumbnails: plan)
        #expect(part.thumbnails?.made == 50 && part.unchanged == 50 && maker.made == 50)
        #expect(shown.withLock(\.last) == 50)
        let all = try await test.library.index(undatedBy: nil, thumbnails: plan)
        #expect(all.thumbnails?.made == 50 && all.thumbnails?.kept == 50 && maker.made == 100)
        try test.remove("0")
        let fewer = try await test.library.index(undatedBy: nil, thumbnails: plan)
        #expect(fewer.thumbnails?.removed == 50 && fewer.thumbnails?.kept == 50 && maker.made == 100)
    }
}
