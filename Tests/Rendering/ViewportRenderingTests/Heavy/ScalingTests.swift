import Resampling
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A scaled viewport")
struct ScalingTests {
    static func file(_ folder: TemporaryFolder, width: Int = 400, height: Int = 300) throws -> ImageFile {
        let path = folder.path("image.jpg")
        try TestImages.photo(width: width, height: height).save(path, with: "jpegsave")
        return try ImageFile.open(path)
    }

    static func picture(
        _ file: ImageFile, _ x: Double, _ y: Double, _ scale: Double, width: Int = 40, height: Int = 30,
        kernel: ResamplingKernel? = nil
    ) throws -> Picture {
        var options = RenderOptions()
        options.kernel = kernel
        let rect = Rect<ImageSpace>(x: x, y: y, width: Double(width) / scale, height: Double(height) / scale)
        return try ViewportRenderer(options: options).renderSynchronously(
            Viewport(imageRect: rect, size: PixelSize(width: width, height: height)), of: file
        ).picture
    }

    @Test(
        "moved by one output pixel shows the same picture, moved by one pixel",
        arguments: [0.11, 0.2, 0.25, 0.37, 0.5, 0.9, 1.0, 1.3, 2, 3.7, 8, 11])
    func shift(_ scale: Double) throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder)
        let (x, y) = scale < 0.2 ? (20.3, 11.7) : (101.3, 77.7)
        let size = scale < 0.2 ? 20 : 40
        let here = try Self.picture(file, x, y, scale, width: size, height: size)
        let there = try Self.picture(
            file, x + 1 / scale, y + 1 / scale, scale, width: size - 1, height: size - 1)
        for row in 0..<(size - 1) {
            let a = here.bytes[((row + 1) * size + 1) * 3..<((row + 2) * size) * 3]
            let b = there.bytes[row * (size - 1) * 3..<(row + 1) * (size - 1) * 3]
            #expect(a.elementsEqual(b), "row \(row)")
        }
    }

    @Test("in tiles has no seams", arguments: [0.3, 0.5, 1.7, 6])
    func seams(_ scale: Double) throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder)
        let whole = try Self.picture(file, 50, 40, scale, width: 60, height: 40)
        let right = try Self.picture(file, 50 + 30 / scale, 40, scale, width: 30, height: 40)
        for row in 0..<40 {
            let a = whole.bytes[(row * 60 + 30) * 3..<(row + 1) * 60 * 3]
            #expect(a.elementsEqual(right.bytes[row * 30 * 3..<(row + 1) * 30 * 3]), "row \(row)")
        }
    }

    @Test(
        "is as good as libvips' thumbnail to within 1.5 dB, compared with a lanczos3 resize of the full decode",
        arguments: [
            (100, 75), (50, 38), (33, 25),
        ])
    func quality(_ width: Int, _ height: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("clouds.jpg")
        try TestImages.clouds(width: 800, height: 600).save(path, with: "jpegsave")
        let file = try ImageFile.open(path)
        let full = try VipsImage.load(file.path, with: "jpegload", [:])
        let resize = try full.operation("resize")
        try resize.set("scale", .double(Double(width) / 800))
        try resize.set("vscale", .double(Double(height) / 600))
        let reference = try resize.image().pixels().copied()
        let thumbnail = try VipsOperation("thumbnail")
        try thumbnail.set("filename", .string(file.path))
        try thumbnail.set("width", .int(width))
        try thumbnail.set("height", .int(height))
        try thumbnail.set("size", .name("force"))
        let theirs = Comparing.psnr(try thumbnail.image().pixels().copied(), reference)
        let viewport = Viewport(
            imageRect: Rect(x: 0, y: 0, width: 800, height: 600),
            size: PixelSize(width: width, height: height))
        let (picture, report) = try ViewportRenderer().renderSynchronously(viewport, of: file)
        #expect(Comparing.psnr(picture.bytes, reference) >= theirs - 1.5)
        #expect(report.level!.index > 0, "it was shrunk while it was decoded")
    }

    @Test(
        "leaves a factor of two for the kernel",
        arguments: [
            (1.0, 0), (0.5, 0), (0.26, 0), (0.25, 1), (0.13, 1), (0.125, 2), (0.0625, 3),
        ])
    func level(_ scale: Double, _ level: Int) throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 400, height: 300), scale: scale)
        #expect(try ViewportRenderer().renderSynchronously(viewport, of: file).report.level?.index == level)
    }

    @Test("has the same position at every level and in every orientation", arguments: Orientation.allCases)
    func phase(_ orientation: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.jpg")
        // 403 and 301 are not multiples of 8, so the last block is partial, at any edge after rotation.
        try TestImages.photo(width: 403, height: 301).withOrientation(orientation)
            .save(path, with: "jpegsave", ["Q": .int(95)])
        let file = try ImageFile.open(path)
        let upright = try VipsImage.load(path, with: "jpegload", [:]).turned(orientation).pixels().copied()
        let size = file.uprightSize
        let viewport = Viewport(imageRect: Rect(origin: .zero, size: size.imageSize), scale: 0.11)
        let small = try ViewportRenderer().renderSynchronously(viewport, of: file)
        // The same viewport from full resolution, with the same kernel.
        let layout = SampleLayout(type: .uint8, bands: 3, hasAlpha: false)
        func axis(_ length: Int, _ count: Int) -> AxisWeights {
            AxisWeights(
                from: SamplingGrid(origin: 0, step: 1, count: length),
                to: SamplingGrid(origin: 0, step: 1 / 0.11, count: count), kernel: .lanczos3)
        }
        var resampler = RowResampler(
            horizontal: axis(size.width, small.picture.size.width),
            vertical: axis(size.height, small.picture.size.height), layout: layout, sourceWidth: size.width)
        for y in 0..<size.height {
            resampler.push(unsafe Array(upright[y * size.width * 3..<(y + 1) * size.width * 3]).span.bytes)
        }
        #expect(small.report.level?.index == 2)
        #expect(Comparing.psnr(small.picture.bytes, resampler.pixels) > 38)
    }

    @Test("above zoom 1 interpolates with pixels beyond its edges")
    func edges() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        try TestImages.photo(width: 60, height: 60).save(path, with: "pngsave")
        let file = try ImageFile.open(path)
        let whole = try Self.picture(file, 0, 0, 4, width: 240, height: 240)
        let part = try Self.picture(file, 20, 20, 4, width: 40, height: 40)
        for row in 0..<40 {
            let a = whole.bytes[((80 + row) * 240 + 80) * 3..<((80 + row) * 240 + 120) * 3]
            #expect(a.elementsEqual(part.bytes[row * 40 * 3..<(row + 1) * 40 * 3]))
        }
    }

    @Test("shows pixels as squares from zoom 8")
    func squares() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        try TestImages.photo(width: 20, height: 20).save(path, with: "pngsave")
        let picture = try Self.picture(try ImageFile.open(path), 2, 2, 8, width: 32, height: 32)
        for y in stride(from: 0, to: 32, by: 8) {
            let first = picture.bytes[y * 32 * 3..<y * 32 * 3 + 3]
            for row in y..<(y + 8) {
                for x in 0..<8 {
                    #expect(
                        picture.bytes[(row * 32 + x) * 3..<(row * 32 + x) * 3 + 3] == first
                            || picture.bytes[(row * 32 + x) * 3..<(row * 32 + x) * 3 + 3].elementsEqual(first)
                    )
                }
            }
        }
    }

    @Test("with each kernel is close to the others", arguments: ResamplingKernel.allCases)
    func kernels(_ kernel: ResamplingKernel) throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder)
        let a = try Self.picture(file, 100, 100, 1.5, kernel: kernel)
        let b = try Self.picture(file, 100, 100, 1.5, kernel: .cubic)
        #expect(Comparing.psnr(a.bytes, b.bytes) > 25)
    }
}
