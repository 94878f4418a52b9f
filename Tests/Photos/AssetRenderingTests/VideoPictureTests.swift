import AssetRendering
import Foundation
import PhotoCatalog
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

/// The program that decodes videos, if installed.
private let ffmpeg = BuiltProgram(installed: "ffmpeg")

@Suite("The picture of a video")
struct VideoPictureTests {
    @Test(
        "is a frame in the requested size, never enlarged",
        .enabled(if: ffmpeg != nil, "ffmpeg is not installed: videos are NOT tested"))
    func frame() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["-v", "error", "-f", "lavfi", "-i", "color=green:s=64x32:r=10:d=1", "-c:v", "mpeg4"]
        let made = try await #require(ffmpeg).run(arguments + [folder.path("a.mp4")])
        #expect(made.code == 0, "\(made.errors)")
        let library = try await PhotoLibrary.create(folder.url.path)
        try await library.index()
        let asset = try #require(try await library.asset(path: "a.mp4"))
        let forms: [(AssetImages.Form, [Int])] = [
            (.thumbnail(side: 16), [16, 16]), (.thumbnail(side: 256), [32, 32]),
            (.aspectRatioThumbnail(side: 16), [16, 8]), (.fullScreen(width: 40, height: 40), [40, 20]),
            (.fullResolution, [64, 32]),
        ]
        for (form, size) in forms {
            var seen: [AssetImage] = []
            for try await image in AssetImages(of: library).images(of: asset, form) { seen.append(image) }
            // Videos contain no preview.
            #expect(seen.map(\.quality) == [.placeholder, .final])
            for image in seen {
                #expect([image.picture.size.width, image.picture.size.height] == size, "\(form)")
            }
            let final = try #require(seen.last).picture
            let middle = final.bytes.count / final.bands / 2 * final.bands
            let color = Array(final.bytes[middle..<(middle + 3)])
            #expect(color[1] > 90 && color[0] < 40 && color[2] < 40, "\(color)")
        }
    }
}
