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
        "returns every line without its newline",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]), ("\n", [""]),
            ("a\r\nb\n", ["a\r", "b"]), ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", [""]),
        ])
    func lines(_ text: String, _ expected: [String]) throws {
        #expect(try Self.lines(Data(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) } == expected)
    }

    @Test("joins lines that were read in pieces, and truncates long lines")
    func long() throws {
        let long = Data(repeating: 0x61, count: 200_000)
        let tooLong = Data(repeating: 0x62, count: LineReader.longestLine + 1)
        let lines = try Self.lines(long + Data("\n".utf8) + tooLong + Data("\nend".utf8))
        #expect(lines.map(\.bytes.count) == [200_000, LineReader.longestLine, 3])
        #expect(lines.map(\.isCut) == [false, true, false])
    }

    @Test("reports why a file cannot be read")
    func errors() throws {
        let folder = try TemporaryFolder()
        #expect(throws: FileError.missing) { try LineReader(folder.path("none")) }
        #expect(throws: FileError.folder) { try LineReader(folder.url.path) }
    }
}

@Suite("The text of a file's name")
struct PathTextTests {
    @Test(
        "represents bytes that are not UTF-8, and no others",
        arguments: [
            (Array("plain é 😀".utf8), "plain é 😀"), ([0x66, 0xFF], "f\u{F7FF}"), ([0x80], "\u{F780}"),
            ([0xC3, 0x28], "\u{F7C3}("), ([0xE2, 0x82], "\u{F7E2}\u{F782}"),
            // Overlong, a surrogate, beyond Unicode.
            ([0xC0, 0xAF], "\u{F7C0}\u{F7AF}"), ([0xED, 0xA0, 0x80], "\u{F7ED}\u{F7A0}\u{F780}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{F7F4}\u{F790}\u{F780}\u{F780}"),
            // The scalars that represent bytes, and their neighbors.
            (Array("\u{F780}".utf8), "\u{F7EF}\u{F79E}\u{F780}"),
            (Array("\u{F77F}\u{F800}".utf8), "\u{F77F}\u{F800}"), ([], ""),
        ])
    func pairs(_ bytes: [UInt8], _ text: String) {
        #expect(Array(PathText.decode(bytes).unicodeScalars) == Array(text.unicodeScalars))
        #expect(PathText.bytes(text) == bytes)
    }

    @Test("is reversible, and different for different names")
    func random() {
        var random = SplitMix64(seed: 12)
        var texts: [[UInt8]: [UInt8]] = [:]
        // Bytes that UTF-8 and the kept scalars are made of.
        let pieces: [UInt8] = [
            0x2F, 0x61, 0x80, 0x9E, 0x9F, 0xBF, 0xC3, 0xA9, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF,
        ]
        for _ in 0..<20_000 {
            let bytes = (0..<random.next() % 7).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
            let text = PathText.decode(bytes)
            #expect(PathText.bytes(text) == bytes)
            #expect(texts.updateValue(bytes, forKey: Array(text.utf8)) ?? bytes == bytes)
        }
    }

    @Test("is displayed with hexadecimal numbers for bytes that are not UTF-8")
    func shown() {
        #expect(PathText.shown(PathText.decode([0x66, 0xFF, 0xC3, 0xA9])) == #"f\xFFé"#)
        #expect(PathText.shown("é.jpg") == "é.jpg")
    }

    @Test("come from the pieces of a closure, and are cut at its limit")
    func pieces() throws {
        var pieces = ["ab", "c\n", "defgh\nx"].map { Array($0.utf8) }
        let reader = LineReader(size: nil, longest: 4) { buffer, _ in
            buffer = pieces.isEmpty ? [] : pieces.removeFirst()
            return buffer.count
        }
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["abc", "defg", "x"])
        #expect(lines.map(\.isCut) == [false, true, false])
    }
}
