import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library watch", .ownThread)
struct LibraryWatchTests {
    @Test(
        "prints changes until a signal ends it", arguments: [SIGTERM, SIGINT])
    func watch(_ signal: Int32) async throws {
        let library = try LibraryProgram()
        try await library.run("init")
        let process = library.process("watch")
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.start()
        var rest = Data()
        /// Waits for the next notice of a kind, until the time limit of the test.
        func notice(_ kind: String, _ member: String) throws -> [String: Any] {
            while true {
                while let end = rest.firstIndex(of: 0x0A) {
                    let line = rest[..<end]
                    rest = Data(rest[rest.index(after: end)...])
                    let json = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
                    if json["notice"] as? String == kind, !(json[member] as? [Any] ?? []).isEmpty {
                        return json
                    }
                }
                let more = pipe.fileHandleForReading.availableData
                try #require(!more.isEmpty)
                rest += more
            }
        }
        _ = try notice("didSetUp", "groups")
        try library.write("library/a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        let inserted = try notice("assetsChanged", "inserted")["inserted"] as? [[String: Any]]
        #expect(inserted?.first?["path"] as? String == "a.jpg")
        let id = try #require(inserted?.first?["id"] as? Int)
        try FileManager.default.moveItem(
            atPath: library.folder.path("library/a.jpg"), toPath: library.folder.path("library/b.jpg"))
        let updated = try notice("assetsChanged", "updated")["updated"] as? [[String: Any]]
        #expect(updated?.first?["path"] as? String == "b.jpg" && updated?.first?["id"] as? Int == id)
        try FileManager.default.removeItem(atPath: library.folder.path("library/b.jpg"))
        #expect(try notice("assetsChanged", "removed")["removed"] as? [Int] == [id])
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationStatus == 128 + signal)
    }
}
