import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("The background")
struct BackgroundTests {
    static func render(_ image: VipsImage, _ rect: Rect<ImageSpace>, _ background: Color) throws -> Picture {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        try image.save(path, with: "pngsave")
        var options = RenderOptions()
        options.background = background
        return try ViewportRenderer(options: options).renderSynchronously(
            Viewport(imageRect: rect, scale: 1), of: try ImageFile.open(path)
        ).picture
    }

    static func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> [UInt8] {
        let at = (y * picture.size.width + x) * picture.bands
        return Array(picture.bytes[at..<at + picture.bands])
    }

    @Test("adds alpha to the picture only if it is transparent and visible")
    func transparent() throws {
        let image = try TestImages.flat([9, 8, 7], width: 10, height: 10)
        let beyond = try Self.render(image, Rect(x: -5, y: 5, width: 10, height: 10), .transparent)
        #expect(beyond.bands == 4)
        #expect(Self.pixel(beyond, 0, 0) == [0, 0, 0, 0])
        #expect(Self.pixel(beyond, 5, 4) == [9, 8, 7, 255])
        #expect(Self.pixel(beyond, 5, 5) == [0, 0, 0, 0])
        let within = try Self.render(image, Rect(x: 0, y: 0, width: 10, height: 10), .transparent)
        #expect(within.bands == 3)
    }

    @Test("fills the outside of the image with its color, and the picture stays opaque")
    func filled() throws {
        let image = try TestImages.flat([9, 8, 7], width: 10, height: 10)
        let picture = try Self.render(image, Rect(x: 5, y: -5, width: 10, height: 10), Color(css: "#ff8000")!)
        #expect(picture.bands == 3)
        #expect(Self.pixel(picture, 0, 0) == [255, 128, 0])
        #expect(Self.pixel(picture, 0, 5) == [9, 8, 7])
        #expect(Self.pixel(picture, 5, 5) == [255, 128, 0])
    }

    @Test("is visible through a transparent image")
    func through() throws {
        let image = try TestImages.flat([200, 100, 0, 0], width: 4, height: 4)
        let opaque = try Self.render(image, Rect(x: 0, y: 0, width: 4, height: 4), .white)
        #expect(opaque.bytes.allSatisfy { $0 == 255 } && opaque.bands == 3)
        let half = try Self.render(
            image, Rect(x: 0, y: 0, width: 4, height: 4), Color(css: "rgb(255 0 0 / 50%)")!)
        #expect(Self.pixel(half, 1, 1)[0] == 255)
        #expect(abs(Int(Self.pixel(half, 1, 1)[3]) - 128) <= 1)
    }

    @Test("in color makes the picture of a gray image RGB")
    func gray() throws {
        let image = try TestImages.flat([77], width: 4, height: 4, interpretation: "b-w")
        let colored = try Self.render(image, Rect(x: -2, y: 0, width: 6, height: 4), Color(css: "red")!)
        #expect(Self.pixel(colored, 0, 0) == [255, 0, 0])
        #expect(Self.pixel(colored, 2, 0) == [77, 77, 77])
        let shade = try Self.render(image, Rect(x: -2, y: 0, width: 6, height: 4), Color(css: "silver")!)
        #expect(Self.pixel(shade, 0, 0) == [192])
    }

    @Test(
        "is parsed from CSS colors",
        arguments: [
            ("red", [255, 0, 0, 255]), ("RebeccaPurple", [102, 51, 153, 255]), ("#1af", [17, 170, 255, 255]),
            ("#1af8", [17, 170, 255, 136]), ("#102030", [16, 32, 48, 255]), ("#10203080", [16, 32, 48, 128]),
            ("rgb(1,2,3)", [1, 2, 3, 255]), ("rgba(1, 2, 3, 0.5)", [1, 2, 3, 128]),
            ("rgb(100% 0% 0% / 20%)", [255, 0, 0, 51]),
            ("hsl(120, 100%, 50%)", [0, 255, 0, 255]), ("hsl(-240deg 100% 25%)", [0, 128, 0, 255]),
            ("transparent", [0, 0, 0, 0]),
        ])
    func css(_ text: String, _ expected: [Int]) throws {
        let color = try #require(Color(css: text))
        #expect(
            [color.red, color.green, color.blue, color.alpha].map { Int(($0 * 255).rounded()) } == expected)
    }

    @Test(
        "is not parsed from other text",
        arguments: ["", "redd", "#12", "#12345", "#gggggg", "rgb(1,2)", "rgb(1,2,x)", "hsl()", "url(x)"])
    func noColor(_ text: String) {
        #expect(Color(css: text) == nil)
    }
}
