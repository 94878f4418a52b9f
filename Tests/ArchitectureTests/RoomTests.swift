import Foundation
import Testing

/// Checks how large targets are, and what they import.
@Suite("Rooms")
struct RoomTests {
    /// The most lines of a target.
    private static let most = 6_000

    @Test("have at most 6,000 lines, except for those that are still to be divided")
    func sizes() throws {
        var lines: [String: Int] = [:]
        for file in try SourceFile.below(["Sources"]) where file.path.count > 3 {
            lines[file.path[2], default: 0] += file.text.count(where: \.isNewline)
        }
        // A target that has become small enough leaves this list.
        #expect(
            Set(lines.filter { $0.value > Self.most }.keys) == [
                "ImageMetadata", "ImageReading", "JPEGIndexing", "ScrollModel", "TileServing",
            ])
    }

    @Test("read and write catalogs by CatalogStorage, which alone imports GRDB and shows nothing of it")
    func wall() throws {
        let files = try SourceFile.below(["Sources"]).filter { $0.code.contains("import GRDB") }
        #expect(!files.isEmpty)
        for file in files {
            #expect(file.path.contains("CatalogStorage"), "\(file.path)")
            #expect(file.code.contains("internal import GRDB"), "\(file.path)")
        }
        let statement = try NSRegularExpression(
            pattern: #""\s*(SELECT .* FROM|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA) "#)
        for file in try SourceFile.below(["Sources", "Photos"]) where !file.path.contains("CatalogStorage") {
            #expect(!statement.matches(file.code), "\(file.path)")
        }
    }

    @Test("are not asked for their catalog by the program and the server")
    func above() throws {
        for file in try SourceFile.below(["Sources"]) where file.code.contains("import CatalogStorage") {
            #expect(file.path[1] == "Photos", "\(file.path)")
        }
    }
}
