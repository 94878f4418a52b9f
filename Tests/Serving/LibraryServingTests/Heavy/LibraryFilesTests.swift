#if Server && Library
import Basics
import Foundation
@testable import LibraryServing
import TestSupport
import PhotoCatalog
import Testing
import TileServing
import Vips

@Suite("The files of a library", .library)
struct LibraryFilesTests {
    private static func film(_ running: RunningLibrary) async throws -> (path: String, bytes: [UInt8]) {
        let asset = try #require(try await running.library.asset(path: "film 0.mov"))
        return (
            running.address + "file/\(asset.id)/film%200.mov",
            Array(try Data(contentsOf: URL(filePath: running.folder.path("film 0.mov"))))
        )
    }

    @Test("are sent whole, with their type and a tag")
    func whole() async throws {
        let running = try #require(RunningLibrary.shared)
        let (path, bytes) = try await Self.film(running)
        let answer = try await running.probe.send(path)
        #expect(answer.status == 200 && answer.body == bytes)
        #expect(answer.headers["content-type"] == "video/quicktime")
        #expect(answer.headers["content-length"] == "\(bytes.count)")
        #expect(answer.headers["accept-ranges"] == "bytes")
        #expect(answer.headers["content-disposition"] == nil)
        #expect(answer.headers["content-security-policy"]?.contains("sandbox") == true)
        let tag = try #require(answer.headers["etag"])
        #expect(try await running.probe.send(path, headers: [("If-None-Match", tag)]).status == 304)
        let head = try await running.probe.send(path, method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
        let download = try await running.probe.send(path + "?download")
        #expect(
            download.headers["content-disposition"]
                == "attachment; filename=\"film 0.mov\"; filename*=UTF-8''film%200.mov")
    }

    static let ranges: [(header: String, range: @Sendable (Int) -> Range<Int>?)] = [
        ("bytes=0-0", { _ in 0..<1 }), ("bytes=10-19", { _ in 10..<20 }), ("bytes=5-", { 5..<$0 }),
        ("bytes=-7", { $0 - 7..<$0 }), ("bytes=0-999999999", { 0..<$0 }), ("bytes=-999999999", { 0..<$0 }),
        ("bytes= 3 - 4", { _ in 3..<5 }),
        // Ignored: other units, several ranges, nonsense.
        ("items=0-1", { _ in nil }), ("bytes=0-1,4-5", { _ in nil }), ("bytes=5-4", { _ in nil }),
        ("bytes=a-b", { _ in nil }), ("bytes=", { _ in nil }), ("bytes=-", { _ in nil }),
        ("bytes=1-99999999999999999999", { _ in nil }),
    ]

    @Test("are sent in ranges, as players ask for them", arguments: ranges.indices)
    func range(_ index: Int) async throws {
        let running = try #require(RunningLibrary.shared)
        let (path, bytes) = try await Self.film(running)
        let (header, range) = Self.ranges[index]
        let answer = try await running.probe.send(path, headers: [("Range", header)])
        if let range = range(bytes.count) {
            #expect(answer.status == 206 && answer.body == Array(bytes[range]), "\(header)")
            let told = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
            #expect(answer.headers["content-range"] == told)
        } else {
            #expect(answer.status == 200 && answer.body == bytes, "\(header)")
        }
    }

    @Test("answer 416 outside of them, and send everything if they have changed meanwhile")
    func outside() async throws {
        let running = try #require(RunningLibrary.shared)
        let (path, bytes) = try await Self.film(running)
        for header in ["bytes=\(bytes.count)-", "bytes=-0", "bytes=999999999-"] {
            let answer = try await running.probe.send(path, headers: [("Range", header)])
            #expect(answer.status == 416 && answer.headers["content-range"] == "bytes */\(bytes.count)")
        }
        let range = ("Range", "bytes=0-3")
        let old = try await running.probe.send(path, headers: [range, ("If-Range", "\"other\"")])
        #expect(old.status == 200 && old.body == bytes)
        let tag = try #require(old.headers["etag"])
        #expect(try await running.probe.send(path, headers: [range, ("If-Range", tag)]).status == 206)
    }

    @Test(
        "have names in headers that quote nothing",
        arguments: [
            ("a.jpg", "a.jpg", "a.jpg"), ("Zürich \"1\".jpg", "Z_rich _1_.jpg", "Z%C3%BCrich%20%221%22.jpg"),
            ("100%\\.png", "100__.png", "100%25%5C.png"),
        ])
    func disposition(_ name: String, _ plain: String, _ encoded: String) {
        #expect(
            ContentDisposition.attachment(name)
                == "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(encoded)")
    }

    @Test("are not sent from outside of the library, where a link leads")
    func link() async throws {
        let other = try TemporaryFolder()
        try Data("secret".utf8).write(to: URL(filePath: other.path("secret.jpg")))
        try await RunningLibrary.with { running async throws -> Void in
            let asset = try #require(try await running.library.asset(path: "undated.jpg"))
            let path = running.folder.path("undated.jpg")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: other.path("secret.jpg"))
            let answer = try await running.probe.send(running.address + "file/\(asset.id)")
            #expect(answer.status == 404 && !answer.text.contains("secret"))
            #expect(
                !(try await running.probe.send(running.address + "info/\(asset.id)").text.contains("secret")))
        }
    }
}

@Suite("The films inside of motion photos")
struct LibraryMotionTests {
    private static let film = FilmMaker.film(brand: "mp42", seconds: 2)

    private static func write(into folder: TemporaryFolder) throws {
        func motion(_ length: Int) -> [UInt8] {
            let packet = XMPMaker.packet([
                ("GCamera:MicroVideo", "1"), ("GCamera:MicroVideoOffset", "\(length)"),
            ])
            return PhotoMaker.jpeg(xmp: packet) + film
        }
        try RunningLibrary.write(motion(film.count), "PXL 1.MP.jpg", folder)
        try RunningLibrary.write(motion(film.count - 1), "lies.jpg", folder)
        try RunningLibrary.write(PhotoMaker.jpeg(), "still.jpg", folder)
        try RunningLibrary.write(film, "film.mp4", folder)
    }

    private static func with(_ body: @escaping @Sendable (RunningLibrary, Asset) async throws -> Void)
        async throws
    {
        try await RunningLibrary.with({ try write(into: $0) }) { running in
            try await body(running, try #require(try await running.library.asset(path: "PXL 1.MP.jpg")))
        }
    }

    @Test("are named by the information, and sent as files of their own")
    func whole() async throws {
        try await Self.with { running, asset in
            let info = try JSONValue(
                parsing: try await running.probe.send(running.address + "info/\(asset.id)").text)
            let path = "/\(try #require(info["film"]?.string))"
            #expect(path == running.address + "motion/\(asset.id)/PXL%201.MP.mp4")
            let answer = try await running.probe.send(path)
            #expect(answer.status == 200 && answer.body == Self.film)
            #expect(answer.headers["content-type"] == "video/mp4")
            #expect(answer.headers["accept-ranges"] == "bytes")
            #expect(answer.headers["content-security-policy"]?.contains("sandbox") == true)
            #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
            let tag = try #require(answer.headers["etag"])
            let photo = try await running.probe.send(running.address + "file/\(asset.id)")
            #expect(photo.headers["etag"] != tag && photo.body.count > Self.film.count)
            #expect(try await running.probe.send(path, headers: [("If-None-Match", tag)]).status == 304)
            let head = try await running.probe.send(path, method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == tag)
            #expect(head.headers["content-length"] == "\(Self.film.count)")
            let download = try await running.probe.send(path + "?download")
            #expect(download.headers["content-disposition"]?.contains("PXL%201.MP.mp4") == true)
            // The photo was written meanwhile: the range would be of another film.
            let old = try await running.probe.send(
                path, headers: [("Range", "bytes=0-3"), ("If-Range", "\"other\"")])
            #expect(old.status == 200 && old.body == Self.film)
        }
    }

    @Test("are sent in ranges, and 416 outside of the film, though the photo has more bytes")
    func ranges() async throws {
        try await Self.with { running, asset in
            let path = running.address + "motion/\(asset.id)"
            let count = Self.film.count
            let ranges: [(header: String, range: Range<Int>?)] = [
                ("bytes=0-", 0..<count), ("bytes=4-7", 4..<8), ("bytes=-9", (count - 9)..<count),
                ("bytes=5-999999999", 5..<count), ("bytes=-999999999", 0..<count),
                ("bytes=\(count)-", nil), ("bytes=-0", nil),
            ]
            for (header, range) in ranges {
                let answer = try await running.probe.send(path, headers: [("Range", header)])
                guard let range else {
                    #expect(answer.status == 416, "\(header)")
                    #expect(answer.headers["content-range"] == "bytes */\(count)", "\(header)")
                    continue
                }
                #expect(answer.status == 206 && answer.body == Array(Self.film[range]), "\(header)")
                let told = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
                #expect(answer.headers["content-range"] == told)
            }
        }
    }

    @Test("are not there for photos without one, films, and photos that state one they do not have")
    func none() async throws {
        try await Self.with { running, asset in
            for (name, words) in [
                ("still.jpg", "there is no film"), ("film.mp4", "there is no film"),
                ("lies.jpg", "states a film"),
            ] {
                let other = try #require(try await running.library.asset(path: name))
                let answer = try await running.probe.send(running.address + "motion/\(other.id)")
                #expect(answer.status == 404 && answer.text.contains(words), "\(name): \(answer.text)")
                let info = try await running.probe.send(running.address + "info/\(other.id)").text
                #expect(try JSONValue(parsing: info)["film"] == nil, "\(name)")
            }
            #expect(try await running.probe.send(running.address + "motion/999999").status == 404)
            // Pages of other sites do not get it.
            let path = running.address + "motion/\(asset.id)"
            for header in [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")] {
                let answer = try await running.probe.send(path, headers: [header])
                #expect(answer.status == 403 && !answer.text.contains("ftyp"), "\(header)")
            }
        }
    }

    @Test("are not sent from outside of the library, where a link leads")
    func link() async throws {
        let other = try TemporaryFolder()
        try Self.write(into: other)
        try await Self.with { running, asset in
            let path = running.folder.path(asset.path)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: other.path(asset.path))
            let answer = try await running.probe.send(running.address + "motion/\(asset.id)")
            #expect(answer.status == 404 && !answer.text.contains("ftyp"))
        }
    }
}

@Suite("Archives of chosen photos", .library)
struct LibraryArchiveTests {
    private static func choose(_ running: RunningLibrary, _ ids: [Int64]) async throws -> String {
        let body = #"{"assets":[\#(ids.map(String.init).joined(separator: ","))]}"#
        let answer = try await running.probe.send(
            running.address + "choose", method: "POST",
            headers: [("Content-Type", "application/json"), ("X-Viewport-Request", "page")],
            body: Array(body.utf8))
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try JSONValue(parsing: answer.text)["name"]?.string)
    }

    /// The names and bytes of an archive, by its directory.
    private static func files(_ zip: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        func number(_ at: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(zip[at + $1]) << (8 * $1) }
        }
        let end = zip.count - 22
        try #require(number(end, 4) == 0x0605_4B50)
        var files: [(String, [UInt8])] = []
        var at = number(end + 16, 4)
        for _ in 0..<number(end + 10, 2) {
            try #require(number(at, 4) == 0x0201_4B50)
            let (size, name) = (number(at + 20, 4), number(at + 28, 2))
            let local = number(at + 42, 4)
            try #require(number(local, 4) == 0x0403_4B50)
            let start = local + 30 + number(local + 26, 2) + number(local + 28, 2)
            let text = String(decoding: zip[(at + 46)..<(at + 46 + name)], as: UTF8.self)
            files.append((text, Array(zip[start..<(start + size)])))
            at += 46 + name + number(at + 30, 2)
        }
        return files
    }

    @Test("contain the files under distinct names, with a length that is known before")
    func originals() async throws {
        try await RunningLibrary.with({ folder in
            try RunningLibrary.write(into: folder)
            try RunningLibrary.write(TinyPhoto.jpeg(salt: 1), "other/UNDATED.jpg", folder)
            try RunningLibrary.write(TinyPhoto.jpeg(salt: 2), "Zürich/日本.jpg", folder)
            try RunningLibrary.write(TinyPhoto.jpeg(salt: 3, count: 700_000), "large.jpg", folder)
        }) { running async throws -> Void in
            let paths = ["undated.jpg", "other/UNDATED.jpg", "Zürich/日本.jpg", "film 0.mov", "large.jpg"]
            var ids: [Int64] = []
            for path in paths { ids.append(try #require(try await running.library.asset(path: path)).id) }
            let name = try await Self.choose(running, ids)
            let answer = try await running.probe.send(running.address + "zip/\(name)")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/zip")
            #expect(answer.headers["content-length"] == "\(answer.body.count)")
            #expect(answer.headers["content-disposition"]?.contains("5 photos.zip") == true)
            let files = try Self.files(answer.body)
            #expect(
                files.map(\.name) == ["undated.jpg", "UNDATED (2).jpg", "日本.jpg", "film 0.mov", "large.jpg"])
            for (file, path) in zip(files, paths) {
                #expect(file.bytes == Array(try Data(contentsOf: URL(filePath: running.folder.path(path)))))
            }
            try await Self.check(answer.body)
            // A file that has gone is named in the archive.
            try FileManager.default.removeItem(atPath: running.folder.path("film 0.mov"))
            let rest = try await running.probe.send(running.address + "zip/\(name)")
            #expect(rest.headers["content-length"] == "\(rest.body.count)")
            let note = try Self.files(rest.body).last
            #expect(note?.name == "NOT INCLUDED.txt")
            let text = String(decoding: note?.bytes ?? [], as: UTF8.self)
            #expect(text.contains("film 0.mov"))
            try await Self.check(rest.body)
        }
    }

    /// Another program finds the archive whole.
    private static func check(_ zip: [UInt8]) async throws {
        guard let python = BuiltProgram(installed: "python3") else { return }
        let folder = try TemporaryFolder()
        try Data(zip).write(to: URL(filePath: folder.path("a.zip")))
        let done = try await python.run(["-m", "zipfile", "-t", folder.path("a.zip")])
        #expect(done.code == 0, "\(done.errors)")
    }

    @Test("contain JPEGs of a size, if copies are asked for")
    func copies() async throws {
        try await RunningLibrary.with({ folder in
            try TestImages.photo(width: 1500, height: 1000).save(folder.path("a.png"), with: "pngsave")
            // A header without pixels.
            let broken = PhotoMaker.png(width: 400, height: 300)
            try RunningLibrary.write(broken, "broken.png", folder)
        }) { try await Self.checkCopies($0) }
    }

    private static func checkCopies(_ running: RunningLibrary) async throws {
        let photo = try #require(try await running.library.asset(path: "a.png"))
        let broken = try #require(try await running.library.asset(path: "broken.png"))
        let name = try await Self.choose(running, [photo.id, broken.id])
        let answer = try await running.probe.send(running.address + "zip/\(name)?size=1024")
        #expect(answer.status == 200 && answer.headers["content-length"] == nil)
        let files = try Self.files(answer.body)
        #expect(files.map(\.name) == ["a.jpg", "NOT INCLUDED.txt"])
        let note = String(decoding: files.last?.bytes ?? [], as: UTF8.self)
        #expect(note == "No picture could be made of these files:\nbroken.png\n")
        #expect(files.first?.bytes.prefix(2) == [0xFF, 0xD8])
        try await Self.check(answer.body)
        #expect(try await running.probe.send(running.address + "zip/\(name)?size=1").status == 400)
    }
}
#endif
