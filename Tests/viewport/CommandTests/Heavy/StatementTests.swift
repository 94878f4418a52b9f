import Foundation
import TestSupport
import Testing

private let exiftool = BuiltProgram(installed: "exiftool")

/// What the blocks of an output say of the same thing, read with ExifTool.
@Suite("The blocks of a file", .enabled(if: exiftool != nil))
struct StatementTests {
    private static let viewport = BuiltProgram("viewport")

    /// The names of equal statements.
    private static let subjects: [(name: String, tags: [String])] = [
        (
            "width",
            [
                "File:ImageWidth", "PNG:ImageWidth", "RIFF:ImageWidth", "IFD0:ImageWidth",
                "ExifIFD:ExifImageWidth",
                "XMP-tiff:ImageWidth", "XMP-exif:ExifImageWidth", "InteropIFD:RelatedImageWidth",
            ]
        ),
        (
            "height",
            [
                "File:ImageHeight", "PNG:ImageHeight", "RIFF:ImageHeight", "IFD0:ImageHeight",
                "ExifIFD:ExifImageHeight", "XMP-tiff:ImageHeight", "XMP-exif:ExifImageHeight",
                "InteropIFD:RelatedImageHeight",
            ]
        ),
        ("orientation", ["IFD0:Orientation", "XMP-tiff:Orientation"]),
        ("date", ["ExifIFD:DateTimeOriginal", "XMP-exif:DateTimeOriginal", "XMP-photoshop:DateCreated"]),
        ("color space", ["ExifIFD:ColorSpace", "XMP-exif:ColorSpace"]),
        ("resolution", ["IFD0:XResolution", "XMP-tiff:XResolution", "Photoshop:XResolution"]),
        ("unit", ["IFD0:ResolutionUnit", "XMP-tiff:ResolutionUnit"]),
    ]

    /// A photo of 160x128 that states everything in several blocks.
    private static let stated = [
        "-IFD0:XResolution=300", "-IFD0:YResolution=300", "-IFD0:ResolutionUnit=2",
        "-XMP-tiff:XResolution=300",
        "-XMP-tiff:YResolution=300", "-XMP-tiff:ResolutionUnit=2", "-XMP-tiff:ImageWidth=160",
        "-XMP-tiff:ImageHeight=128", "-XMP-exif:ExifImageHeight=128", "-XMP-exif:ColorSpace=65535",
        "-XMP-exif:DateTimeOriginal=2014:05:25 10:00:00", "-XMP-photoshop:DateCreated=2014:05:25 10:00:00",
        "-InteropIndex=R03", "-RelatedImageWidth=160", "-RelatedImageHeight=128",
    ]

    private static let edits: [[String]] = [
        ["convert", "photo.jpg"], ["resize", "photo.jpg", "64"], ["crop", "photo.jpg", "10,10,50,40"],
        ["convert", "photo.jpg", "--rotate", "90"],
        ["render", "photo.jpg", "-s", "100", "--keep-metadata"],
        ["render", "photo.jpg", "-s", "50", "--keep-metadata", "--color", "p3"],
    ]

    @Test("say the same", arguments: edits, ["jpg", "png", "webp", "tif", "avif"])
    func agree(_ edit: [String], _ ending: String) async throws {
        let folder = try await KeepMetadataTests.folder(Self.stated)
        try await Self.check(edit + ["-o", "out.\(ending)"], "out.\(ending)", in: folder)
    }

    @Test("say the same in copies without decoding")
    func lossless() async throws {
        let folder = try await KeepMetadataTests.folder(Self.stated)
        try await Self.check(
            ["render", "photo.jpg", "--lossless", "--rect", "0,0,64,48", "-o", "out.jpg"], "out.jpg",
            in: folder)
    }

    @Test("say the same in exports of a library, with an edited date", arguments: [[], ["--size", "60"]])
    func exports(_ options: [String]) async throws {
        let folder = try await KeepMetadataTests.folder(Self.stated)
        for command in [
            ["init", ".", "--quiet"], ["index", ".", "--quiet"],
            ["edit", ".", "photo.jpg", "--shift", "+1h", "--quiet"],
        ] {
            #expect(try await Self.viewport.run(["library"] + command, in: folder.url).code == 0)
        }
        let out = try TemporaryFolder()
        try await Self.check(
            ["library", "export", ".", "-o", out.path("o"), "--strip-location", "--quiet"] + options,
            nil, in: folder)
        let found = FileManager.default.enumerator(atPath: out.path("o"))?.compactMap { $0 as? String } ?? []
        let name = try #require(found.first { $0.hasSuffix("photo.jpg") })
        try await Self.compare(out.path("o") + "/" + name, in: folder)
    }

    private static func check(_ arguments: [String], _ output: String?, in folder: TemporaryFolder)
        async throws
    {
        let run = try await viewport.run(arguments, in: folder.url)
        #expect(run.code == 0, "\(run.errors)")
        if let output { try await compare(output, in: folder) }
    }

    private static func compare(_ name: String, in folder: TemporaryFolder) async throws {
        let tags = try await KeepMetadataTests.tags(name, in: folder)
        for subject in subjects {
            let values = subject.tags.compactMap { tag in tags[tag].map { (tag, $0) } }
            #expect(Set(values.map(\.1)).count <= 1, "\(subject.name): \(values)")
        }
        // Not for want of anything to compare.
        #expect(tags["ExifIFD:DateTimeOriginal"] != nil)
    }
}
