import Foundation
import TestSupport
import Testing
import Thumbnails
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A thumbnail of")
struct KindsTests {
    // MARK: Colors

    static let swatches: [[UInt8]] = [[200, 120, 40], [128, 128, 128], [230, 220, 200]]

    @Test("P3, CMYK, Lab and 16 bits shows the colors in sRGB", arguments: swatches)
    func colors(_ color: [UInt8]) throws {
        let flat = try TestImages.flat(color, width: 16, height: 16)
        let wide = try flat.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: 8)
        let ink = try flat.transformed(toProfile: "cmyk", embedded: false, input: "srgb", depth: 8)
        let lab = try flat.converted(to: "lab")
        let deep = try flat.scaled(by: 257).cast(to: .uint16).relabelled("rgb16")
        for (image, tolerance) in [(wide, 3), (ink, 16), (lab, 1), (deep, 0)] {
            let making = try Making()
            let path = try making.save(image, "image.tif")
            let thumbnail = try making.make(path, ["8"]).thumbnails[0]
            let samples = try thumbnail.samples()
            #expect(samples.count == 8 * 8 * 3)
            let difference = Comparing.greatestDifference(Array(samples[0..<3]), color)
            #expect(try #require(difference) <= tolerance, "\(image.interpretation)")
            #expect(try thumbnail.decoded().blob("icc-profile-data") == nil)
        }
    }

    @Test("sRGB in Display P3 has other numbers, the profile and the same colors", arguments: swatches)
    func displayP3(_ color: [UInt8]) throws {
        let making = try Making()
        let path = try making.save(TestImages.flat(color, width: 16, height: 16), "image.png")
        for format in ["png", "jpg", "webp"] {
            let wide = try making.make(path, ["8"]) {
                $0.color = .p3
                $0.format = .init(rawValue: format)!
                $0.quality = 100
            }.thumbnails[0].decoded()
            let expected = try TestImages.flat(color, width: 1, height: 1).transformed(
                toProfile: "p3", embedded: false, input: "srgb", depth: 8)
            #expect(wide.blob("icc-profile-data") == expected.blob("icc-profile-data"), "\(format)")
            let difference = try Comparing.greatestDifference(
                Array(wide.pixels().copied()[0..<3]), expected.pixels().copied())
            #expect(try #require(difference) <= 3, "\(format)")
        }
    }

    @Test("P3 with color keep has its numbers and its profile")
    func kept() throws {
        let flat = try TestImages.flat([200, 120, 40], width: 16, height: 16)
        let wide = try flat.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: 8)
        let made = try Making().make(wide, "8") { $0.color = .keep }.thumbnails[0].decoded()
        #expect(try Array(made.pixels().copied()[0..<3]) == Array(wide.pixels().copied()[0..<3]))
        #expect(made.blob("icc-profile-data") == wide.blob("icc-profile-data"))
    }

    @Test("a white shape on transparent black has no dark edge", arguments: ["png", "webp", "jpg"])
    func halo(_ format: String) throws {
        var bytes = [UInt8](repeating: 0, count: 64 * 64 * 4)
        for y in 20..<45 { for x in 20..<45 { for band in 0..<4 { bytes[(y * 64 + x) * 4 + band] = 255 } } }
        let image = try VipsImage.pixels(
            bytes, width: 64, height: 64, bands: 4, format: .uint8, interpretation: "srgb")
        let set = try Making().make(image, "30", "13") {
            $0.format = .init(rawValue: format)!
            $0.quality = 100
        }
        for thumbnail in set.thumbnails {
            let samples = try thumbnail.samples()
            let bands = samples.count / (thumbnail.width * thumbnail.height)
            #expect(bands == (format == "jpg" ? 3 : 4))
            for pixel in stride(from: 0, to: samples.count, by: bands) {
                // Formats without transparency have a white background.
                guard bands == 3 || samples[pixel + 3] > 16 else { continue }
                #expect(samples[pixel..<(pixel + 3)].allSatisfy { $0 > 250 })
            }
        }
    }

    // MARK: Metadata

    @Test("a photo has metadata only on request", arguments: ["jpg", "png", "webp"])
    func writing(_ format: String) throws {
        let making = try Making()
        let path = making.folder.path("photo.jpg")
        try TestImages.photo(width: 64, height: 32).save(path, oriented: .right)
        for keeps in [false, true] {
            let made = try making.make(path, ["16"]) {
                $0.format = .init(rawValue: format)!
                $0.keepsMetadata = keeps
            }.thumbnails[0]
            #expect(made.sides == [8, 16])
            let decoded = try made.decoded()
            #expect(decoded.has("exif-data") == keeps)
            // The pixels are upright, so the orientation is 1.
            #expect(decoded.int("orientation") ?? 1 == 1)
        }
    }

    // MARK: Animations

    static func film(_ making: Making, frames: Int, ending: String) throws -> String {
        let pictures = try (0..<frames).map { frame in
            try CropTests.scene(width: 120, height: 60, x: 60 * (frame % 2), y: 0)
        }
        let strip = try VipsImage.column(of: pictures).animated(
            pageHeight: 60, delays: (0..<frames).map { 40 + 10 * $0 }, loop: 3)
        return try making.save(strip, "film.\(ending)")
    }

    @Test("an animation keeps all frames, delays and the loop count", arguments: ["gif", "webp"])
    func frames(_ ending: String) throws {
        let making = try Making()
        let path = try Self.film(making, frames: 30, ending: ending)
        for crop in [CropMode.none, .low] {
            let set = try making.make(path, ["60", "20"]) {
                $0.format = .webp
                $0.frames = .all
                $0.crop = crop
            }
            #expect(set.kind == .animation && set.frames == 30)
            #expect(
                set.thumbnails.map(\.sides)
                    == (crop == .none ? [[60, 30], [20, 10]] : [[60, 60], [20, 20]]))
            for thumbnail in set.thumbnails {
                let film = try thumbnail.decoded()
                #expect(film.height == 30 * thumbnail.height && film.width == thumbnail.width)
                #expect(film.int("n-pages") == 30 && film.int("loop") == 3)
                #expect(film.ints("delay") == (0..<30).map { 40 + 10 * $0 })
                guard crop == .low else { continue }
                // The left half is bright in every other frame, because frames are cropped separately.
                let samples = try film.pixels().copied()
                let frameBytes = samples.count / 30
                for frame in 0..<30 {
                    let part = samples[(frame * frameBytes)..<((frame + 1) * frameBytes)]
                    let bytes = stride(from: part.startIndex, to: part.endIndex, by: film.bands)
                    #expect(bytes.contains { part[$0] > 150 } == (frame % 2 == 0), "\(frame)")
                }
            }
        }
    }

    @Test("an animation is one frame if the format or the recipe has one")
    func oneFrame() throws {
        let making = try Making()
        let path = try Self.film(making, frames: 4, ending: "gif")
        for (format, frames, isLeft) in [("png", "all", true), ("webp", "first", true), ("jpg", "3", false)] {
            let thumbnail = try making.make(path, ["60"]) {
                $0.format = .init(rawValue: format)!
                $0.frames = .init(frames)!
                $0.crop = .low
            }.thumbnails[0]
            #expect(thumbnail.sides == [60, 60])
            #expect(try thumbnail.samples().contains { $0 < 30 } == isLeft, "\(format)")
        }
        #expect(throws: ThumbnailError.rendering(.noSuchPage(file: path, page: 4, pages: 4))) {
            try making.make(path, ["60"]) { $0.frames = .number(4) }
        }
    }

    // MARK: Drawings

    @Test("a drawing is rendered at the requested size")
    func drawing() async {
        // Once allowed, loaders stay so, which other tests of this process would see.
        await #expect(processExitsWith: .success) {
            let making = try Making()
            let path = making.folder.path("drawing.svg")
            let text = """
                <svg xmlns="http://www.w3.org/2000/svg" width="16" height="8"><rect width="8" height="8"/></svg>
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let set = try making.make(path, ["256"]) {
                $0.allowsUntrusted = true
                $0.format = .jpg
                $0.quality = 100
            }
            #expect(set.kind == .document && set.thumbnails[0].sides == [256, 128])
            let samples = try set.thumbnails[0].samples()
            let bands = samples.count / (256 * 128)
            // Enlarging pixels would give a gradient between black and white.
            let row = (0..<256).map { samples[(64 * 256 + $0) * bands] }
            #expect(row[..<124].allSatisfy { $0 < 10 } && row[132...].allSatisfy { $0 > 245 })
        }
    }

    @Test("a PDF is its first page")
    func document() async {
        // Once allowed, loaders stay so, which other tests of this process would see.
        await #expect(processExitsWith: .success) {
            let making = try Making()
            let path = making.folder.path("pages.pdf")
            try Data(KindsTests.pages(of: ["1 0 0", "0 0 1"]).utf8).write(to: URL(fileURLWithPath: path))
            let set = try making.make(path, ["30"]) { $0.allowsUntrusted = true }
            #expect(set.kind == .document && set.thumbnails[0].sides == [30, 15])
            let samples = try set.thumbnails[0].samples()
            #expect(samples[0] > 240 && samples[1] < 15 && samples[2] < 15)
        }
    }

    /// Returns a PDF with pages of 200 x 100 points, each of one color.
    fileprivate static func pages(of colors: [String]) -> String {
        let kids = colors.indices.map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
        let pages = colors.enumerated().map { index, color in
            let content = "\(color) rg 0 0 200 100 re f"
            return """
                \(3 + 2 * index) 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents \(4 + 2 * index) 0 R>> endobj
                \(4 + 2 * index) 0 obj <</Length \(content.utf8.count)>> stream
                \(content)
                endstream endobj

                """
        }
        return """
            %PDF-1.4
            1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
            2 0 obj <</Type/Pages/Kids[\(kids)]/Count \(colors.count)>> endobj
            \(pages.joined())trailer <</Root 1 0 R>>
            %%EOF

            """
    }

    @Test("an AVIF shows the image, if libvips writes AVIF")
    func avif() throws {
        guard (try? VipsOperation("heifsave")) != nil else { return }
        let making = try Making()
        let photo = try TestImages.clouds(width: 160, height: 96)
        let path = making.folder.path("photo.avif")
        try photo.save(path, with: "heifsave", ["compression": .name("av1"), "Q": .int(90)])
        let made = try making.make(path, ["40"]).thumbnails[0]
        let exact = try making.make(photo, "40").thumbnails[0]
        #expect(made.sides == [40, 24])
        #expect(try Comparing.psnr(made.samples(), exact.samples()) > 30)
    }

    // MARK: Invalid and tiny files

    @Test("a damaged file is an error with a code", arguments: ["jpg", "png", "webp", "gif", "tif"])
    func broken(_ ending: String) throws {
        let making = try Making()
        let path = try making.save(TestImages.photo(width: 64, height: 48), "photo.\(ending)")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let codes: Set = ["damaged", "truncated", "unknown-format", "empty"]
        for count in [0, 1, 12, 40, whole.count / 3, whole.count / 2] {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            do {
                _ = try making.make(path, ["32"])
                // Some decoders accept incomplete data.
                #expect(count > 40, "\(count)")
            } catch let error as ThumbnailError {
                #expect(codes.contains(error.code), "\(error)")
                #expect("\(error)".hasPrefix(path))
            }
        }
        #expect(throws: ThumbnailError.rendering(.missing(file: "no-such"))) {
            try making.make("no-such", ["9"])
        }
    }

    @Test("one pixel is that pixel", arguments: ["jpg", "png", "webp", "gif", "tif"])
    func tiny(_ ending: String) throws {
        let making = try Making()
        let path = try making.save(TestImages.flat([200, 120, 40], width: 1, height: 1), "dot.\(ending)")
        for crop in CropMode.allCases {
            let set = try making.make(path, ["128", "1x", "x7>"]) {
                $0.crop = crop
                $0.makesPlaceholder = true
            }
            #expect(set.thumbnails.map(\.sides) == [[1, 1], [1, 1], [1, 1]])
            let difference = try Comparing.greatestDifference(
                Array(set.thumbnails[0].samples()[0..<3]), [200, 120, 40])
            #expect(try #require(difference) < 12)
        }
    }
}
