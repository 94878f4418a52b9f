import Basics
import Containers
import Foundation
import TestHarness
import TestSupport
import Testing
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

    @Test("report an image after at most 8 requests and 256 KB", arguments: Chain.all)
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
        #expect(size > 300_000 && received <= 256 << 10, "\(report)")
        #expect(report["copy"] as? Bool == false)
        let requests = server.requests.count { !$0.path.hasSuffix(".vpi") }
        #expect(requests <= 8, "\(requests) requests: \(server.requests.map { $0.fields["range"] ?? "" })")
    }
}
