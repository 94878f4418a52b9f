import Foundation
import PhotoCatalog
import Synchronization
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog

@Suite("Watching")
struct WatchingTests {
    /// Waits until the library contains exactly these files.
    private func wait(_ library: PhotoLibrary, for paths: [String]) async throws {
        for try await _ in library.changes {
            let snapshot = try await library.collection().snapshot()
            // There is no entry before the first file.
            let ids = snapshot.entries.isEmpty ? [] : snapshot.ids(in: 0)
            if try await library.assets(Array(ids)).map(\.path).sorted() == paths { return }
        }
    }

    @Test("detects files and folders that are written, moved and removed")
    func follow() async throws {
        let test = try await TestLibrary()
        let library = test.library
        try test.write("old.jpg", TinyPhoto.jpeg(salt: 1))
        let watching = Task { try await library.watch() }
        defer { watching.cancel() }
        try await wait(library, for: ["old.jpg"])
        try test.write("new.jpg", TinyPhoto.jpeg(salt: 2))
        try await wait(library, for: ["new.jpg", "old.jpg"])
        let id = try #require(try await library.asset(path: "new.jpg")?.id)
        // A new folder with a subfolder and files.
        try test.write("in/deep/a.jpg", TinyPhoto.jpeg(salt: 3))
        try test.move("new.jpg", to: "in/renamed.jpg")
        try await wait(library, for: ["in/deep/a.jpg", "in/renamed.jpg", "old.jpg"])
        #expect(try await library.asset(path: "in/renamed.jpg")?.id == id)
        try test.write("in/deep/b.jpg", TinyPhoto.jpeg(salt: 4))
        try await wait(library, for: ["in/deep/a.jpg", "in/deep/b.jpg", "in/renamed.jpg", "old.jpg"])
        try test.move("in", to: "out")
        try await wait(library, for: ["old.jpg", "out/deep/a.jpg", "out/deep/b.jpg", "out/renamed.jpg"])
        try test.remove("out")
        try test.write(".hidden/c.jpg", TinyPhoto.jpeg(salt: 5))
        try test.write("old.jpg", TinyPhoto.jpeg(width: 99, salt: 1))
        try await wait(library, for: ["old.jpg"])
        watching.cancel()
        try await watching.value
    }
}
