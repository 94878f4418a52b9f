import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Colors")
struct ColorTests {
    static func render(
        _ image: VipsImage, as ending: String = "png", _ saver: String = "pngsave",
        _ arguments: [String: VipsArgument] = [:], _ change: (inout RenderOptions) -> Void = { _ in },
        zoom: Double = 1
    ) throws -> Picture {
        let folder = try TemporaryFolder()
        let path = folder.path("image.\(ending)")
        try image.save(path, with: saver, arguments)
        let file = try ImageFile.open(path)
        var options = RenderOptions()
        change(&options)
        let viewport = Viewport(imageRect: Rect(origin: .zero, size: file.uprightSize.imageSize), scale: zoom)
        return try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
    }

    static let swatches: [[UInt8]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [200, 120, 40], [128, 128, 128], [255, 255, 255],
        [10, 20, 30],
    ]

    @Test("of Display P3 are converted back to the original sRGB", arguments: swatches)
    func displayP3(_ color: [UInt8]) throws {
        let image = try TestImages.flat(color, width: 8, height: 8)
        let wide = try image.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: 8)
        let picture = try Self.render(wide)
        #expect(Comparing.greatestDifference(Array(picture.bytes[0..<3]), color)! <= 3)
        #expect(picture.profile == nil)
    }

    @Test("of Display P3 are kept with their profile on request")
    func kept() throws {
        let image = try TestImages.flat([200, 120, 40], width: 8, height: 8)
        let wide = try image.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: 8)
        let picture = try Self.render(wide) { $0.colorMode = .keep }
        #expect(try picture.bytes == wide.pixels().copied())
        #expect(picture.profile == wide.blob("icc-profile-data"))
    }

    @Test(
        "of CMYK with a profile are close to the originals",
        arguments: [[200, 120, 40], [128, 128, 128], [230, 220, 200]])
    func cmyk(_ color: [UInt8]) throws {
        let image = try TestImages.flat(color, width: 8, height: 8)
        let ink = try image.transformed(toProfile: "cmyk", embedded: false, input: "srgb", depth: 8)
        let picture = try Self.render(ink, as: "tif", "tiffsave")
        #expect(picture.bands == 3)
        #expect(Comparing.greatestDifference(Array(picture.bytes[0..<3]), color)! <= 16)
    }

    @Test("of CMYK without a profile are converted, too")
    func bareCMYK() throws {
        let image = try TestImages.flat([0, 0, 0, 0], width: 8, height: 8, interpretation: "cmyk")
        let picture = try Self.render(image, as: "tif", "tiffsave")
        #expect(picture.bytes[0] > 240 && picture.bytes[1] > 240 && picture.bytes[2] > 240, "no ink is white")
    }

    @Test("of Lab are converted to sRGB", arguments: swatches)
    func lab(_ color: [UInt8]) throws {
        let image = try TestImages.flat(color, width: 8, height: 8).converted(to: "lab")
        let picture = try Self.render(image, as: "tif", "tiffsave")
        #expect(Comparing.greatestDifference(Array(picture.bytes[0..<3]), color)! <= 1)
    }

    @Test("of 16 bits are 8 bits, or 16 on request", arguments: [8, 16])
    func deep(_ depth: Int) throws {
        let image = try TestImages.flat([10, 200, 77], width: 8, height: 8)
        let deep = try image.scaled(by: 257).cast(to: .uint16).relabelled("rgb16")
        let picture = try Self.render(deep) { $0.depth = depth }
        #expect(picture.depth == depth)
        #expect(try picture.bytes == (depth == 8 ? image : deep).pixels().copied())
    }

    @Test("of 8 bits cover the full range of 16 bits")
    func widened() throws {
        let image = try TestImages.flat([0, 128, 255], width: 4, height: 4)
        let picture = try Self.render(image) { $0.depth = 16 }
        #expect(Array(picture.bytes[0..<6]) == [0, 0, 128, 128, 255, 255])
    }

    @Test("of gray stay gray, with and without alpha", arguments: [1, 2])
    func gray(_ bands: Int) throws {
        let image = try TestImages.photo(width: 16, height: 16, bands: bands)
        let picture = try Self.render(image)
        #expect(picture.bands == bands)
        #expect(try picture.bytes == image.pixels().copied())
    }

    @Test("at a white edge on transparent black stay white", arguments: [0.5, 0.3, 1.5, 3])
    func whiteEdges(_ zoom: Double) throws {
        var bytes = [UInt8](repeating: 0, count: 64 * 64 * 4)
        for y in 20..<44 { for x in 20..<44 { for band in 0..<4 { bytes[(y * 64 + x) * 4 + band] = 255 } } }
        let image = try VipsImage.pixels(
            bytes, width: 64, height: 64, bands: 4, format: .uint8, interpretation: "srgb")
        let picture = try Self.render(image, zoom: zoom)
        var edges = 0
        for pixel in stride(from: 0, to: picture.bytes.count, by: 4) where picture.bytes[pixel + 3] > 0 {
            #expect(picture.bytes[pixel..<pixel + 3].allSatisfy { $0 == 255 })
            if picture.bytes[pixel + 3] < 255 { edges += 1 }
        }
        #expect(edges > 0)
    }

    @Test("keep their alpha when profile and depth are converted", arguments: [8, 16])
    func alphaThroughProfile(_ depth: Int) throws {
        let color = try TestImages.flat([200, 120, 40], width: 8, height: 8)
        let wide = try color.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: 8)
        let picture = try Self.render(wide.joined(constant: 128)) { $0.depth = depth }
        let alpha = depth == 8 ? Int(picture.bytes[3]) : Int(picture.bytes[6]) | Int(picture.bytes[7]) << 8
        #expect(abs(alpha - (depth == 8 ? 128 : 128 * 257)) <= (depth == 8 ? 0 : 128))
    }
}
