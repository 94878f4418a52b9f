import AssetRendering
import Foundation
import PhotoCatalog
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Pictures of assets")
struct AssetImagesTests {
    let folder: TemporaryFolder
    let library: PhotoLibrary
    /// The upright size; the picture is red on the left and dark on the right.
    static let seen = PixelSize<OutputGrid>(width: 60, height: 40)

    init() async throws {
        folder = try TemporaryFolder()
        library = try await PhotoLibrary.create(folder.url.path)
    }

    /// Returns the asset of a file whose upright picture is the same for every orientation.
    private func asset(_ orientation: Orientation) async throws -> Asset {
        var bytes: [UInt8] = []
        for _ in 0..<40 { for x in 0..<60 { bytes += x < 20 ? [250, 20, 20] : [20, 20, 60] } }
        let upright = try VipsImage.pixels(
            bytes, width: 60, height: 40, bands: 3, format: .uint8, interpretation: "srgb")
        let stored = try upright.turned(orientation.inverse)
        try stored.save(folder.path("a.png"), oriented: orientation)
        try await library.index()
        return try #require(try await library.asset(path: "a.png"))
    }

    private func isRed(_ picture: Picture, _ x: Int, _ y: Int) -> Bool {
        let start = (y * picture.size.width + x) * picture.bands
        return picture.bytes[start] > 200 && picture.bytes[start + 1] < 60
    }

    @Test("are upright exactly once, whatever the orientation", arguments: Orientation.allCases)
    func upright(_ orientation: Orientation) async throws {
        let asset = try await asset(orientation)
        let images = AssetImages(of: library)
        let picture = try #require(try await images.fullResolutionImage(of: asset).final()).picture
        #expect(picture.size == Self.seen)
        #expect(
            isRed(picture, 5, 5) && isRed(picture, 5, 35) && !isRed(picture, 30, 5) && !isRed(picture, 55, 35)
        )
    }

    @Test("are first a placeholder of the final size, then final")
    func sequence() async throws {
        let asset = try await asset(.up)
        let images = AssetImages(of: library)
        let forms: [AssetImages.Form] = [
            .thumbnail(side: 16), .aspectRatioThumbnail(side: 16), .fullScreen(width: 30, height: 30),
            .fullResolution,
        ]
        for form in forms {
            var seen: [AssetImage] = []
            for try await image in images.images(of: asset, form) { seen.append(image) }
            #expect(seen.map(\.quality) == [.placeholder, .final])
            #expect(Set(seen.map(\.picture.size)).count == 1)
        }
    }

    @Test("have the requested sizes, and are not enlarged")
    func sizes() async throws {
        let asset = try await asset(.up)
        let images = AssetImages(of: library)
        func size(_ form: AssetImages.Form) async throws -> [Int] {
            let picture = try #require(try await images.images(of: asset, form).final()).picture
            return [picture.size.width, picture.size.height]
        }
        #expect(try await size(.thumbnail(side: 16)) == [16, 16])
        #expect(try await size(.thumbnail(side: 256)) == [40, 40])
        #expect(try await size(.aspectRatioThumbnail(side: 30)) == [30, 20])
        #expect(try await size(.fullScreen(width: 100, height: 10)) == [15, 10])
        #expect(try await size(.fullScreen(width: 1000, height: 1000)) == [60, 40])
    }

    @Test("end with an error that names a file that cannot be decoded")
    func broken() async throws {
        let asset = try await asset(.up)
        folder.cut("a.png", to: 60)
        await #expect(throws: RenderingError.self) {
            try await AssetImages(of: library).fullResolutionImage(of: asset).final()
        }
    }
}

extension TemporaryFolder {
    /// Truncates a file.
    fileprivate func cut(_ name: String, to count: Int) {
        let beginning = try? data(name).prefix(count)
        try? beginning?.write(to: url.appendingPathComponent(name))
    }
}
