import Containers
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import PictureEncoding

@Suite("The colors of a file")
struct StatedColorTests {
    private static let displayP3 = CodedColors(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
        .profile

    /// A picture of red, green and gray thirds.
    private static func picture(_ profile: [UInt8]?, alpha: UInt8? = nil) -> Picture {
        let colors: [[UInt8]] = [[255, 0, 0], [0, 200, 60], [128, 128, 128]]
        let pixels = (0..<(48 * 16)).flatMap { colors[$0 % 48 / 16] + [alpha].compactMap(\.self) }
        return Picture(
            size: PixelSize(width: 48, height: 16), bands: alpha == nil ? 3 : 4, depth: 8,
            hasAlpha: alpha != nil,
            profile: profile, interpretation: "srgb", bytes: pixels)
    }

    /// Returns the middles of the thirds as sRGB, as libvips' loader and the file's profile give them.
    private static func colors(_ file: [UInt8], _ loader: String) throws -> [[Int]] {
        let image = try VipsImage.load(bytes: file, with: loader)
        let converted = image.blob("icc-profile-data") == nil ? image : try image.convertedToSRGB()
        let pixels = try converted.pixels().copied()
        return [8, 24, 40].map { x in
            let at = (8 * converted.width + x) * converted.bands
            return pixels[at..<(at + 3)].map(Int.init)
        }
    }

    private static let loaders: [PictureFormat: String] = [
        .png: "pngload_buffer", .jpg: "jpegload_buffer", .webp: "webpload_buffer", .avif: "heifload_buffer",
        .tif: "tiffload_buffer", .gif: "gifload_buffer",
    ]

    @Test("are stated or converted to sRGB in every format", arguments: PictureFormat.installed)
    func formats(_ format: PictureFormat) throws {
        let encoder = PictureEncoder(format, quality: [.jpg, .webp, .avif].contains(format) ? 95 : nil)
        // Computed with the profile's matrix: the green of Display P3 is outside of sRGB.
        let expected = [[255, 0, 0], [0, 204, 14], [128, 128, 128]]
        let file = try encoder.encodeSynchronously(Self.picture(Self.displayP3))
        guard let loader = Self.loaders[format] else {
            // The box that says sRGB; libvips does not trust its loader.
            #expect(format == .jp2 && file.firstIndex(of: "\u{1}\0\0\0\0\0\u{10}") != nil)
            return
        }
        for (got, wanted) in zip(try Self.colors(file, loader), expected) {
            #expect(zip(got, wanted).allSatisfy { abs($0 - $1) <= 12 }, "\(got) instead of \(wanted)")
        }
        let plain = try encoder.encodeSynchronously(Self.picture(nil))
        #expect(try VipsImage.load(bytes: plain, with: loader).blob("icc-profile-data") == nil)
        for (got, wanted) in zip(
            try Self.colors(plain, loader), [[255, 0, 0], [0, 200, 60], [128, 128, 128]])
        {
            #expect(zip(got, wanted).allSatisfy { abs($0 - $1) <= 12 }, "\(got) instead of \(wanted)")
        }
    }

    @Test("keep their alpha where they are converted")
    func alpha() throws {
        let image = try Self.picture(Self.displayP3, alpha: 77).image().convertedToSRGB()
        #expect(image.bands == 4 && image.hasAlpha && image.blob("icc-profile-data") == nil)
        #expect(try image.pixels().copied()[3] == 77)
    }

    @Test(
        "are stated by numbers in AVIF, without EXIF that the source lacks",
        .enabled(if: PictureFormat.installed.contains(.avif)))
    func avif() throws {
        for (profile, primaries, transfer) in [
            (nil, 1, 13), (Self.displayP3, 12, 13), (ICCProfile.adobeRGB, 2, 2),
        ] as [([UInt8]?, Int, Int)] {
            for alpha in [nil, 100] as [UInt8?] {
                let file = try PictureEncoder(.avif).encodeSynchronously(Self.picture(profile, alpha: alpha))
                let items = try #require(HEIFItems(FileBytes(file)))
                let picture = try #require(items.primary.flatMap { items[$0] })
                #expect(picture.colors?.primaries == primaries && picture.colors?.transfer == transfer)
                #expect(picture.profile.map { Array(file[$0]) } == profile)
                #expect(items.exif(in: FileBytes(file)) == nil && items.xmp == nil)
                #expect(try VipsImage.load(bytes: file, with: "heifload_buffer").hasAlpha == (alpha != nil))
            }
        }
    }
}
