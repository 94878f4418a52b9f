import PNGEncoding
import Testing

@Suite("The texts of a PNG")
struct PNGTextTests {
    static let texts = [PNGText("Thumb::URI", "file:///a%20b.png"), PNGText("Comment", "é and 日")]

    static func file() throws -> [UInt8] {
        let format = PNGFormat(width: 9, height: 7, channels: .rgb)
        return try PNGEncoder().encode(TestPixels.photograph.bytes(format).span, as: format)
    }

    @Test("are read again, and libpng reads the same picture")
    func reading() throws {
        let plain = try Self.file()
        let file = PNGText.adding(Self.texts, to: plain)
        // Latin-1 has no Japanese.
        #expect(PNGText.read(file).map(\.text) == [Self.texts[0], PNGText("Comment", "é and ?")])
        #expect(PNGText.read(plain).isEmpty)
        #expect(DecodedPNG(file, channels: 3).pixels == DecodedPNG(plain, channels: 3).pixels)
        // Without the chunks that were told, it is the file before.
        var rest = file
        for chunk in PNGText.read(file).map(\.chunk).reversed() { rest.removeSubrange(chunk) }
        #expect(rest == plain)
    }

    @Test("are none where a file is cut or is no PNG")
    func broken() throws {
        let file = PNGText.adding(Self.texts, to: try Self.file())
        for count in 0..<file.count { #expect(PNGText.read(Array(file[..<count])).count <= 2) }
        #expect(PNGText.read([1, 2, 3]).isEmpty)
        #expect(PNGText.adding(Self.texts, to: [1, 2, 3]) == [1, 2, 3])
    }
}
