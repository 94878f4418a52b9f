import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("At zoom 1 a viewport")
struct ExactPixelsTests {
    static let endings = ["jpg", "png", "tif", "webp"]
    static let rects: [(Int, Int, Int, Int)] = [
        (0, 0, 61, 47), (1, 0, 1, 1), (17, 13, 30, 20), (60, 46, 1, 1), (0, 40, 47, 7), (33, 0, 14, 47),
    ]

    @Test(
        "equals the same crop of the full decode, rotated upright, bit for bit",
        arguments: endings, Orientation.allCases)
    func equal(_ ending: String, _ orientation: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.\(ending)")
        // Sizes that give partial blocks at both edges.
        try TestImages.photo(width: 61, height: 47).save(path, oriented: orientation)
        let decoded = try VipsImage.load(path, with: try VipsImage.loader(for: path), [:])
        let upright = try decoded.turned(orientation)
        let file = try ImageFile.open(path)
        #expect(file.fileOrientation == orientation)
        #expect(file.uprightSize.width == upright.width)
        for (x, y, width, height) in Self.rects {
            let (x, y, width, height) = orientation.transposes ? (y, x, height, width) : (x, y, width, height)
            let viewport = Viewport(
                imageRect: Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)),
                scale: 1)
            let (picture, report) = try ViewportRenderer().renderSynchronously(viewport, of: file)
            let expected = try upright.cropped(to: PixelRect(x: x, y: y, width: width, height: height))
            #expect(picture.bytes == (try expected.pixels().copied()))
            #expect(report.storedRect?.size.area == width * height, "no more is read than is seen")
        }
    }

    @Test("equals autorot and then crop", arguments: Orientation.allCases)
    func autorot(_ orientation: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.jpg")
        try TestImages.photo(width: 64, height: 48).withOrientation(orientation).save(path, with: "jpegsave")
        let upright = try VipsImage.load(path, with: "jpegload", [:]).autorotated()
        let picture = try ViewportRenderer().renderSynchronously(
            Viewport(imageRect: Rect(x: 5, y: 7, width: 30, height: 25), scale: 1),
            of: try ImageFile.open(path)
        ).picture
        let expected = try upright.cropped(to: PixelRect(x: 5, y: 7, width: 30, height: 25))
        #expect(picture.bytes == (try expected.pixels().copied()))
    }

    @Test("of a part deep in a file reads only that part", arguments: ["jpg", "png", "tif"])
    func deep(_ ending: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.\(ending)")
        let photo = try TestImages.photo(width: 300, height: 2000)
        try photo.save(path, oriented: .up)
        let decoded = try VipsImage.load(path, with: try VipsImage.loader(for: path), [:])
        let rect = PixelRect<StoredGrid>(x: 250, y: 1900, width: 50, height: 100)
        let (picture, report) = try ViewportRenderer().renderSynchronously(
            Viewport(imageRect: Rect(x: 250, y: 1900, width: 50, height: 100), scale: 1),
            of: try ImageFile.open(path))
        #expect(picture.bytes == (try decoded.cropped(to: rect).pixels().copied()))
        #expect(report.storedRect == rect)
    }

    @Test("at fractional positions is moved to whole pixels instead of blurred")
    func whole() throws {
        let viewport = Viewport(imageRect: Rect(x: 10.5, y: 3.49, width: 8, height: 8), scale: 1)
        #expect(viewport.imageRect == Rect(x: 11, y: 3, width: 8, height: 8))
    }

    @Test("is rotated by --rotate and --flip after the orientation", arguments: Orientation.allCases)
    func turn(_ turn: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        try TestImages.photo(width: 40, height: 30).save(path, oriented: .right)
        var options = OpenOptions()
        options.turn = turn
        let file = try ImageFile.open(path, options)
        let expected = try VipsImage.load(path, with: "pngload", [:]).turned(.right).turned(turn)
        #expect(file.uprightSize == PixelSize(width: expected.width, height: expected.height))
        let whole = Viewport(imageRect: Rect(origin: .zero, size: file.uprightSize.imageSize), scale: 1)
        #expect(
            try ViewportRenderer().renderSynchronously(whole, of: file).picture.bytes
                == expected.pixels().copied())
    }
}
