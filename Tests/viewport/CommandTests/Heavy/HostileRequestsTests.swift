import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// Extreme numbers in every numeric option: a result or one sentence, never a trap.
@Suite("A hostile command line")
struct HostileRequestsTests {
    static let numbers = [
        "nan", "-nan", "inf", "-inf", "1e300", "-1e300", "1e9", "-1e9", "1e-300", "0", "-0", "0.5", "1",
        "3.7",
        "65500", "65501", "2147483648", "9223372036854775808", "1e18", "0x10",
    ]

    /// Returns random options with such numbers.
    static func request(_ random: inout SplitMix64) -> [String] {
        func number() -> String { numbers[Int(random.next() % UInt64(numbers.count))] }
        func list(_ count: Int) -> String { (0..<count).map { _ in number() }.joined(separator: ",") }
        let parts: [[String]] = [
            ["--rect=\(list(4))"], ["--rect=pct:\(list(4))"], ["--size=\(number())x\(number())"],
            ["--rect=\(list(4))", "--zoom=\(number())"],
            ["--size=\(number())x\(number())", "--center=\(list(2))", "--zoom=\(number())"],
            ["--size=\(number())x\(number())", "--offset=\(list(2))", "--zoom=\(number())"],
            ["--size=30x20", "--rect=\(list(4))"], ["--size=30x20", "--offset=\(list(2))"],
            ["--size=30x20", "--center=\(list(2))", "--scale=\(number())"],
            ["--zoom=\(number())", "--min-zoom=\(number())", "--max-zoom=\(number())"],
            ["--size=\(number())x7", "--content-mode=scaleAspectFill"],
        ]
        return parts[Int(random.next() % UInt64(parts.count))]
    }

    @Test(
        "is refused or succeeds, whatever its numbers",
        arguments: TestLength.cases(1...3 as ClosedRange<UInt64>, short: 1))
    func numbers(_ seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("a.jpg"), with: "jpegsave")
        try TestImages.photo(width: 1, height: 1).save(folder.path("b.png"), with: "pngsave")
        var random = SplitMix64(seed: seed)
        for _ in 0..<9 {
            let arguments = Self.request(&random)
            let image = random.next() % 2 == 0 ? "a.jpg" : "b.png"
            // Permitted sizes can still be large.
            let result = try await BuiltProgram("viewport").run(
                ["render", image, "-o", "o.png", "--max-pixels", "1000000"] + arguments, in: folder.url,
                environment: ["SWIFT_BACKTRACE": "enable=no"])
            #expect([0, 64, 65].contains(result.code), "\(arguments): \(result.code) \(result.errors)")
            #expect(
                result.errors.split(separator: "\n").count == (result.code == 0 ? 0 : 1), "\(result.errors)")
        }
    }

    @Test("with an almost zero width terminates")
    func narrow() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("a.jpg"), with: "jpegsave")
        let result = try await BuiltProgram("viewport").run(
            ["render", "a.jpg", "--size", "1e-300x655", "-o", "o.png"], in: folder.url)
        #expect([0, 64].contains(result.code), "\(result.errors)")
    }

    @Test("for an image of one pixel or with a very long side succeeds with every command")
    func sizes() async throws {
        let folder = try TemporaryFolder()
        for (width, height) in TestLength.cases([(1, 1), (65500, 1), (1, 65500)], short: 2) {
            let image = try TestImages.flat([90, 120, 30], width: width, height: height)
            try image.save(folder.path("a.jpg"), with: "jpegsave")
            try image.save(folder.path("b.jpg"), with: "jpegsave", ["interlace": .bool(true)])
            try image.save(folder.path("c.png"), with: "pngsave")
            for name in ["a.jpg", "b.jpg", "c.png"] {
                for arguments in [
                    ["render", name, "--size", "64x64", "-o", "o.png"],
                    ["render", name, "--rect", "0,0,1,1", "--zoom", "9", "-o", "o.webp"],
                    ["thumbnail", name, "-s", "16", "-o", "t.jpg", "--overwrite"],
                    ["pyramid", name, "-o", "p.tif", "--overwrite"], ["info", name],
                ] {
                    let result = try await BuiltProgram("viewport").run(
                        arguments, in: folder.url, environment: ["SWIFT_BACKTRACE": "enable=no"])
                    #expect(result.code == 0, "\(width)x\(height) \(arguments): \(result.errors)")
                }
            }
        }
    }

    @Test("for a TIFF whose tiles exceed the memory limit is refused before decoding")
    func wideTiles() async throws {
        let folder = try TemporaryFolder()
        // A row of 65,537 tiles that share the data of one.
        let (side, count) = (128, 65537)
        func small(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(value >> (8 * $0) & 255) }
        }
        let lists = 8 + 2 + 11 * 12 + 4
        let tile = lists + 8 * count
        let entries: [(Int, Int, Int)] = [
            (256, 1, side * count), (257, 1, side), (258, 1, 8), (259, 1, 1), (262, 1, 1), (277, 1, 1),
            (284, 1, 1), (322, 1, side), (323, 1, side), (324, count, lists), (325, count, lists + 4 * count),
        ]
        var file: [UInt8] = Array("II*\0".utf8) + small(8, 4) + small(entries.count, 2)
        for (tag, values, value) in entries {
            file += small(tag, 2) + small(4, 2) + small(values, 4) + small(value, 4)
        }
        file += small(0, 4)
        for value in [tile, side * side] {
            let bytes = small(value, 4)
            for _ in 0..<count { file += bytes }
        }
        file += [UInt8](repeating: 77, count: side * side)
        try Data(file).write(to: folder.url.appendingPathComponent("wide.tif"))
        let refused = try await BuiltProgram("viewport").run(
            ["render", "wide.tif", "--size", "64x64", "-o", "o.png"], in: folder.url)
        #expect(refused.code == 65 && refused.errors.contains("1024 MB"), "\(refused.errors)")
        #expect(refused.errors.contains("--max-pixels"), "\(refused.errors)")
        let part = try await BuiltProgram("viewport").run(
            ["render", "wide.tif", "--rect", "4000000,0,50,50", "-o", "o.png"], in: folder.url)
        #expect(part.code == 0, "\(part.errors)")
    }
}
