import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

/// Comparisons of JPEGs read without and with libvips.
@Suite("A JPEG opened without libvips if possible")
struct JPEGOpeningTests {
    /// A variant of a JPEG.
    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bands = 3
        var arguments: [String: VipsArgument] = [:]
        var profile: String?

        static let all: [Kind] = [
            Kind(testDescription: "4:2:0"),
            Kind(testDescription: "4:4:4", arguments: ["subsample_mode": .name("off")]),
            Kind(testDescription: "grey", bands: 1),
            Kind(testDescription: "optimised", arguments: ["optimize_coding": .bool(true)]),
            Kind(testDescription: "with restart markers", arguments: ["restart_interval": .int(3)]),
            Kind(testDescription: "progressive", arguments: ["interlace": .bool(true)]),
            Kind(
                testDescription: "progressive 4:4:4",
                arguments: ["interlace": .bool(true), "subsample_mode": .name("off")]),
            Kind(testDescription: "progressive gray", bands: 1, arguments: ["interlace": .bool(true)]),
            Kind(testDescription: "in sRGB by a profile", profile: "srgb"),
            Kind(testDescription: "in Display P3", profile: "p3"),
        ]
    }

    @Test(
        "has the same header, orientation and pixels as with libvips", arguments: Kind.all,
        Orientation.allCases)
    func same(_ kind: Kind, _ orientation: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        var image = try TestImages.photo(width: 211, height: 147, bands: kind.bands)
        if let profile = kind.profile {
            image = try image.transformed(toProfile: profile, embedded: false, input: "srgb", depth: 8)
        }
        try image.save(path, oriented: orientation, kind.arguments)
        let ours = try ImageFile.open(path)
        // This option makes libvips read the file from the top, although it is complete.
        var options = OpenOptions()
        options.allowsTruncated = true
        let theirs = try ImageFile.open(path, options)
        #expect(ours.reading == "regions of a scan" && theirs.reading.hasSuffix("shrinks on load"))
        #expect(ours.storedSize == theirs.storedSize && ours.uprightSize == theirs.uprightSize)
        #expect(ours.orientation == orientation && theirs.orientation == orientation)
        #expect(ours.exif == theirs.exif)
        #expect(
            (ours.profile == nil) == (kind.profile == nil) && (theirs.profile == nil) == (kind.profile == nil)
        )
        #expect(ours.interpretation == theirs.interpretation && ours.bands == theirs.bands)
        #expect(ours.pyramid == theirs.pyramid)
        for scale in [1, 0.5, 0.37, 0.12, 0.05] {
            let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 140, height: 140), scale: scale)
            for background in [Color.transparent, .white] {
                var options = RenderOptions()
                options.background = background
                let renderer = ViewportRenderer(options: options)
                let one = try renderer.renderSynchronously(viewport, of: ours).picture
                let other = try renderer.renderSynchronously(viewport, of: theirs).picture
                #expect(one.bands == other.bands && one.hasAlpha == other.hasAlpha && one.size == other.size)
                let isEqual = one.bytes == other.bytes
                #expect(isEqual, "\(scale) \(background)")
            }
        }
    }

    @Test("that only libvips can decode is opened with libvips", arguments: ["progressive CMYK", "cut"])
    func others(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        let photo = try TestImages.photo(width: 90, height: 70)
        switch kind {
        case "progressive CMYK":
            try photo.transformed(toProfile: "cmyk", embedded: false, input: "srgb", depth: 8)
                .save(path, with: "jpegsave", ["interlace": .bool(true)])
        default: try photo.save(path, with: "jpegsave")
        }
        guard kind == "cut" else {
            #expect(try ImageFile.open(path).reading.hasSuffix("shrinks on load"))
            return
        }
        try folder.data("photo.jpg").prefix(1200).write(to: URL(fileURLWithPath: path))
        #expect(throws: RenderingError.self) { try ImageFile.open(path) }
    }

    @Test(
        "is decoded in bands through its index, on any number of threads", arguments: [false, true], [1, 3])
    func bands(_ isProgressive: Bool, _ threads: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        let photo = try TestImages.photo(width: 1000, height: 800)
        try photo.save(path, with: "jpegsave", ["interlace": .bool(isProgressive)])
        var options = OpenOptions()
        options.threads = threads
        let file = try ImageFile.open(path, options)
        let indexed = try file.reading(from: #require(file.indexable).makingIndex())
        #expect(indexed.reading == "regions by index")
        let viewport = Viewport(imageRect: Rect(x: 33, y: 50, width: 900, height: 601), scale: 1)
        let picture = try ViewportRenderer().renderSynchronously(viewport, of: indexed).picture
        let expected = try VipsImage.load(path, with: "jpegload", [:]).cropped(
            to: PixelRect(x: 33, y: 50, width: 900, height: 601))
        let isEqual = try picture.bytes == expected.pixels().copied()
        #expect(isEqual)
    }

    @Test("on a background has the same pixels as with libvips", arguments: [1, 3], Orientation.allCases)
    func background(_ bands: Int, _ orientation: Orientation) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 60, height: 44, bands: bands).save(path, oriented: orientation)
        let file = try ImageFile.open(path)
        let viewport = Viewport(imageRect: Rect(x: -9, y: 5, width: 80, height: 31), scale: 0.9)
        for background in ["white", "black", "transparent", "#336699", "#20406080"] {
            var options = RenderOptions()
            options.background = try #require(Color(css: background))
            let picture = try ViewportRenderer(options: options).renderSynchronously(viewport, of: file)
                .picture
            // libvips composes pictures of 16 bits.
            options.depth = 16
            let deep = try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
            #expect(picture.bands == deep.bands && picture.hasAlpha == deep.hasAlpha)
            let expected = stride(from: 1, to: deep.bytes.count, by: 2).map { deep.bytes[$0] }
            #expect(Comparing.greatestDifference(picture.bytes, expected)! <= 1, "\(background)")
        }
    }
}
