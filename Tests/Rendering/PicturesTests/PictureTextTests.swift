import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

@Suite("Pictures and formats as text")
struct PictureTextTests {
    private static func picture(
        _ format: PixelFormat, profile: [UInt8]? = nil, value: UInt8 = 7
    ) throws -> Picture {
        try Picture(
            bytes: [UInt8](repeating: value, count: 6 * format.bytesPerPixel),
            size: PixelSize(width: 3, height: 2), format: format, profile: profile)
    }

    @Test(
        "are printed in one short line",
        arguments: [
            (PixelFormat(.rgba), "RGBA, 8 bits"), (PixelFormat(.gray, depth: .bits16), "gray, 16 bits"),
            (PixelFormat(.grayAlpha), "gray and alpha, 8 bits"), (PixelFormat(.rgb), "RGB, 8 bits"),
        ])
    func printing(_ format: PixelFormat, _ text: String) throws {
        #expect("\(format)" == text)
        #expect("\(try Self.picture(format))" == "3x2 " + text)
    }

    @Test("name a profile, premultiplied alpha and colors")
    func details() throws {
        #expect("\(PixelFormat.bgra8Premultiplied)" == "BGRA, 8 bits, premultiplied")
        #expect("\(try Self.picture(.rgb8, profile: [1]))" == "3x2 RGB, 8 bits, with a profile")
        #expect("\(Color(red: 1, green: 0.5, blue: 0))" == "#ff8000")
        #expect("\(Color.transparent)" == "#00000000")
    }

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(PixelFormat.bgra8Premultiplied), CodedValue(Color(red: 0.1, green: 0.2, blue: 0.3)),
            CodedValue(Color.transparent),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("have names as keys, and an opaque color where none is stated")
    func keys() throws {
        #expect(
            try encoded(PixelFormat.bgra8Premultiplied)
                == #"{"alpha":"premultiplied","channels":"bgra","depth":"bits8"}"#)
        #expect(try decoded(Color.self, #"{"red":1,"green":1,"blue":1}"#) == .white)
    }

    @Test("are equal if all pixels are")
    func equality() throws {
        let picture = try Self.picture(.rgb8)
        #expect(try Self.picture(.rgb8) == picture)
        #expect(try Self.picture(.rgb8).hashValue == picture.hashValue)
        #expect(try Self.picture(.rgb8, value: 8) != picture)
        #expect(try Self.picture(.rgb8, profile: [1]) != picture)
    }
}
