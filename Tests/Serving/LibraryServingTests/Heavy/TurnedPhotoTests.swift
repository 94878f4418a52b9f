#if Server && Library
import Foundation
import PhotoCatalog
import TestSupport
import TestHarness
import Testing
import TileServing
import Vips

@Suite("Photos that were turned by edits", .inTurn)
struct TurnedPhotoTests {
    @Test("are turned in IIIF and Deep Zoom, also while they are open, with other entity tags")
    func turned() async throws {
        try await RunningLibrary.with({ folder in
            try TestImages.photo(width: 600, height: 400).save(folder.path("a.jpg"), oriented: .up)
        }) { running in
            func size() async throws -> [Int] {
                let answer = try await running.probe.send("/iiif/3/a.jpg/info.json")
                let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
                return [json?["width"], json?["height"]].compactMap { $0 as? Int }
            }
            func picture(_ headers: [(String, String)] = []) async throws -> (Int, String?, [Int]) {
                let answer = try await running.probe.send(
                    "/iiif/3/a.jpg/full/150,/0/default.jpg", headers: headers)
                guard answer.status == 200 else { return (answer.status, nil, []) }
                let path = running.folder.path(".picture.jpg")
                try Data(answer.body).write(to: URL(filePath: path))
                let image = try VipsImage.load(path, with: "jpegload", [:])
                #expect(answer.headers["cache-control"] == "no-cache")
                return (200, answer.headers["etag"], [image.width, image.height])
            }
            #expect(try await size() == [600, 400])
            let (_, tag, shape) = try await picture()
            #expect(shape == [150, 100])
            let former = [("If-None-Match", try #require(tag))]
            #expect(try await picture(former).0 == 304)

            var edit = AssetEdit()
            edit.quarterTurns = 1
            let asset = try #require(try await running.library.asset(path: "a.jpg"))
            try await running.library.edit([asset.id], edit)
            #expect(try await size() == [400, 600])
            let turned = try await picture(former)
            #expect(turned.0 == 200 && turned.1 != tag && turned.2 == [150, 225])
            let deepZoom = try await running.probe.send("/dzi/a.jpg.dzi")
            #expect(deepZoom.text.contains("Width=\"400\"") && deepZoom.text.contains("Height=\"600\""))
            // A date is no proof: the file is the same.
            let modified = try await running.probe.send("/iiif/3/a.jpg/full/150,/0/default.jpg")
            let since = [("If-Modified-Since", modified.headers["last-modified"] ?? "")]
            #expect(try await picture(since).0 == 200)

            try await running.library.undo()
            #expect(try await size() == [600, 400])
            let back = try await picture()
            #expect(back.1 == tag && back.2 == [150, 100])
        }
    }
}
#endif
