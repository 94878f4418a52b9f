import Files
import Foundation
import TestSupport
import Testing

@Suite("A reader of lines")
struct LineReaderTests {
    static func lines(_ data: Data) throws -> [LineReader.Line] {
        let folder = try TemporaryFolder()
        try data.write(to: folder.url.appendingPathComponent("list"))
        let reader = try LineReader(folder.path("list"))
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        #expect(reader.offset == data.count && reader.size == data.count)
        return lines
    }

    @Test(
        "gives every line without its end",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]), ("\n", [""]),
            ("a\r\nb\n", ["a\r", "b"]),
        ])
    func lines(_ text: String, _ expected: [String]) throws {
        #expect(try Self.lines(Data(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) } == expected)
    }

    @Test("joins what was read in pieces, and cuts lines that are too long")
    func long() throws {
        let long = Data(repeating: 0x61, count: 200_000)
        let tooLong = Data(repeating: 0x62, count: LineReader.longestLine + 1)
        let lines = try Self.lines(long + Data("\n".utf8) + tooLong + Data("\nend".utf8))
        #expect(lines.map(\.bytes.count) == [200_000, LineReader.longestLine, 3])
        #expect(lines.map(\.isCut) == [false, true, false])
    }

    @Test("says what is wrong with what it cannot read")
    func errors() throws {
        let folder = try TemporaryFolder()
        #expect(throws: FileError.missing) { try LineReader(folder.path("none")) }
        #expect(throws: FileError.folder) { try LineReader(folder.url.path) }
    }
}
