import Checksums
import Files
import Foundation
import TestSupport
import Testing

@testable import Archives

@Suite("A ZIP archive that is written")
struct ZipWriterTests {
    @Test("is read again, with sizes before or behind the bytes", arguments: [1, 3, 70_000])
    func roundTrip(_ number: Int) throws {
        let folder = try TemporaryFolder()
        var (writer, bytes) = (ZipWriter(), [UInt8]())
        for index in 0..<number {
            let text = Array("contents of \(index)".utf8)
            let clock = ZipWriter.Clock(year: 2014, month: 5, day: 25, hour: 10, minute: 30, second: 4)
            let entry = ZipWriter.Entry(name: "größe/\(index)", clock: clock, isLarge: index % 3 == 2)
            if index.isMultiple(of: 2) {
                bytes += writer.begin(entry) + text
                writer.add(text.span)
                bytes += writer.end()
            } else {
                let sum = CRC32.of(text.span)
                bytes += writer.begin(ZipWriter.Entry(name: "größe/\(index)"), count: text.count, sum: sum)
                bytes += text
            }
        }
        #expect(writer.count == bytes.count)
        bytes += writer.finish(comment: 5) + Array("marks".utf8)
        try Data(bytes).write(to: folder.url.appendingPathComponent("a.zip"))
        let archive = try ZipArchive(folder.path("a.zip"))
        #expect(archive.entries.map(\.path.text) == (0..<number).map { "größe/\($0)" })
        for (index, entry) in archive.entries.enumerated().filter({ $0.offset % 997 < 3 }) {
            #expect(try archive.contents(of: entry, limit: 1_000) == Array("contents of \(index)".utf8))
            #expect(index % 2 == 1 || entry.modified == 1_401_013_804 * 1_000_000_000)
        }
    }

    @Test("have numbers of 64 bits where 32 do not suffice")
    func large() throws {
        var records = ZipWriter()
        func number(_ bytes: [UInt8], _ at: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        let size = 5 << 30
        let head = records.begin(ZipWriter.Entry(name: "a", isLarge: true))
        #expect(number(head, 18, 4) == 0xFFFF_FFFF && number(head, 28, 2) == 20)
        records.skip(size)
        let tail = records.end()
        #expect(tail.count == 24 && number(tail, 8, 8) == size)
        let before = records.count
        _ = records.begin(ZipWriter.Entry(name: "b"))
        records.skip(3)
        _ = records.end()
        let start = records.count
        let directory = records.finish()
        #expect(records.count == start + directory.count)
        // The first file's sizes, and the second file's place, are in extra fields.
        #expect(number(directory, 20, 4) == 0xFFFF_FFFF && number(directory, 46 + 1 + 4, 8) == size)
        let second = 46 + 1 + 20
        #expect(number(directory, second, 4) == 0x0201_4B50)
        #expect(number(directory, second + 20, 4) == 3 && number(directory, second + 42, 4) == 0xFFFF_FFFF)
        #expect(number(directory, second + 46 + 1 + 4, 8) == before)
        let end = second + 46 + 1 + 12
        #expect(number(directory, end, 4) == 0x0606_4B50 && number(directory, end + 32, 8) == 2)
        #expect(number(directory, end + 48, 8) == start)
        #expect(
            number(directory, end + 56, 4) == 0x0706_4B50 && number(directory, end + 64, 8) == start + end)
        #expect(number(directory, end + 76, 4) == 0x0605_4B50)
    }
}
