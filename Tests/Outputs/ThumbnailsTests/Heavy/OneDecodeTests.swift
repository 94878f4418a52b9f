internal import Basics
import TestHarness
import TestSupport
import Testing
import Thumbnails
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Thumbnails of one decode")
struct OneDecodeTests {
    static let sizes = ["160", "40", "120", "20", "150", "50x75!", "39"]
    static let photo = try! TestImages.photo(width: 320, height: 243)

    @Test(
        "are as good as separate decodes, to within half a decibel",
        arguments: ["jpg", "png", "webp"])
    func quality(_ ending: String) throws {
        let making = try Making()
        let path = try making.save(Self.photo, "photo.\(ending)")
        let whole = try VipsImage.load(path, with: VipsImage.loader(for: path), [:])
        let together = try making.make(path, Self.sizes).thumbnails
        #expect(together.map(\.size.description) == Self.sizes)
        for (size, thumbnail) in zip(Self.sizes, together) {
            let alone = try making.make(path, [size]).thumbnails[0]
            #expect(thumbnail.sides == alone.sides)
            let exact = try Lanczos.picture(of: whole, width: alone.width, height: alone.height)
            let ours = try Lanczos.psnr(thumbnail.samples(), exact)
            let own = try Lanczos.psnr(alone.samples(), exact)
            #expect(own > 40, "\(size)")
            #expect(ours >= own - 0.5, "\(size): \(ours) dB, \(own) dB alone")
        }
    }

    @Test(
        "that are cropped equal the same part of the reference",
        arguments: [(CropMode.low, 0), (.center, 39), (.high, 78)], ["jpg", "png", "webp"])
    func cropped(_ crop: (mode: CropMode, x: Int), _ ending: String) throws {
        let making = try Making()
        let path = try making.save(TestImages.clouds(width: 321, height: 243), "photo.\(ending)")
        let whole = try VipsImage.load(path, with: VipsImage.loader(for: path), [:])
        let part = try whole.cropped(to: PixelRect(x: crop.x, y: 0, width: 243, height: 243))
        for thumbnail in try making.make(path, ["150", "60", "20"], { $0.crop = crop.mode }).thumbnails {
            #expect(thumbnail.width == thumbnail.height)
            let exact = try Lanczos.picture(of: part, width: thumbnail.width, height: thumbnail.height)
            let quality = try Lanczos.psnr(thumbnail.samples(), exact)
            #expect(quality > 40, "\(thumbnail.size): \(quality) dB")
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

    @Test("are the same bytes in concurrent tasks")
    func beside() async throws {
        let making = try Making()
        let paths = try (0..<6).map { index in
            try making.save(TestImages.photo(width: 100, height: 65, seed: UInt64(index)), "\(index).jpg")
        }
        let maker = ThumbnailMaker(ThumbnailRecipe(sizes: [ThumbnailSize(60), ThumbnailSize(24)]))
        let alone = try paths.map { try maker.makeSynchronously($0) }
        let together = try await withThrowingTaskGroup(of: (Int, ThumbnailSet).self) { group in
            for (index, path) in paths.enumerated() {
                group.addTask { (index, try await maker.make(path)) }
            }
            return try await group.reduce(into: [Int: ThumbnailSet]()) { $0[$1.0] = $1.1 }
        }
        #expect(paths.indices.map { together[$0] } == alone)
    }
}
