import Foundation
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import Vips

@Suite("A IIIF site")
struct PyramidSiteTests {
    static let sites: [(Int, Int, Orientation, [String])] = [
        (1, 1, .up, []), (512, 512, .up, []), (513, 100, .right, []),
        (1000, 333, .left, ["--tile-size", "100"]),
        (700, 900, .down, ["--tile-size", "256", "--format", "png"]),
        (640, 480, .leftMirrored, ["--tile-size", "128", "--format", "webp"]),
    ]

    @Test("has every file that its info.json describes, in the right size", arguments: sites)
    func complete(_ width: Int, _ height: Int, _ orientation: Orientation, _ more: [String]) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: width, height: height).save(
            folder.path("photo.png"), oriented: orientation)
        _ = try await PyramidCommandTests.pyramid(
            ["photo.png", "-o", "site/", "--id", "https://example.org/i/"] + more, in: folder)
        let text = String(decoding: try folder.data("site/info.json"), as: UTF8.self)
        let information = try IIIFInformation(parsing: text)
        #expect(information.id == "https://example.org/i")
        let full = orientation.uprightSize(PixelSize<StoredGrid>(width: width, height: height))
        #expect(information.size == full && information.sizes.last == full)
        let ending = information.extraFormats.first ?? "jpg"

        var promised: [(String, PixelSize<UprightGrid>)] = [("full/max", full)]
        promised += information.sizes.map { ("full/\($0.width),\($0.height)", $0) }
        for tiles in information.tiles {
            for factor in tiles.scaleFactors {
                promised += Self.tiles(of: full, side: tiles.width, factor: factor)
            }
        }
        for (address, size) in promised {
            let path = folder.path("site/\(address)/0/default.\(ending)")
            let picture = try PyramidCommandTests.image(path)
            #expect((picture.width, picture.height) == (size.width, size.height), "\(address)")
        }
        let files = Set(promised.map { "\($0.0)/0/default.\(ending)" } + ["info.json"])
        #expect(Set(folder.files(below: "site")) == files)
        #expect(folder.names == ["photo.png", "site"])
    }

    /// Returns the requests of a viewer at a scale factor.
    ///
    /// Source: IIIF Image API 3.0, implementation notes, section 3.
    private static func tiles(of full: PixelSize<UprightGrid>, side: Int, factor: Int) -> [(
        String, PixelSize<UprightGrid>
    )] {
        let step = side * factor
        return stride(from: 0, to: full.height, by: step).flatMap { y in
            stride(from: 0, to: full.width, by: step).map { x in
                let (width, height) = (min(step, full.width - x), min(step, full.height - y))
                let size = PixelSize<UprightGrid>(
                    width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
                return ("\(x),\(y),\(width),\(height)/\(size.width),\(size.height)", size)
            }
        }
    }

    @Test("has whole pictures that equal its tiles")
    func whole() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 301, height: 203)
        try photo.save(folder.path("photo.png"), oriented: .rightMirrored)
        _ = try await PyramidCommandTests.pyramid(
            ["photo.png", "-o", "s", "--tile-size", "100", "--format", "png"], in: folder)
        let whole = try PyramidCommandTests.image(folder.path("s/full/max/0/default.png"))
        #expect(try whole.pixels().copied() == photo.turned(.rightMirrored).pixels().copied())
        let half = try PyramidCommandTests.image(folder.path("s/full/102,151/0/default.png"))
        let tile = try PyramidCommandTests.image(folder.path("s/200,200,3,101/2,51/0/default.png"))
        #expect(
            try half.cropped(to: PixelRect(x: 100, y: 100, width: 2, height: 51)).pixels().copied()
                == tile.pixels().copied())
    }
}
