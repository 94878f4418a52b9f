import Basics
import Containers
import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

/// What reading parts and headers of remote images takes.
extension RemoteCommandTests {
    @Test(
        "read the strips of a part of a TIFF, together",
        arguments: ["none", "lzw", "deflate", "zstd", "packbits"],
        [true, false])
    func strips(compression: String, severalRanges: Bool) async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.tif")
        try TestImages.clouds(width: 1500, height: 2000).save(
            photo, with: "tiffsave", ["compression": .name(compression), "tile_height": .int(16)])
        let server = try Self.server(folder, severalRanges: severalRanges)
        let request = ["render", "--rect", "500,1500,500,200", "--json", "--no-cache", "-o"]
        let local = try await Self.run(request + [folder.path("local.png"), photo], folder)
        let remote = try await Self.run(
            request + [folder.path("remote.png"), server.url("/photo.tif")], folder)
        #expect(local.code == 0 && remote.code == 0, "\(remote.errors)")
        #expect(remote.errors.isEmpty, "\(remote.errors)")
        #expect(try Self.bytes(folder.path("local.png")) == Self.bytes(folder.path("remote.png")))
        let report = try #require(remote.json["remote"] as? [String: Any])
        let (received, size) = (report["bytes"] as? Int ?? 0, report["fileBytes"] as? Int ?? 0)
        #expect(report["copy"] as? Bool == false && received * 100 < size * 14, "\(report)")
        #expect(remote.json["reading"] as? String == "tiff, stored strips")
        #expect(server.requests.count <= 6, "\(server.requests.count) requests")
    }

    /// A file whose report takes few requests.
    struct Chain: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var ending: String
        var pages = 1
        /// The most requests, and kilobytes.
        var requests = 8
        var kilobytes = 256
        var make: @Sendable (String) throws -> Void

        static let all: [Chain] = [
            Chain(
                testDescription: "TIFF of equal pages, each in front of its directory", ending: "tif",
                pages: 400
            ) {
                try write(pages(400) { _ in 9000 }, to: $0)
            },
            Chain(testDescription: "TIFF whose first page is longer", ending: "tif", pages: 400) {
                try write(pages(400) { $0 == 0 ? 12000 : 9000 }, to: $0)
            },
            Chain(testDescription: "TIFF whose directories lie together", ending: "tif", pages: 400) {
                try write(pages(400, isTogether: true) { 8000 + 100 * ($0 % 7) }, to: $0)
            },
            Chain(
                testDescription: "TIFF of pages whose lengths differ a little", ending: "tif", pages: 200,
                requests: 16, kilobytes: 800
            ) {
                var random = SplitMix64(seed: 3)
                let lengths = (0..<200).map { _ in 100 * Int.random(in: 298...302, using: &random) }
                try write(pages(200) { lengths[$0] }, to: $0)
            },
            Chain(testDescription: "JPEG with 40 long comments", ending: "jpg") {
                let comment = JPEGSegment.bytes(0xFE, [UInt8](repeating: 0x63, count: 60000))
                try write(jpeg(with: (0..<40).flatMap { _ in comment }), to: $0)
            },
            Chain(testDescription: "JPEG with blocks of unlike lengths, each several times", ending: "jpg") {
                let blocks = [65000, 65000, 65000, 65000, 40000, 30000, 30000, 30000, 30000].map {
                    JPEGSegment.bytes(0xE5, [UInt8](repeating: 0x63, count: $0))
                }
                try write(jpeg(with: Array(blocks.joined())), to: $0)
            },
            Chain(testDescription: "JPEG with a film behind it", ending: "jpg") {
                var random = SplitMix64(seed: 2)
                let film = Box.bytes(
                    "mdat", (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
                try write(jpeg(with: []) + film, to: $0)
            },
            Chain(testDescription: "animated PNG", ending: "png", pages: 40) {
                try write(animation(40), to: $0)
            },
            Chain(testDescription: "TIFF with a long text", ending: "tif") {
                try TestImages.clouds(width: 600, height: 400).save(
                    $0, with: "tiffsave", ["compression": .name("none")])
                try write(
                    described(Array(Data(contentsOf: URL(fileURLWithPath: $0))), length: 1_000_000), to: $0)
            },
            Chain(testDescription: "progressive JPEG", ending: "jpg") {
                try TestImages.clouds(width: 2000, height: 1500).save(
                    $0, with: "jpegsave", ["interlace": .bool(true), "Q": .int(95)])
            },
            Chain(testDescription: "PNG whose chunks have unlike lengths", ending: "png") {
                try TestImages.clouds(width: 1000, height: 800).save($0, with: "pngsave")
                try write(unlike(Array(Data(contentsOf: URL(fileURLWithPath: $0)))), to: $0)
            },
            Chain(testDescription: "WebP", ending: "webp") {
                try TestImages.clouds(width: 1200, height: 1000).save(
                    $0, with: "webpsave", ["lossless": .bool(true)])
            },
            Chain(testDescription: "AVIF", ending: "avif") {
                try TestImages.clouds(width: 1000, height: 800).save(
                    $0, with: "heifsave", ["compression": .name("av1"), "Q": .int(95), "effort": .int(0)])
            },
        ]

        /// A JPEG of 1500x1200 pixels with segments in front.
        private static func jpeg(with segments: [UInt8]) throws -> [UInt8] {
            let folder = try TemporaryFolder()
            try TestImages.clouds(width: 1500, height: 1200).save(
                folder.path("a.jpg"), with: "jpegsave", ["Q": .int(95)])
            let file = try bytes(folder.path("a.jpg"))
            return file[..<2] + segments + file[2...]
        }

        /// An animated PNG whose frames have chunks of unlike lengths.
        private static func animation(_ count: Int) throws -> [UInt8] {
            let folder = try TemporaryFolder()
            let (size, number) = (UInt32(120).bytes(.big), { (value: Int) in UInt32(value).bytes(.big) })
            var (file, sequence) = ([UInt8](), 0)
            func append(_ type: FourCC, _ body: [UInt8]) {
                file += PNGChunk.bytes(type, number(sequence) + body)
                sequence += 1
            }
            for frame in 0..<count {
                let path = folder.path("\(frame).png")
                try TestImages.clouds(width: 120, height: 120, seed: UInt64(frame)).save(
                    path, with: "pngsave")
                let picture = FileBytes(try bytes(path))
                var (chunks, data) = (PNGChunks(picture), [UInt8]())
                while let chunk = try chunks.next() {
                    if chunk.type == "IHDR", frame == 0 {
                        file = PNGChunk.signature + picture.extracting(chunk.whole).array
                        file += PNGChunk.bytes("acTL", number(count) + number(0))
                    }
                    if chunk.type == "IDAT" { data += picture.extracting(chunk.body).array }
                }
                append("fcTL", size + size + number(0) + number(0) + [0, 1, 0, 10, 0, 0])
                if frame == 0 { file += PNGChunk.bytes("IDAT", data) } else { append("fdAT", data) }
            }
            return file + PNGChunk.bytes("IEND", [])
        }

        /// The same TIFF with a long text behind it.
        private static func described(_ file: [UInt8], length: Int) throws -> [UInt8] {
            let block = try #require(TIFFBlock(tiff: FileBytes(file)))
            let main = try #require(block.main)
            let text = TIFFValue(
                tag: 270, type: 2, count: length, bytes: [UInt8](repeating: 0x61, count: length - 1) + [0])
            let writer = TIFFWriter(.little)
            var all = main.values.filter { $0.tag != 270 } + [text]
            all.sort { $0.tag < $1.tag }
            var (bytes, values) = (file, [UInt8]())
            let places = bytes.count + writer.size(of: all.count)
            let directory = writer.directory(all, values: &values, from: places)
            bytes.replaceSubrange(4..<8, with: bytes.count.bytes(.little, size: 4))
            return bytes + directory + values
        }

        private static func bytes(_ path: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        }

        private static func write(_ bytes: [UInt8], to path: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        /// A TIFF of gray pages, each of one strip.
        private static func pages(_ count: Int, isTogether: Bool = false, _ length: (Int) -> Int) -> [UInt8] {
            let writer = TIFFWriter(.little)
            let lengths = (0..<count).map(length)
            let size = writer.size(of: 8)
            var (bytes, directories) = (writer.header, [UInt8]())
            let data = lengths.reduce(bytes.count) { $0 + $1 }
            var start = 0
            for (index, length) in lengths.enumerated() {
                let strip = bytes.count
                bytes += [UInt8](repeating: UInt8(index & 255), count: length)
                let place = isTogether ? data + directories.count : bytes.count
                if index == 0 { start = place }
                let next =
                    isTogether ? place + size : place + size + (index + 1 < count ? lengths[index + 1] : 0)
                let tags = [
                    (256, 100), (257, length / 100), (258, 8), (259, 1), (262, 1), (273, strip),
                    (278, length / 100),
                    (279, length),
                ].map { TIFFValue(tag: $0.0, type: 4, [$0.1], .little) }
                var values: [UInt8] = []
                var directory = writer.directory(tags, values: &values, from: 0)
                directory.replaceSubrange(
                    (size - 4)..., with: (index + 1 < count ? next : 0).bytes(.little, size: 4))
                if isTogether { directories += directory } else { bytes += directory }
            }
            bytes.replaceSubrange(4..<8, with: start.bytes(.little, size: 4))
            return bytes + directories
        }

        /// The same PNG, whose image data is in chunks of unlike lengths.
        private static func unlike(_ file: [UInt8]) -> [UInt8] {
            var chunks = PNGChunks(FileBytes(file))
            var random = SplitMix64(seed: 1)
            var (head, data, isBehind) = (PNGChunk.signature, [UInt8](), false)
            var tail: [UInt8] = []
            while let chunk = (try? chunks.next()) ?? nil, chunk.whole.upperBound <= file.count {
                if chunk.type == "IDAT" {
                    data += file[chunk.body]
                    isBehind = true
                } else if isBehind {
                    tail += file[chunk.whole]
                } else {
                    head += file[chunk.whole]
                }
            }
            var at = 0
            while at < data.count {
                let end = min(at + Int.random(in: 2000...12000, using: &random), data.count)
                head += PNGChunk.bytes("IDAT", Array(data[at..<end]))
                at = end
            }
            return head + PNGChunk.bytes("tEXt", Array("Title\0Clouds".utf8)) + tail
        }
    }

    @Test("refuse what is no image before they copy it")
    func unknown() async throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 0x61, count: 1_000_000).write(to: URL(fileURLWithPath: folder.path("image.dat")))
        let server = try Self.server(folder)
        let local = try await Self.run(["info", folder.path("image.dat")], folder)
        let remote = try await Self.run(["info", server.url("/image.dat")], folder)
        #expect(remote.code == local.code && remote.code != 0)
        #expect(!remote.errors.contains("copied"), "\(remote.errors)")
        let whole = server.requests.compactMap { $0.ranges(of: 1_000_000) }.joined()
        #expect(whole.reduce(0) { $0 + $1.count } < 100_000)
    }

    @Test("read hardly more of a JPEG without an index than a part at its top")
    func top() async throws {
        let folder = try TemporaryFolder()
        let picture = try TestImages.photo(width: 2000, height: 3000)
        let options: [String: VipsArgument] = ["Q": .int(95)]
        try picture.save(folder.path("photo.jpg"), with: "jpegsave", options)
        let top = try picture.cropped(to: PixelRect(x: 0, y: 0, width: 2000, height: 400))
        try top.save(folder.path("top.jpg"), with: "jpegsave", options)
        let server = try Self.server(folder)
        let result = try await Self.run(
            [
                "render", server.url("/photo.jpg"), "--rect", "0,0,2000,400", "--no-cache", "--json", "-o",
                folder.path("a.jpg"),
            ], folder)
        let report = try #require(result.json["remote"] as? [String: Any], "\(result.errors)")
        let part = try Self.bytes(folder.path("top.jpg")).count
        #expect(Double(report["bytes"] as? Int ?? .max) < 1.3 * Double(part), "\(report), \(part)")
        #expect(report["requests"] as? Int ?? .max <= 6, "\(report)")
    }

    @Test("read the bytes between the checkpoints of a PNG")
    func checkpoints() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.png")
        try TestImages.photo(width: 1500, height: 2000).save(photo, with: "pngsave", ["compression": .int(1)])
        #expect(try await Self.run(["index", photo, "-o", photo + ".vpi"], folder).code == 0)
        let server = try Self.server(folder)
        let request = ["render", "--rect", "300,900,500,200", "--no-cache", "--json", "-o"]
        let local = try await Self.run(request + [folder.path("local.png"), photo], folder)
        let remote = try await Self.run(
            request + [folder.path("remote.png"), server.url("/photo.png")], folder)
        #expect(local.code == 0 && remote.code == 0, "\(remote.errors)")
        #expect(try Self.bytes(folder.path("local.png")) == Self.bytes(folder.path("remote.png")))
        let report = try #require(remote.json["remote"] as? [String: Any])
        let (received, size) = (report["bytes"] as? Int ?? .max, report["fileBytes"] as? Int ?? 1)
        #expect(Double(received) < 0.25 * Double(size), "\(report)")
        // Two for the sidecar, one for the start, two for the end and one for the part.
        #expect(server.requests.count <= 6, "\(server.requests.map { ($0.path, $0.fields["range"] ?? "") })")
    }

    @Test("read a progressive JPEG no further than its size needs, and tell so")
    func progressive() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.clouds(width: 3000, height: 2400).save(
            photo, with: "jpegsave", ["interlace": .bool(true), "Q": .int(92)])
        let server = try Self.server(folder)
        func render(_ arguments: [String]) async throws -> (share: Double, errors: String) {
            let request = ["render"] + arguments + ["--no-cache", "--json", "--overwrite", "-o"]
            let local = try await Self.run(request + [folder.path("local.png"), photo], folder)
            let remote = try await Self.run(
                request + [folder.path("remote.png"), server.url("/photo.jpg")], folder)
            #expect(local.code == 0 && remote.code == 0, "\(remote.errors)")
            #expect(try Self.bytes(folder.path("local.png")) == Self.bytes(folder.path("remote.png")))
            let report = try #require(remote.json["remote"] as? [String: Any])
            let (received, size) = (report["bytes"] as? Int ?? 0, report["fileBytes"] as? Int ?? 1)
            return (Double(received) / Double(size), remote.errors)
        }
        let small = try await render(["--size", "150"])
        #expect(small.share < 0.95)
        #expect(small.errors.contains("because it is a progressive JPEG"), "\(small.errors)")
        #expect(try await Self.run(["index", photo, "-o", photo + ".vpi"], folder).code == 0)
        let part = try await render(["--rect", "1200,900,300,200"])
        // With the index.
        #expect(part.share < 0.25 && part.errors.isEmpty, "\(part)")
    }

    @Test(
        "report an image after at most 8 requests and 256 KB, or a few times as much where lengths differ",
        arguments: Chain.all)
    func info(_ chain: Chain) async throws {
        let folder = try TemporaryFolder()
        let name = "image.\(chain.ending)"
        try chain.make(folder.path(name))
        let server = try Self.server(folder)
        let local = try await Self.run(["info", folder.path(name), "--json"], folder)
        let remote = try await Self.run(["info", server.url("/\(name)"), "--json"], folder)
        #expect(local.code == 0 && remote.code == 0, "\(local.errors)\(remote.errors)")
        #expect(remote.errors.isEmpty, "\(remote.errors)")
        for key in ["width", "height", "pages", "format", "colors", "title", "bands"] {
            #expect("\(remote.json[key] ?? "")" == "\(local.json[key] ?? "")", "\(key)")
        }
        #expect(remote.json["pages"] as? Int == chain.pages)
        let report = try #require(remote.json["remote"] as? [String: Any])
        let (received, size) = (report["bytes"] as? Int ?? 0, report["fileBytes"] as? Int ?? 0)
        #expect(size > 300_000 && received <= chain.kilobytes << 10, "\(report)")
        #expect(report["copy"] as? Bool == false)
        let requests = server.requests.count { !$0.path.hasSuffix(".vpi") }
        #expect(
            requests <= chain.requests,
            "\(requests) requests: \(server.requests.map { $0.fields["range"] ?? "" })")
    }
}
