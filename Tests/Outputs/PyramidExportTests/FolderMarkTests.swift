import Foundation
import PyramidExport
import TestSupport
import Testing

@Suite("The mark of a folder")
struct FolderMarkTests {
    /// Returns a folder with files of one byte.
    private static func folder(_ names: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in names { try Data([0]).write(to: URL(fileURLWithPath: folder.path(name))) }
        return folder
    }

    private static func write(_ text: String, to folder: TemporaryFolder) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(".viewport")))
    }

    @Test("shows changes of names that are equal only after Unicode normalization")
    func twins() throws {
        let folder = try Self.folder(["caf\u{E9}", "cafe\u{301}"])
        for _ in 0..<3 {
            try FolderMark.add(to: folder.url.path)
            #expect(FolderMark.isOn(folder.url.path))
        }
        try Data([0, 0]).write(to: URL(fileURLWithPath: folder.path("caf\u{E9}")))
        #expect(!FolderMark.isOn(folder.url.path))
    }

    /// The CRC-32 of the lines "/NAME 1", in the order of a version: "f" is before "é" in Unicode's.
    @Test(
        "is read in the order of its version",
        arguments: [("1", 1_221_574_208, true), ("2", 918_426_927, true), ("1", 918_426_927, false)])
    func versions(_ version: String, _ sum: Int, _ isValid: Bool) throws {
        let folder = try Self.folder(["f", "e\u{301}"])
        try Self.write("viewport-made \(version) \(sum) 0\n", to: folder)
        #expect(FolderMark.isOn(folder.url.path) == isValid)
    }
}
