import Foundation
import Synchronization
import TestSupport
import Testing
import Vips

@testable import ImageReading

@Suite("An index in the making")
struct IndexProgressTests {
    @Test(
        "tells what share of the file is read, and is the same",
        arguments: [("jpegsave", false), ("jpegsave", true), ("pngsave", false)], [false, true])
    func progress(_ kind: (saver: String, isInterlaced: Bool), _ isForManyParts: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(kind.saver == "pngsave" ? "photo.png" : "photo.jpg")
        let photo = try TestImages.photo(width: 2000, height: 1600)
        try photo.save(path, with: kind.saver, kind.isInterlaced ? ["interlace": .bool(true)] : [:])
        var options = OpenOptions()
        options.optimizesForRandomAccess = isForManyParts
        options.indexesAtOpening = false
        let source = try #require(try ImageFile.open(path, options).indexable)
        #expect(!source.isIndexed)
        let seen = Mutex<[Double]>([])
        let made = try source.makingIndex { share in seen.withLock { $0.append(share) } }
        let shares = seen.withLock { $0 }
        #expect(shares.allSatisfy { (0...1).contains($0) } && shares.max() ?? 0 > 0.9, "\(shares)")
        #expect(made.isIndexed)
        #expect(try made.encodedIndex() == source.makingIndex().encodedIndex())

        seen.withLock { $0 = [] }
        let first = try source.indexedWhereAsked { share in seen.withLock { $0.append(share) } }
        #expect(first.isIndexed == isForManyParts && seen.withLock { !$0.isEmpty } == isForManyParts)
        // It is kept: nobody makes it again.
        let again = try source.indexedWhereAsked { _ in Issue.record("the index is made again") }
        #expect(again.isIndexed == isForManyParts)
    }
}
