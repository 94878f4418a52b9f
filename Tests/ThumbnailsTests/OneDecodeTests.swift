import TestSupport
import Testing
import Thumbnails
import ViewportRendering
import Vips

@Suite("Thumbnails of one decode")
struct OneDecodeTests {
    static let sizes = ["80", "40", "120", "20", "150", "50x75!", "39"]
    static let photo = try! TestImages.photo(width: 320, height: 243)

    @Test(
        "are as good as each from a decode of its own", arguments: ["jpg", "png", "webp"],
        [CropMode.none, .centre])
    func quality(_ ending: String, _ crop: CropMode) throws {
        let making = try Making()
        let path = try making.save(Self.photo, "photo.\(ending)")
        // A PNG has one resolution, so that a thumbnail of it alone is made of all its pixels.
        let decoded = try VipsImage.load(path, with: VipsImage.loader(for: path), [:])
        let pixels = try making.save(decoded, "pixels.png")
        let together = try making.make(path, Self.sizes) { $0.crop = crop }.thumbnails
        #expect(together.map(\.size.description) == Self.sizes)
        for (size, thumbnail) in zip(Self.sizes, together) {
            let alone = try making.make(path, [size]) { $0.crop = crop }.thumbnails[0]
            let exact = try making.make(pixels, [size]) { $0.crop = crop }.thumbnails[0].samples()
            #expect(thumbnail.sides == alone.sides)
            let ours = try Comparing.psnr(thumbnail.samples(), exact)
            let own = try Comparing.psnr(alone.samples(), exact)
            // Beyond 50 dB it is the rounding to 8 bits that is compared.
            #expect(ours >= min(own - 0.5, 50), "\(size): \(ours) dB, \(own) dB alone")
        }
    }

    @Test(
        "are the same bytes on every run and with any number of threads", arguments: ["jpg", "png", "webp"])
    func deterministic(_ format: String) throws {
        let making = try Making()
        let path = try making.save(Self.photo, "photo.jpg")
        let runs = try [1, 2, 1, 2].map { threads in
            try making.make(path, ["150", "75", "30"]) {
                $0.format = PictureFormat(fileExtension: format)!
                $0.threads = threads
                $0.makesPlaceholder = true
            }
        }
        for run in runs { #expect(run == runs[0]) }
    }

    @Test("are the same bytes beside others that are made at once")
    func beside() async throws {
        let making = try Making()
        let paths = try (0..<6).map { index in
            try making.save(TestImages.photo(width: 100, height: 65, seed: UInt64(index)), "\(index).jpg")
        }
        let maker = ThumbnailMaker(ThumbnailRecipe(sizes: [ThumbnailSize(60), ThumbnailSize(24)]))
        let alone = try paths.map { try maker.make($0) }
        let together = try await withThrowingTaskGroup(of: (Int, ThumbnailSet).self) { group in
            for (index, path) in paths.enumerated() {
                group.addTask { (index, try await BlockingExecutor.shared.run { try maker.make(path) }) }
            }
            return try await group.reduce(into: [Int: ThumbnailSet]()) { $0[$1.0] = $1.1 }
        }
        #expect(paths.indices.map { together[$0] } == alone)
    }
}
