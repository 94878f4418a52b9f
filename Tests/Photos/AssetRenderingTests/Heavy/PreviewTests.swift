import AssetRendering
import Foundation
import PhotoCatalog
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("The preview in a photo")
struct PreviewTests {
    let folder: TemporaryFolder
    let library: PhotoLibrary

    init() async throws {
        folder = try TemporaryFolder()
        library = try await PhotoLibrary.create(folder.url.path)
    }

    /// Returns a photo, 60x40 upright and red on the left, with a preview of 30x20 that is green there.
    private func asset(_ orientation: Orientation, preview: [UInt8]? = nil) async throws -> Asset {
        func jpeg(_ width: Int, _ height: Int, _ left: [UInt8]) throws -> [UInt8] {
            var bytes: [UInt8] = []
            for _ in 0..<height { for x in 0..<width { bytes += 3 * x < width ? left : [20, 20, 60] } }
            let upright = try VipsImage.pixels(
                bytes, width: width, height: height, bands: 3, format: .uint8, interpretation: "srgb")
            return try upright.turned(orientation.inverse)
                .saved(with: "jpegsave_buffer", ["strip": .bool(true), "Q": .int(95)])
        }
        let preview = try preview ?? jpeg(30, 20, [20, 230, 20])
        let photo = try jpeg(60, 40, [250, 20, 20])
        let bytes = photo.prefix(2) + Self.exif(orientation, preview) + photo.dropFirst(2)
        try Data(bytes).write(to: folder.url.appendingPathComponent("a.jpg"))
        try await library.index()
        return try #require(try await library.asset(path: "a.jpg"))
    }

    /// Returns an EXIF segment with the orientation, and the preview in the second directory.
    private static func exif(_ orientation: Orientation, _ preview: [UInt8]) -> [UInt8] {
        func big(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        func long(_ tag: Int, _ value: Int) -> [UInt8] { big(tag, 2) + big(4, 2) + big(1, 4) + big(value, 4) }
        var block: [UInt8] = Array("MM\0*".utf8) + big(8, 4)
        block += big(1, 2) + big(0x0112, 2) + big(3, 2) + big(1, 4) + big(orientation.rawValue, 2) + [0, 0]
        block += big(26, 4)
        block += big(2, 2) + long(0x0201, 56) + long(0x0202, preview.count) + big(0, 4) + preview
        let content = Array("Exif\0\0".utf8) + block
        return [0xFF, 0xE1] + big(content.count + 2, 2) + content
    }

    /// Returns the samples at a point of a picture.
    private func color(_ picture: Picture, _ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * picture.size.width + x) * picture.bands
        return Array(picture.bytes[start..<(start + 3)])
    }

    @Test(
        "is returned between the placeholder and the photo, upright like the photo",
        arguments: [Orientation.up, .right, .down, .leftMirrored])
    func order(_ orientation: Orientation) async throws {
        let asset = try await asset(orientation)
        for form in [AssetImages.Form.aspectRatioThumbnail(side: 30), .fullScreen(width: 30, height: 30)] {
            var seen: [AssetImage] = []
            for try await image in AssetImages(of: library).images(of: asset, form) { seen.append(image) }
            #expect(seen.map(\.quality) == [.placeholder, .preview, .final])
            #expect(seen.allSatisfy { $0.picture.size == PixelSize(width: 30, height: 20) })
            for (image, band) in zip(seen.dropFirst(), [1, 0]) {
                for y in [2, 17] {
                    let left = color(image.picture, 3, y)
                    #expect(left[band] > 200 && left[1 - band] < 80, "\(image.quality): \(left)")
                    #expect(color(image.picture, 26, y).allSatisfy { $0 < 100 }, "\(image.quality)")
                }
            }
        }
    }

    @Test("is omitted if it is damaged")
    func broken() async throws {
        let asset = try await asset(.up, preview: [0xFF, 0xD8, 1, 2, 3, 4])
        var qualities: [AssetImage.Quality] = []
        for try await image in AssetImages(of: library).thumbnail(of: asset, side: 16) {
            qualities.append(image.quality)
        }
        #expect(qualities == [.placeholder, .final])
    }

    @Test("is the last picture if the task is then cancelled")
    func cancelled() async throws {
        let asset = try await asset(.right)
        let images = AssetImages(of: library).fullResolutionImage(of: asset)
        let asking = Task { () -> [AssetImage.Quality] in
            var qualities: [AssetImage.Quality] = []
            do {
                for try await image in images {
                    qualities.append(image.quality)
                    // The handle is used while its task runs.
                    if image.quality == .preview { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                }
                Issue.record("it went on")
            } catch is CancellationError {}
            return qualities
        }
        #expect(try await asking.value == [.placeholder, .preview])
    }
}
