import TestSupport
import Testing
import Thumbnails
import Vips

@Suite("A placeholder")
struct PlaceholderTests {
    /// Returns an image with color gradients in every direction, and squares.
    static func image(width: Int, height: Int, hasAlpha: Bool) throws -> VipsImage {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let blue = (x / 8 + y / 8) % 2 == 1 ? (x * y * 37 + 11 * x) % 256 : 200
                let alpha = hasAlpha ? (x + y) * 255 / max(1, width + height - 2) : 255
                bytes += [
                    UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), UInt8(blue),
                    UInt8(alpha),
                ]
            }
        }
        return try VipsImage.pixels(
            bytes, width: width, height: height, bands: 4, format: .uint8, interpretation: "srgb")
    }

    // The hashes are from the Python package thumbhash 0.1.2, for the same pixels.
    @Test(
        "is the ThumbHash of the picture",
        arguments: [
            (100, 75, false, "4gYKPZpwd3dweIiIh3iIiICAB/h3"),
            (75, 100, false, "4vYJNRpwd4CIh3d4h4h3iIBwB/h4"),
            (32, 32, true, "pveFHQ4nkIbAl3pnibGgCflngIeAh3h4iA=="),
            (100, 20, true, "pjeGGY43soewiHizsCj6dYCHhod4eIg="),
            (3, 100, false, "YQcSOSRwg4eIh4iIonAH2Hg="),
            (100, 100, false, "4gYKNxpwd3eAiHh4eHh4iIiHCAh3gH8H"),
        ])
    func vectors(_ width: Int, _ height: Int, _ hasAlpha: Bool, _ hash: String) throws {
        let image = try Self.image(width: width, height: height, hasAlpha: hasAlpha)
        #expect(try Making().make(image, "10") { $0.makesPlaceholder = true }.placeholder == hash)
    }

    @Test("of a large picture is close to that of its small copy")
    func large() throws {
        let image = try TestImages.photo(width: 400, height: 300)
        let making = try Making()
        let set = try making.make(image, "100", "220") { $0.makesPlaceholder = true }
        let small = try making.make(set.thumbnails[0].decoded(), "10") { $0.makesPlaceholder = true }
        #expect(set.placeholder == small.placeholder)
    }

    @Test("is made for gray images and single pixels, and only on request", arguments: [1, 2, 3, 4])
    func plain(_ bands: Int) throws {
        let image = try TestImages.photo(width: 1, height: 1, bands: bands)
        #expect(try Making().make(image, "10") { $0.makesPlaceholder = true }.placeholder != nil)
        #expect(try Making().make(image, "10").placeholder == nil)
    }
}
