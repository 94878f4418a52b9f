import Files
import Foundation
import TestSupport
import Testing

@testable import Archives

@Suite("A ZIP archive")
struct ZipArchiveTests {
    private static let text = Array(repeating: Array("0123456789 sentences ".utf8), count: 40_000).flatMap(
        \.self)

    private func archive(_ bytes: [UInt8]) throws -> (ZipArchive, TemporaryFolder) {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url.appendingPathComponent("a.zip"))
        return (try ZipArchive(folder.path("a.zip")), folder)
    }

    private func fault(_ bytes: [UInt8]) throws -> ZipError.Fault? {
        do {
            let (archive, folder) = try archive(bytes)
            defer { withExtendedLifetime(folder) {} }
            for entry in archive.entries { _ = try archive.contents(of: entry, limit: 1 << 24) }
            return nil
        } catch let error as ZipError {
            return error.fault
        }
    }

    struct Form: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout ZipMaker) -> Void
    }

    static let forms = [
        Form(testDescription: "deflate") { _ in },
        Form(testDescription: "stored") { $0.entries[0].isDeflated = false },
        Form(testDescription: "data descriptors") { $0.entries[0].hasDescriptor = true },
        Form(testDescription: "ZIP64 in the entry") { $0.entries[0].isLarge = true },
        Form(testDescription: "ZIP64 at the end") { $0.isLarge = true },
        Form(testDescription: "a comment with the mark of the end") {
            $0.comment = Array("PK\u{5}\u{6} and a comment".utf8)
        },
        Form(testDescription: "names of code page 437") {
            $0.entries[0].name = [0x84, 0x94, 0x81]
            $0.entries[0].flags = 0
        },
        Form(testDescription: "UTF-8 that is not announced") {
            $0.entries[0].name = Array("äöü".utf8)
            $0.entries[0].flags = 0
        },
    ]

    @Test("is read with", arguments: forms)
    func form(_ form: Form) throws {
        var maker = ZipMaker([
            ZipMaker.Entry("äöü", Self.text), ZipMaker.Entry("folder/", []),
            ZipMaker.Entry("folder/b", Array("second".utf8)), ZipMaker.Entry("empty", []),
        ])
        maker.entries[3].isDeflated = false
        maker.entries[1].isDeflated = false
        maker.entries[2].modified = 1_500_000_000
        form.change(&maker)
        let (archive, folder) = try archive(maker.bytes())
        defer { withExtendedLifetime(folder) {} }
        #expect(archive.entries.map(\.path) == ["äöü", "folder/b", "empty"])
        #expect(archive.entries.allSatisfy { $0.fault == nil })
        let contents = try archive.entries.map { try archive.contents(of: $0, limit: 1 << 24) }
        #expect(contents == [Self.text, Array("second".utf8), []])
        #expect(archive.entries[1].modified == 1_500_000_000_000_000_000)
        // 2019-07-04 12:00:00
        #expect(archive.entries[0].modified == 1_562_241_600_000_000_000)
    }

    @Test("gives its entries as files that are read at any position", arguments: [false, true])
    func positions(_ isDeflated: Bool) throws {
        var entry = ZipMaker.Entry("a", Self.text)
        entry.isDeflated = isDeflated
        let (archive, folder) = try archive(ZipMaker([entry]).bytes())
        defer { withExtendedLifetime(folder) {} }
        let file = try archive.open(archive.entries[0])
        #expect(file.count == Self.text.count)
        var random = SplitMix64(seed: 3)
        for _ in 0..<40 {
            let start = Int.random(in: 0..<Self.text.count, using: &random)
            let end = min(Self.text.count, start + Int.random(in: 0..<200_000, using: &random))
            #expect(try file.bytes(start..<end) == Array(Self.text[start..<end]))
        }
        try file.check()
        #expect(throws: FileError.self) { try file.bytes(0..<(Self.text.count + 1)) }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fault: ZipError.Fault
        var change: @Sendable (inout ZipMaker) -> Void
    }

    static let faults = [
        Fault(testDescription: "encryption", fault: .encrypted) { $0.entries[1].flags = 0x801 },
        Fault(testDescription: "another method", fault: .method(12)) { $0.entries[1].method = 12 },
        Fault(testDescription: "a name upwards", fault: .unsafeName) {
            $0.entries[1].name = Array("a/../../b".utf8)
        },
        Fault(testDescription: "an absolute name", fault: .unsafeName) {
            $0.entries[1].name = Array("/b".utf8)
        },
        Fault(testDescription: "a name with a backslash", fault: .unsafeName) {
            $0.entries[1].name = Array("..\\b".utf8)
        },
        Fault(testDescription: "an empty name", fault: .unsafeName) { $0.entries[1].name = [] },
        Fault(testDescription: "a name that is not UTF-8", fault: .nameNotUTF8) {
            $0.entries[1].name = [0x61, 0xFF]
        },
        Fault(testDescription: "a link", fault: .link) { $0.entries[1].mode = 0o120777 },
        Fault(testDescription: "a repeated name", fault: .repeatedName) {
            $0.entries[1].name = Array("a".utf8)
        },
        Fault(testDescription: "a wrong checksum", fault: .checksum) { $0.entries[1].checksum = 1 },
        Fault(testDescription: "more bytes than stated", fault: .size(stated: 100)) {
            $0.entries[1].statedSize = 100
        },
        Fault(testDescription: "fewer bytes than stated", fault: .size(stated: 1_000_000)) {
            $0.entries[1].statedSize = 1_000_000
        },
        Fault(testDescription: "more bytes than deflate can make", fault: .size(stated: 1 << 30)) {
            $0.entries[1].statedSize = 1 << 30
        },
        Fault(testDescription: "another name in its header", fault: .brokenHeader) {
            $0.entries[1].headerName = Array("c".utf8)
        },
        Fault(testDescription: "bytes shared with another entry", fault: .overlap("a")) {
            $0.entries[1].headerOffset = 10
        },
        Fault(testDescription: "bytes behind the directory", fault: .overlap("the directory")) {
            $0.entries[1].headerOffset = 1 << 30
        },
        Fault(testDescription: "an offset of 63 bits", fault: .overlap("the directory")) {
            $0.entries[1].isLarge = true
            $0.entries[1].headerOffset = .max - 3
        },
        Fault(testDescription: "other parts", fault: .severalParts) { $0.disk = 2 },
    ]

    @Test("is refused with", arguments: faults)
    func fault(_ fault: Fault) throws {
        var maker = ZipMaker([ZipMaker.Entry("a", Self.text), ZipMaker.Entry("b", Self.text)])
        fault.change(&maker)
        #expect(try self.fault(maker.bytes()) == fault.fault)
    }

    @Test(
        "that is cut or damaged anywhere is refused or read rightly, without a crash",
        arguments: [false, true])
    func damage(_ isLarge: Bool) throws {
        var maker = ZipMaker([
            ZipMaker.Entry("a", Array("first".utf8)), ZipMaker.Entry("b", Array(Self.text.prefix(900))),
        ])
        maker.isLarge = isLarge
        for index in maker.entries.indices { maker.entries[index].isLarge = isLarge }
        let bytes = maker.bytes()
        for count in stride(from: 0, to: bytes.count, by: 3) {
            #expect(try fault(Array(bytes[..<count])) == .noDirectory)
        }
        var random = SplitMix64(seed: 11)
        for _ in 0..<600 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Most in the directory and the numbers at its end.
                let start = Bool.random(using: &random) ? 0 : max(0, bytes.count - 300)
                damaged[Int.random(in: start..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            // Names and times may differ; contents may not, unless an entry is refused.
            guard let (archive, folder) = try? archive(damaged) else { continue }
            for entry in archive.entries {
                guard let contents = try? archive.contents(of: entry, limit: 1 << 24) else { continue }
                #expect(maker.entries.contains { $0.bytes == contents })
            }
            withExtendedLifetime(folder) {}
        }
    }

    @Test("names itself, the entry and the cause")
    func sentence() throws {
        var maker = ZipMaker([ZipMaker.Entry("trip/a.jpg", Self.text)])
        maker.entries[0].checksum = 7
        let (archive, folder) = try archive(maker.bytes())
        let error = #expect(throws: ZipError.self) {
            try archive.contents(of: archive.entries[0], limit: 1 << 24)
        }
        #expect(
            error?.description
                == "\(folder.path("a.zip")): entry trip/a.jpg: its bytes do not have the stated checksum")
        #expect(throws: ZipError(archive: archive.path, entry: "trip/a.jpg", fault: .tooLarge(limit: 9))) {
            try archive.contents(of: archive.entries[0], limit: 9)
        }
    }

    @Test("has entries whose names are equal as text, with their own bytes")
    func twins() throws {
        let names = ["caf\u{E9}.jpg", "cafe\u{301}.jpg", "d\u{E9}/a", "de\u{301}/a"]
        let entries = names.map { ZipMaker.Entry($0, Array("bytes of \(Array($0.utf8))".utf8)) }
        let (archive, folder) = try archive(ZipMaker(entries).bytes())
        defer { withExtendedLifetime(folder) {} }
        #expect(archive.entries.map(\.path) == names.map { FilePath($0) })
        #expect(archive.entries.allSatisfy { $0.fault == nil })
        for (entry, made) in zip(archive.entries, entries) {
            #expect(try archive.contents(of: entry, limit: 1000) == made.bytes)
        }
        #expect(Set(archive.entries.map { ZipMember($0, of: archive) }).count == 4)
    }

    /// Zeros, which deflate compresses to a 1,030th.
    private static let zeros = [UInt8](repeating: 0, count: 1 << 23)

    @Test(
        "refuses an entry that grows to more than 1,000 times its compressed size, unless a limit allows it")
    func growth() throws {
        let folder = try TemporaryFolder()
        var entries = [ZipMaker.Entry("zeros", Self.zeros), ZipMaker.Entry("text", Self.text)]
        let packed = ZipMaker.deflate(Self.zeros).count
        entries[0].statedSize = 1_000 * packed + 1
        try Data(ZipMaker(entries).bytes()).write(to: folder.url.appendingPathComponent("a.zip"))
        let archive = try ZipArchive(folder.path("a.zip"))
        let fault = ZipError.Fault.grows(from: packed, to: 1_000 * packed + 1)
        #expect(archive.entries.map(\.fault) == [fault, nil])
        #expect(throws: ZipError(archive: archive.path, entry: "zeros", fault: fault)) {
            try ZipEntryReader(archive.entries[0], of: archive)
        }
        let wide = try ZipArchive(folder.path("a.zip"), limit: 1_000 * packed + 1)
        #expect(wide.entries.allSatisfy { $0.fault == nil })
        let narrow = try ZipArchive(folder.path("a.zip"), limit: 1000)
        #expect(narrow.entries.map(\.fault) == [.tooLarge(limit: 1000), .tooLarge(limit: 1000)])
    }

    @Test(
        "refuses an entry of more than a gibibyte that grows to more than 100 times its compressed size",
        arguments: [(1 << 30, false), (1 << 30 + 1, true), (2_100_000_000, true)])
    func largeGrowth(_ size: Int, _ isRefused: Bool) throws {
        let folder = try TemporaryFolder()
        var generator = SplitMix64(seed: 1)
        var entry = ZipMaker.Entry(
            "bomb", (0..<2_300_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        entry.statedSize = size
        try Data(ZipMaker([entry]).bytes()).write(to: folder.url.appendingPathComponent("a.zip"))
        #expect((try ZipArchive(folder.path("a.zip")).entries[0].fault != nil) == isRefused)
        #expect(try ZipArchive(folder.path("a.zip"), limit: size).entries[0].fault == nil)
    }

    @Test(
        "gives all bytes of entries that are decompressed without further input",
        arguments: [1, 10, 100, 258, 500, 1000, 2000])
    func pending(_ rest: Int) throws {
        // A little more than two pieces of the reader.
        let bytes = [UInt8](repeating: 7, count: 2 << 17 + rest)
        #expect(try fault(ZipMaker([ZipMaker.Entry("a", bytes)]).bytes()) == nil)
    }
}
