import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import Vips

@testable import ViewportRendering

@Suite("The conversion to sRGB without libvips")
struct SRGBConversionTests {
    /// Profiles of curves and a matrix, as in photos of phones and cameras.
    static let profiles: [(name: String, profile: [UInt8]?)] = [
        ("Display P3", wide(12, 13)), ("BT.2020", wide(9, 13)), ("DCI-P3", wide(11, 4)),
        ("BT.601", wide(6, 8)), ("Adobe RGB", ICCProfile.adobeRGB),
    ]

    private static func wide(_ primaries: Int, _ transfer: Int) -> [UInt8]? {
        CodedColors(primaries: primaries, transfer: transfer, matrix: 6, isFullRange: true).profile
    }

    /// Colors on a grid, with black, white and the primaries, and others at random.
    private func colors(hasAlpha: Bool) -> StoredPicture {
        var bytes: [UInt8] = []
        let steps: [UInt8] = [0, 1, 2, 7, 16, 40, 90, 127, 128, 180, 220, 250, 254, 255]
        for red in steps {
            for green in steps {
                for blue in steps { bytes += [red, green, blue] + (hasAlpha ? [red ^ green] : []) }
            }
        }
        var random = SplitMix64(seed: 3)
        let bands = hasAlpha ? 4 : 3
        while bytes.count < 20_000 * bands { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        return StoredPicture(bytes: bytes, width: bytes.count / bands, height: 1)
    }

    @Test("equals that of LittleCMS in every color", arguments: profiles.map(\.name), [false, true])
    func equality(_ name: String, _ hasAlpha: Bool) throws {
        let profile = try #require(Self.profiles.first { $0.name == name }?.profile)
        let format = SourcePixelFormat.rgb(hasAlpha: hasAlpha, profile: profile)
        let picture = colors(hasAlpha: hasAlpha)
        let options = RenderOptions()
        let conversion = try #require(SRGBConversion(options, format))
        let converted = conversion.converted(picture, hasAlpha: hasAlpha)
        let expected = try ColorConversion(options, format).apply(to: picture.image(format)).pixels().copied()
        #expect(converted.bytes == expected)
        #expect(converted.bytes != picture.bytes)
        #expect(conversion.format(format) == .rgb(hasAlpha: hasAlpha))
    }

    @Test("leaves profiles with tables, other colors and other targets to libvips")
    func others() throws {
        let p3 = SourcePixelFormat.rgb(profile: Self.wide(12, 13))
        var options = RenderOptions()
        #expect(SRGBConversion(options, p3) != nil)
        #expect(SRGBConversion(options, .rgb()) == nil)
        #expect(SRGBConversion(options, .rgb(.bits16, profile: p3.profile)) == nil)
        #expect(SRGBConversion(options, .gray(profile: p3.profile)) == nil)
        options.colorMode = .p3
        #expect(SRGBConversion(options, p3) == nil)
        options.colorMode = .keep
        #expect(SRGBConversion(options, p3) == nil)
        // libvips' profile of CMYK has lookup tables, and that of sRGB needs no conversion.
        let image = try TestImages.flat([1, 2, 3], width: 2, height: 2)
        let ink = try image.transformed(toProfile: "cmyk", embedded: false, input: "srgb", depth: 8)
        let tables = try #require(ink.blob("icc-profile-data"))
        #expect(SRGBConversion(RenderOptions(), .rgb(profile: tables)) == nil)
    }
}
