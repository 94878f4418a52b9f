import Foundation
import Testing
import ViewportGeometry
import ViewportRendering

@testable import TerminalGraphics

@Suite("Pictures in a terminal")
struct PainterTests {
    /// A picture with a gradient in each direction, and an edge.
    static func picture(_ width: Int, _ height: Int) -> Picture {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                bytes += [
                    UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), x > y ? 200 : 30,
                ]
            }
        }
        return Picture(width: width, height: height, rgb: bytes)
    }

    private static let sizes = [(1, 1), (7, 5), (64, 48), (301, 200)]

    private static func painter(
        _ graphics: GraphicsProtocol, change: (inout TerminalAbilities) -> Void = { _ in }
    ) -> TerminalPainter {
        var abilities = TerminalAbilities(graphics)
        change(&abilities)
        return TerminalPainter(abilities, identifier: 4711)
    }

    /// The pixels of a PNG file.
    private static func pixels(_ png: Data) async throws -> [UInt8] {
        let file = try ImageFile(bytes: png)
        return try await ViewportRenderer().render(
            rect: Rect(origin: .zero, size: file.uprightSize.imageSize), of: file
        ).bytes
    }

    /// The payloads of kitty's control strings, joined, and the heads.
    private static func kitty(_ bytes: [UInt8]) -> (heads: [String], data: Data) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.matches(of: /\u{1B}_G([^;]*);([^\u{1B}]*)\u{1B}\\/)
        return (
            parts.map { String($0.output.1) },
            Data(base64Encoded: parts.map { $0.output.2 }.joined()) ?? Data()
        )
    }

    @Test("has all pixels as kitty reads it, in pieces of at most 4096 bytes", arguments: sizes)
    func kitty(_ size: (Int, Int)) async throws {
        let picture = Self.picture(size.0, size.1)
        let bytes = try Self.painter(.kitty).line(picture)
        let (heads, data) = Self.kitty(bytes)
        #expect(try await Self.pixels(data) == picture.bytes)
        #expect(heads.last?.hasSuffix("m=0") == true && heads.dropLast().allSatisfy { $0.hasSuffix("m=1") })
        #expect(heads.allSatisfy { $0.contains("q=2") } && bytes.last == 0x0A)
        #expect(bytes.split(separator: 0x1B).allSatisfy { $0.count < 4096 + 64 })
    }

    @Test("replaces the one before only when the new one is there")
    func replaced() throws {
        let painter = Self.painter(.kitty)
        let heads = try (0..<3).map { Self.kitty(try painter.page(Self.picture(4, 4), number: $0)).heads }
        func number(_ head: String?) -> Substring? { head?.firstMatch(of: /i=(\d+)/)?.output.1 }
        for (before, after) in zip(heads, heads.dropFirst()) {
            #expect(after.last?.hasPrefix("a=d,d=I") == true)
            #expect(number(after.last) == number(before.first) && number(after.first) != number(before.first))
        }
        let end = String(decoding: painter.end, as: UTF8.self)
        #expect(heads.allSatisfy { end.contains("i=\(number($0.first)!),") })
    }

    @Test("has all pixels as iTerm2 reads it", arguments: sizes)
    func iterm2(_ size: (Int, Int)) async throws {
        let picture = Self.picture(size.0, size.1)
        let text = String(decoding: try Self.painter(.iterm2).line(picture), as: UTF8.self)
        let match = try #require(text.wholeMatch(of: /\u{1B}\]1337;File=([^:]*):([^\u{07}]*)\u{07}\n/))
        let data = try #require(Data(base64Encoded: String(match.output.2)))
        #expect(try await Self.pixels(data) == picture.bytes)
        #expect(match.output.1.contains("size=\(data.count);width=\(size.0)px;height=\(size.1)px"))
    }

    @Test(
        "ends on its last band as sixels: a picture as high as the screen would scroll by a line",
        arguments: [1, 5, 6, 7, 12, 480])
    func lastBand(_ height: Int) throws {
        let picture = Picture(
            width: 9, height: height, rgb: (0..<(27 * height)).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let bytes = try Self.painter(.sixel) { _ in }.line(picture)
        #expect(bytes.suffix(3).elementsEqual("\u{1B}\\\n".utf8))
        let sixels = bytes.dropLast(3)
        #expect(sixels.last != UInt8(ascii: "-") && sixels.last != UInt8(ascii: "$"))
        #expect(sixels.count { $0 == UInt8(ascii: "-") } == (height - 1) / 6)
    }

    @Test("has nearly all colors as sixels, and no more than the terminal", arguments: sizes, [2, 16, 256])
    func sixels(_ size: (Int, Int), _ colors: Int) throws {
        let picture = Self.picture(size.0, size.1)
        let bytes = try Self.painter(.sixel) { $0.sixelColors = colors }.line(picture)
        let read = try SixelReader(bytes)
        #expect(read.width == size.0 && read.height == size.1 && read.colors.count <= colors)
        #expect(read.pixels.allSatisfy { $0 != nil })
        // Dithering keeps the mean of each band.
        for band in 0..<3 where colors >= 16 && size.0 > 50 {
            let wanted = stride(from: band, to: picture.bytes.count, by: 3).reduce(0) {
                $0 + Int(picture.bytes[$1])
            }
            let got = read.pixels.reduce(0) { $0 + Int($1?[band] ?? 0) }
            #expect(abs(wanted - got) / read.pixels.count <= 2)
        }
        guard colors == 256, size.0 > 50 else { return }
        let errors = zip(read.pixels.indices, read.pixels).map { index, pixel in
            (0..<3).map { abs(Int(picture.bytes[3 * index + $0]) - Int(pixel?[$0] ?? 0)) }.max() ?? 0
        }
        #expect(Double(errors.reduce(0, +)) / Double(errors.count) < 16)
    }

    @Test("of few colors has just these as sixels")
    func flat() throws {
        let bytes: [UInt8] = (0..<60).flatMap { $0 % 10 < 5 ? [255, 0, 0] : [51, 204, 255] as [UInt8] }
        let read = try SixelReader(Self.painter(.sixel).line(Picture(width: 10, height: 6, rgb: bytes)))
        #expect(read.pixels.flatMap { $0 ?? [] } == bytes)
    }

    @Test("has two pixels in each half block", arguments: sizes)
    func blocks(_ size: (Int, Int)) throws {
        let picture = Self.picture(size.0, size.1)
        let text = String(decoding: try Self.painter(.blocks).line(picture), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == (size.1 + 1) / 2)
        var pixels = [[UInt8]](repeating: [], count: 2 * lines.count)
        for (number, line) in lines.enumerated() {
            var (above, below) = ([UInt8](), [UInt8]())
            for match in line.matches(of: /\u{1B}\[([\d;]+)m|▀/) {
                guard let list = match.output.1 else {
                    pixels[2 * number] += above
                    pixels[2 * number + 1] += below
                    continue
                }
                for color in list.matches(of: /([34])8;2;(\d+);(\d+);(\d+)|49/) {
                    let values = [color.output.2, color.output.3, color.output.4].compactMap {
                        $0.flatMap { UInt8($0) }
                    }
                    if color.output.1 == "3" { above = values } else { below = values }
                }
            }
            #expect(line.hasSuffix("\u{1B}[0m"))
        }
        #expect(pixels.flatMap(\.self) == picture.bytes)
    }

    @Test(
        "has the nearest of 256 colors where the terminal has no more",
        arguments: [
            ((0, 0, 0), 16), ((255, 255, 255), 231), ((255, 0, 0), 196), ((95, 135, 175), 67),
            ((8, 8, 8), 232),
            ((238, 238, 238), 255), ((128, 128, 128), 244), ((250, 5, 3), 196),
        ])
    func indexed(_ color: (Int, Int, Int), _ number: Int) throws {
        #expect(HalfBlocks.indexed(color.0, color.1, color.2) == number)
        let picture = Picture(width: 1, height: 1, rgb: [UInt8(color.0), UInt8(color.1), UInt8(color.2)])
        let bytes = try Self.painter(.blocks) { $0.hasTrueColor = false }.line(picture)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("\u{1B}[38;5;\(number);49m▀"))
    }

    @Test("goes through tmux with doubled escapes", arguments: [GraphicsProtocol.kitty, .iterm2, .sixel])
    func tmux(_ graphics: GraphicsProtocol) throws {
        let picture = Self.picture(64, 48)
        let plain = try Self.painter(graphics).line(picture)
        let bytes = try Self.painter(graphics) { $0.isInTmux = true }.line(picture)
        let text = String(decoding: bytes, as: UTF8.self)
        let inner = text.matches(of: /\u{1B}Ptmux;((?:[^\u{1B}]|\u{1B}\u{1B})*)\u{1B}\\/).map { $0.output.1 }
        let unwrapped = inner.joined().replacing("\u{1B}\u{1B}", with: "\u{1B}") + "\n"
        #expect(unwrapped == String(decoding: plain, as: UTF8.self))
    }

    @Test("is the same text in base64 as Foundation's", arguments: 0..<70)
    func base64(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + 7) }
        #expect(Data(Base64.bytes(of: bytes)) == Data(bytes).base64EncodedData())
    }
}

/// The pixels of a sixel string, as a terminal draws them.
private struct SixelReader {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var colors: [Int: [UInt8]] = [:]
    private(set) var pixels: [[UInt8]?] = []

    struct Invalid: Error {}

    init(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let match = text.wholeMatch(of: /\u{1B}P0;1;0q"1;1;(\d+);(\d+)(.*)\u{1B}\\\n/),
            let width = Int(match.output.1), let height = Int(match.output.2)
        else { throw Invalid() }
        (self.width, self.height) = (width, height)
        pixels = Array(repeating: nil, count: width * height)
        var (x, top, color) = (0, 0, 0)
        for command in match.output.3.matches(of: /#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|[?-~]|\$|-/)
        {
            let output = command.output
            if let number = output.1.flatMap({ Int($0) }) {
                color = number
                let percent = [output.2, output.3, output.4].compactMap { $0.flatMap { Int($0) } }
                if percent.count == 3 { colors[number] = percent.map { UInt8(($0 * 255 + 50) / 100) } }
            } else if output.0 == "$" {
                x = 0
            } else if output.0 == "-" {
                (x, top) = (0, top + 6)
            } else {
                let sign = output.6 ?? output.0
                let mask = sign.utf8.first! - 63
                for _ in 0..<(output.5.flatMap { Int($0) } ?? 1) {
                    for row in 0..<6 where mask >> UInt8(row) & 1 == 1 {
                        guard x < width, top + row < height else { throw Invalid() }
                        pixels[(top + row) * width + x] = colors[color]
                    }
                    x += 1
                }
            }
        }
    }
}
