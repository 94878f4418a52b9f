import TestHarness
import TestSupport
import Testing
import Thumbnails
import Vips

@Suite("A thumbnail's size")
struct ThumbnailSizeTests {
    @Test(
        "is parsed and printed in vipsthumbnail's syntax",
        arguments: [
            ("256", "256"), ("256x256", "256"), ("1024x768", "1024x768"), ("1024x", "1024x"),
            ("x768", "x768"), ("1024x1024!", "1024!"), ("640x480!", "640x480!"), ("256<", "256<"),
            ("300x>", "300x>"), ("1", "1"), ("65500", "65500"),
        ])
    func text(_ text: String, _ canonical: String) throws {
        let size = try ThumbnailSize(text)
        #expect(size.description == canonical)
        #expect(try ThumbnailSize(canonical) == size)
    }

    @Test(
        "that is invalid is an error with the syntax",
        arguments: [
            "", "x", "!", "x!", "0", "-1", "12.5", "1x2x3", "12px", "65501", "99999999999999999999", "100x!",
            "x100!", "100!!", " 100", "100 ", "１００", "+5", "<100",
        ])
    func bad(_ text: String) {
        #expect(throws: ThumbnailError.badSize(text)) { try ThumbnailSize(text) }
        #expect("\(ThumbnailError.badSize(text))".contains("\"\(text)\" is not a size: write W, WxH"))
    }

    @Test(
        "gives these pixels for an image",
        arguments: [
            // Rounded to nearest, never below 1, never enlarged.
            (1000, 333, "128", [128, 43]), (3, 1000, "128", [1, 128]), (1000, 3, "128", [128, 1]),
            (100, 50, "256", [100, 50]), (1, 1, "128", [1, 1]), (400, 300, "100x100", [100, 75]),
            (400, 300, "100x", [100, 75]), (400, 300, "x150", [200, 150]), (400, 300, "1000x", [400, 300]),
            // Exactly this size, even if larger.
            (400, 300, "100!", [100, 100]), (40, 30, "100x200!", [100, 200]),
            // "<" only enlarges, ">" only shrinks.
            (40, 30, "100<", [100, 75]), (400, 300, "100<", [400, 300]), (400, 300, "100>", [100, 75]),
            (40, 30, "100>", [40, 30]),
        ])
    func sides(_ width: Int, _ height: Int, _ size: String, _ made: [Int]) throws {
        let image = try TestImages.photo(width: width, height: height)
        let set = try Making().make(image, size)
        #expect(set.thumbnails.map(\.sides) == [made])
        #expect([set.width, set.height, set.frames] == [width, height, 1])
        #expect(try set.thumbnails.map { try [$0.decoded().width, $0.decoded().height] } == [made])
    }

    @Test(
        "is filled if the recipe crops",
        arguments: [
            (400, 300, "100", [100, 100]), (300, 400, "100x50", [100, 50]), (400, 300, "100x", [100, 75]),
            // Too small to fill the box: cropped, not enlarged.
            (400, 50, "100", [100, 50]), (60, 50, "100", [60, 50]),
            (60, 50, "100!", [100, 100]), (60, 50, "100<", [100, 100]), (1000, 3, "128", [128, 3]),
        ])
    func cropped(_ width: Int, _ height: Int, _ size: String, _ made: [Int]) throws {
        let image = try TestImages.photo(width: width, height: height)
        for crop in CropMode.allCases where crop != .none {
            let set = try Making().make(image, size) { $0.crop = crop }
            #expect(set.thumbnails.map(\.sides) == [made], "\(crop)")
        }
    }

    @Test(
        "is enlarged if the recipe allows it, except with >",
        arguments: [("100", [100, 75]), ("100>", [40, 30])])
    func upscale(_ size: String, _ made: [Int]) throws {
        let set = try Making().make(TestImages.photo(width: 40, height: 30), size) { $0.upscale = true }
        #expect(set.thumbnails.map(\.sides) == [made])
    }
}
