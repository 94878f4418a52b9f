import TestSupport
import Testing
import Thumbnails
import Vips

@Suite("A thumbnail")
struct ThumbnailMakerTests {
    @Test("fits the box and keeps the proportions")
    func size() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try TestImages.photo(width: 400, height: 300).save(path, with: "pngsave")
        let made = try ThumbnailMaker(ThumbnailRecipe(sizes: [ThumbnailSize(100)])).make(
            path)
        #expect(made.thumbnails.map { [$0.width, $0.height] } == [[100, 75]])
    }
}
