import Files
import Foundation
import TestSupport
import Testing

@Suite("A copy of a file")
struct FileCopyTests {
    @Test(
        "has a hidden name of its own that file systems take, however long the file's is",
        arguments: [
            ("a.jpg", "b.jpg"), (String(repeating: "é", count: 120) + "1.jpeg", nil),
            (longName("1"), longName("2")),
        ] as [(String, String?)])
    func names(_ name: String, _ other: String?) throws {
        let folder = try TemporaryFolder()
        try Data([1, 2, 3]).write(to: folder.url.appendingPathComponent("source"))
        func copy(_ name: String) throws -> FileCopy {
            try FileCopy(of: folder.path("source"), beside: folder.path(name)) { _ in }
        }
        let first = try copy(name)
        #expect(folder.names.count == 2 && folder.names[0].hasPrefix(FileCopy.prefix))
        // Two programs that copy to one place do not write into one file.
        let second = try copy(name)
        #expect(second.path != first.path)
        second.discard()
        if let other { #expect(try copy(other).path != first.path) }
        #expect(try first.publish(as: folder.path(name)))
        #expect(try folder.data(name) == Data([1, 2, 3]))
    }

    /// 255 bytes, of which only the last differ.
    private static func longName(_ ending: String) -> String {
        String(repeating: "n", count: 255 - ending.utf8.count) + ending
    }
}
