import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

private let exiftool = BuiltProgram(installed: "exiftool")
private let jpegtran = BuiltProgram(installed: "jpegtran")

/// The metadata that `--keep-metadata` and `--lossless` keep, read with ExifTool.
@Suite("Metadata", .enabled(if: exiftool != nil))
struct KeepMetadataTests {
    static let viewport = BuiltProgram("viewport")

    /// Returns a folder with a photo, stored rotated, with EXIF, XMP, IPTC, an ICC profile, a comment and a preview.
    static func folder(_ more: [String] = []) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 160, height: 128)
        try photo.save(
            folder.path("photo.jpg"), oriented: .right, ["profile": .string("p3")])
        try TestImages.photo(width: 16, height: 12).save(folder.path("small.jpg"), with: "jpegsave")
        let written = try await #require(exiftool).run(
            [
                "-q", "-overwrite_original", "-n", "-Make=Lens", "-Model=One",
                "-DateTimeOriginal=2014:05:25 10:00:00",
                "-GPSLatitude=46.2", "-GPSLatitudeRef=N", "-ExifImageWidth=160", "-ExifImageHeight=128",
                "-ColorSpace=65535", "-XMP-dc:Title=Lake", "-XMP-tiff:Orientation=6",
                "-XMP-exif:ExifImageWidth=160",
                "-IPTC:Keywords=water", "-Comment=hello", "-ThumbnailImage<=small.jpg",
            ] + more + ["photo.jpg"], in: folder.url)
        #expect(written.code == 0, "\(written.errors)")
        return folder
    }

    /// Returns the tags of a file by group and name, with numeric values.
    static func tags(_ name: String, in folder: TemporaryFolder) async throws -> [String: String] {
        let said = try await #require(exiftool).run(["-j", "-n", "-G1", "-a", name], in: folder.url)
        let list = try #require(try JSONSerialization.jsonObject(with: said.output) as? [[String: Any]])
        let warning = list[0].first { $0.key.hasSuffix(":Warning") }
        #expect(warning == nil, "\(String(describing: warning))")
        return list[0].mapValues { "\($0)" }
    }

    @Test("is kept by a lossless crop, with its size and without the preview; none drops it")
    func lossless() async throws {
        let folder = try await Self.folder()
        let cut = ["render", "photo.jpg", "--lossless", "--rect", "0,0,64,48", "-o"]
        #expect(try await Self.viewport.run(cut + ["cut.jpg"], in: folder.url).code == 0)
        let tags = try await Self.tags("cut.jpg", in: folder)
        let whole = try await Self.tags("photo.jpg", in: folder)
        // Upright 64 x 48 is 48 x 64 as stored.
        #expect(tags["File:ImageWidth"] == "48" && tags["File:ImageHeight"] == "64")
        #expect(tags["ExifIFD:ExifImageWidth"] == "48" && tags["ExifIFD:ExifImageHeight"] == "64")
        #expect(tags["XMP-exif:ExifImageWidth"] == "48" && tags["XMP-tiff:Orientation"] == "6")
        for tag in [
            "IFD0:Orientation", "IFD0:Make", "ExifIFD:DateTimeOriginal", "GPS:GPSLatitude", "XMP-dc:Title",
            "IPTC:Keywords", "ICC-header:ProfileCMMType", "ICC_Profile:ProfileDescription",
        ] {
            #expect(tags[tag] == whole[tag] && tags[tag] != nil, "\(tag)")
        }
        #expect(whole["IFD1:ThumbnailLength"] != nil && tags["IFD1:ThumbnailLength"] == nil)
        let none = try await Self.viewport.run(
            cut + ["bare.jpg", "--keep-metadata", "none"], in: folder.url)
        #expect(none.code == 0, "\(none.errors)")
        let bare = try await Self.tags("bare.jpg", in: folder)
        #expect(bare["IFD0:Orientation"] == "6", "it is how the pixels are seen")
        let groups = Set(bare.keys.compactMap { $0.split(separator: ":").first.map(String.init) })
        #expect(
            groups.isDisjoint(with: ["ExifIFD", "GPS", "IFD1", "IPTC", "ICC_Profile", "XMP-dc", "XMP-tiff"]))
    }

    @Test("equals that of jpegtran -copy all", .enabled(if: jpegtran != nil))
    func peer() async throws {
        let folder = try await Self.folder()
        let made = try await #require(jpegtran).run(
            ["-copy", "all", "-crop", "48x64+0+64", "-outfile", "peer.jpg", "photo.jpg"], in: folder.url)
        #expect(made.code == 0, "\(made.errors)")
        let cut = try await Self.viewport.run(
            ["render", "photo.jpg", "--lossless", "--rect", "0,0,64,48", "-o", "cut.jpg"], in: folder.url)
        #expect(cut.code == 0, "\(cut.errors)")
        let (ours, theirs) = (
            try await Self.tags("cut.jpg", in: folder), try await Self.tags("peer.jpg", in: folder)
        )
        let ignored = [
            "System:", "File:", "IFD1:", "ExifTool:", "Composite:", "JFIF:", "SourceFile", "XMP-exif:",
        ]
        for (tag, value) in theirs where !ignored.contains(where: tag.hasPrefix) {
            #expect(ours[tag] == value, "\(tag)")
        }
    }

    @Test("is kept by a render on request, upright", arguments: ["jpg", "png", "webp", "avif", "tif"])
    func render(_ ending: String) async throws {
        let folder = try await Self.folder()
        for (choice, isKept) in [
            ([], false), (["--keep-metadata"], true), (["--keep-metadata", "none"], false),
        ] {
            let result = try await Self.viewport.run(
                ["render", "photo.jpg", "--zoom", "0.5", "-o", "view.\(ending)"] + choice, in: folder.url)
            #expect(result.code == 0, "\(result.errors)")
            let tags = try await Self.tags("view.\(ending)", in: folder)
            #expect((tags["IFD0:Make"] == "Lens") == isKept, "\(tags)")
            #expect((tags["XMP-dc:Title"] == "Lake") == isKept)
            guard isKept else { continue }
            #expect(tags["IFD0:Orientation"] ?? "1" == "1")
            #expect(tags["ExifIFD:ExifImageWidth"] == "64" && tags["ExifIFD:ExifImageHeight"] == "80")
            #expect(tags["GPS:GPSLatitude"] == "46.2" && tags["IFD1:ThumbnailLength"] == nil)
            #expect(tags["XMP-tiff:Orientation"] == "1")
            if ending != "avif" { #expect(tags["ExifIFD:ColorSpace"] == "1") }
            if ["jpg", "png", "tif"].contains(ending) { #expect(tags["IPTC:Keywords"] == "water") }
            if ["webp", "avif"].contains(ending) {
                #expect(result.errors.contains("IPTC"), "\(result.errors)")
            }
        }
    }

    @Test("that is damaged does not prevent rendering")
    func broken() async throws {
        let folder = try await Self.folder()
        let data = try folder.data("photo.jpg")
        let start = try #require(data.range(of: Data("Exif\0\0".utf8))).upperBound
        var random = SplitMix64(seed: 5)
        for _ in 0..<25 {
            var damaged = data
            for _ in 0..<6 {
                damaged[start + Int(random.next() % 200)] = UInt8(truncatingIfNeeded: random.next())
            }
            try damaged.write(to: folder.url.appendingPathComponent("damaged.jpg"))
            for command in [["--lossless", "--rect", "0,0,48,48"], ["--keep-metadata", "all"]] {
                let result = try await Self.viewport.run(
                    ["render", "damaged.jpg", "-o", "out.jpg"] + command, in: folder.url)
                #expect(result.code == 0, "\(result.errors)")
                let picture = try VipsImage.load(folder.path("out.jpg"), with: "jpegload", [:])
                #expect(picture.width > 0)
            }
        }
    }
}
