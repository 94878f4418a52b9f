import TestSupport
import Testing
import Thumbnails
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A cropped thumbnail")
struct CropTests {
    /// Returns a bright, detailed square on a uniform background.
    static func scene(width: Int, height: Int, x: Int, y: Int) throws -> VipsImage {
        var bytes = [UInt8](repeating: 60, count: width * height * 3)
        for row in y..<(y + 60) {
            for column in x..<(x + 60) {
                let isBright = (row / 5 + column / 5) % 2 == 0
                for band in 0..<3 {
                    bytes[(row * width + column) * 3 + band] = isBright ? [250, 120, 90][band] : 10
                }
            }
        }
        return try VipsImage.pixels(
            bytes, width: width, height: height, bands: 3, format: .uint8, interpretation: "srgb")
    }

    /// Returns the same picture, as stored with an orientation.
    static func stored(_ image: VipsImage, _ orientation: Orientation) throws -> VipsImage {
        try image.turned(orientation.inverse)
    }

    @Test(
        "shows the same part of the upright image, whatever its orientation", arguments: Orientation.allCases)
    func orientations(_ orientation: Orientation) throws {
        let upright = try Self.scene(width: 160, height: 100, x: 90, y: 30)
        let making = try Making()
        let straight = try making.save(upright, "upright.png")
        let path = making.folder.path("turned.tif")
        try Self.stored(upright, orientation).save(path, oriented: orientation)
        for crop in CropMode.allCases {
            let expected = try making.make(straight, ["48", "24"]) { $0.crop = crop }
            let made = try making.make(path, ["48", "24"]) { $0.crop = crop }
            #expect([made.width, made.height] == [160, 100])
            for (a, b) in zip(made.thumbnails, expected.thumbnails) {
                #expect(a.sides == b.sides)
                let difference = try Comparing.greatestDifference(a.samples(), b.samples())
                #expect(try #require(difference) <= 1, "\(crop) \(a.size)")
            }
        }
    }

    @Test(
        "shows the end, the center or the most interesting part",
        arguments: [(CropMode.low, 0, false), (.center, 0, true), (.high, 240, true), (.entropy, 5, true)])
    func places(_ crop: CropMode, _ x: Int, _ isSeen: Bool) throws {
        let image = try Self.scene(
            width: 320, height: 60, x: crop == .center ? 130 : crop == .low ? 100 : 255, y: 0)
        let samples = try Making().make(image, "60") { $0.crop = crop }.thumbnails[0].samples()
        #expect(samples.contains { $0 > 200 } == isSeen)
    }

    @Test("shows the most salient part, the same in all sizes", arguments: [0, 1, 2, 3])
    func attention(_ place: Int) throws {
        let x = place * 85
        let image = try Self.scene(width: 320, height: 100, x: x, y: 20)
        let set = try Making().make(image, "100", "50", "25") { $0.crop = .attention }
        for thumbnail in set.thumbnails {
            let samples = try thumbnail.samples()
            #expect(samples.contains { $0 > 200 }, "\(thumbnail.size)")
        }
    }
}
