import Containers
import Foundation
import ImageMetadata
import PhotoCatalog
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import AssetRendering

@Suite("Exports of assets")
struct AssetExportTests {
    private let folder: TemporaryFolder
    private let library: PhotoLibrary

    init() async throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("library"), withIntermediateDirectories: true)
        library = try await PhotoLibrary.create(folder.path("library"))
    }

    /// Bytes that no copy without location may hold.
    private static let secret = "SECRET-PLACE"

    /// EXIF with a position, a maker note and a comment that name the place.
    private static let exif = ExifBuilder(bigEndian: false).block([
        (0x010F, .text("Maker")), (0x0112, .short(6)),
        (
            0x8769,
            .directory([
                (0x9003, .text("2014:05:25 10:00:00")), (0x927C, .bytes(Array(secret.utf8))),
                (0x9286, .bytes(Array("ASCII\0\0\0\(secret)".utf8))), (0xA433, .text("Lens maker")),
            ])
        ),
        (
            0x8825,
            .directory([
                (1, .text("N")), (2, .rationals([(46, 1), (12, 1), (0, 1)])), (3, .text("E")),
                (4, .rationals([(6, 1), (8, 1), (0, 1)])), (0x001B, .bytes(Array(secret.utf8))),
            ])
        ),
    ])

    private static let xmp = XMPMaker.packet([
        ("exif:GPSLatitude", "46,12.0N"), ("exif:GPSLongitude", "6,8.0E"), ("photoshop:City", secret),
        ("dc:title", "The lake"), ("xmp:Rating", "4"),
    ])

    private static func pixels() throws -> VipsImage { try TestImages.photo(width: 120, height: 80, seed: 4) }

    /// A picture with a position in all blocks that its format has, 80x120 upright as JPEG.
    private static func file(_ name: String) throws -> [UInt8] {
        switch name.suffix(4) {
        case ".jpg":
            let plain = try pixels().saved(with: "jpegsave_buffer", ["strip": .bool(true)])
            func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
                [0xFF, marker] + big(body.count + 2, 2) + body
            }
            let iptc = [0x1C, 2, 90] + big(secret.utf8.count, 2) + Array(secret.utf8)
            let photoshop = text("Photoshop 3.0\0") + text("8BIM") + [4, 4, 0, 0] + big(iptc.count, 4) + iptc
            return [0xFF, 0xD8] + segment(0xE1, text("Exif\0\0") + exif)
                + segment(0xE1, text("http://ns.adobe.com/xap/1.0/\0") + text(xmp))
                + segment(0xE1, text("http://ns.adobe.com/xmp/extension/\0") + text(secret))
                + segment(0xED, photoshop) + segment(0xFE, text(secret)) + plain.dropFirst(2)
                + box("moov", text(secret))
        case ".png":
            let plain = try pixels().saved(with: "pngsave_buffer", ["strip": .bool(true)])
            func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
                // Readers of metadata do not check sums.
                big(body.count, 4) + text(name) + body + [0, 0, 0, 0]
            }
            return plain[..<33] + chunk("tEXt", text("Comment\0\(secret)"))
                + chunk("iTXt", text("XML:com.adobe.xmp") + [0, 0, 0, 0, 0] + text(xmp)) + plain[33...]
        default:
            let plain = try pixels().saved(
                with: "webpsave_buffer", ["strip": .bool(true), "lossless": .bool(true)])
            let packet = text(xmp) + (text(xmp).count % 2 == 0 ? [] : [0x20])
            var file = WebPFile.extended(plain)
            let flags = try #require(file.firstIndex(of: UInt8(ascii: "X"))) + 5
            file[flags] |= 0b100
            file += text("XMP ") + little(packet.count, 4) + packet
            return file[..<4] + little(file.count - 8, 4) + file[8...]
        }
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("library/\(name)")))
    }

    private func assets() async throws -> [Asset] {
        try await library.index()
        return try await library.assets(library.collection().snapshot().ids)
    }

    private func export(_ change: (inout AssetExport) -> Void) async throws -> [IndexReport.Failure] {
        var export = AssetExport()
        export.layout = try ImportLayout("{name}")
        change(&export)
        return try await export.export(try await assets(), of: library, to: folder.path("out"))
    }

    private func copy(_ name: String) throws -> (bytes: [UInt8], metadata: FileMetadata) {
        let bytes = [UInt8](try folder.data("out/\(name)"))
        return (bytes, try #require(FileMetadata(FileBytes(bytes), name: name)))
    }

    private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        Data(bytes).range(of: Data(text.utf8)) != nil
    }

    @Test(
        "without location have the same pixels and words, and no position anywhere",
        arguments: ["a.jpg", "a.png", "a.webp"])
    func lossless(_ name: String) async throws {
        try write(name, try Self.file(name))
        let original = try #require(try await assets().first)
        #expect(original.location != nil && original.title == "The lake")
        #expect(try await export { $0.stripsLocation = true }.isEmpty)
        let (bytes, metadata) = try copy(name)
        #expect(metadata.location == nil && !holds(bytes, Self.secret) && !holds(bytes, "GPS"))
        #expect(metadata.title == "The lake" && metadata.rating == 4)
        let (former, made) = try (
            ImageFile.open(folder.path("library/\(name)")), ImageFile.open(folder.path("out/\(name)"))
        )
        #expect(made.uprightSize == former.uprightSize)
        let viewport = AssetImages.Form.fullResolution.viewport(of: made.uprightSize)
        let pictures = try [former, made].map {
            try ViewportRenderer().renderSynchronously(viewport, of: $0).picture.bytes
        }
        #expect(pictures[0] == pictures[1])
        guard name == "a.jpg" else { return }
        #expect(metadata.make == "Maker" && metadata.orientation == .right)
        #expect(metadata.date?.local.description == "2014-05-25T10:00:00" && holds(bytes, "Lens maker"))
        // The same command finds them there.
        #expect(try await export { $0.stripsLocation = true }.isEmpty)
        #expect(folder.files(below: "out") == [name])
    }

    @Test("without metadata keep the orientation, which the pixels need")
    func bare() async throws {
        try write("a.jpg", try Self.file("a.jpg"))
        #expect(try await export { $0.metadata = .none }.isEmpty)
        let (bytes, metadata) = try copy("a.jpg")
        #expect(metadata.orientation == .right && metadata.make == nil && metadata.title == nil)
        #expect(!holds(bytes, Self.secret))
    }

    @Test(
        "are scaled, converted and upright, by the file and by edits",
        arguments: [(AssetExport.Format.keep, "a.jpg"), (.png, "a.png"), (.webp, "a.webp"), (.jpeg, "a.jpg")])
    func scaled(_ format: AssetExport.Format, _ name: String) async throws {
        try write("a.jpg", try Self.file("a.jpg"))
        var edit = AssetEdit()
        edit.quarterTurns = 1
        try await library.edit(try await assets().map(\.id), edit)
        for strips in [false, true] {
            try? FileManager.default.removeItem(atPath: folder.path("out"))
            let failures = try await export {
                ($0.side, $0.format, $0.stripsLocation) = (60, format, strips)
            }
            #expect(failures.isEmpty)
            let (bytes, metadata) = try copy(name)
            // 80x120 upright, turned once more.
            let made = try ImageFile.open(folder.path("out/\(name)"))
            #expect(made.uprightSize.width == 60 && made.uprightSize.height == 40)
            #expect(metadata.orientation == .up && metadata.make == "Maker")
            #expect((metadata.location == nil) == strips && holds(bytes, Self.secret) != strips)
            // The sidecar's rotation is in the pixels already.
            let sidecar = try? folder.data("out/\(name).xmp")
            #expect((sidecar == nil) == strips)
            if let sidecar {
                let both = FileMetadata(FileBytes(bytes), name: name, sidecar: [UInt8](sidecar))
                #expect(both?.orientation == .up)
            }
        }
    }

    @Test("are copied as they are where nothing has to change, and never enlarged")
    func unchanged() async throws {
        let bytes = try Self.file("a.jpg")
        try write("a.jpg", bytes)
        for change in [
            { (export: inout AssetExport) in export.side = 4000 }, { $0.format = .jpeg }, { _ in },
        ] {
            #expect(try await export(change).isEmpty)
        }
        let copied = try copy("a.jpg").bytes
        #expect(folder.files(below: "out") == ["a.jpg"] && copied == bytes)
    }

    @Test("refuse what would keep its location: films, and formats that cannot be rewritten")
    func refused() async throws {
        try write("film.mov", FilmMaker.film(created: 3_483_856_800))
        try Self.pixels().save(folder.path("library/scan.tif"), with: "tiffsave")
        try write("a.jpg", try Self.file("a.jpg"))
        let failures = try await export { $0.stripsLocation = true }
        let reasons = Dictionary(uniqueKeysWithValues: failures.map { ($0.path, $0.reason) })
        #expect(
            reasons["film.mov"]?.hasSuffix("is a film, of which no copy without metadata is made") == true)
        #expect(
            reasons["scan.tif"]?.hasSuffix(
                "is tiff, of which no copy without location is made; choose another format, such as jpeg")
                == true)
        #expect(folder.files(below: "out") == ["a.jpg"])
        // With another format, the picture is exported.
        #expect(
            try await export { ($0.stripsLocation, $0.format) = (true, .jpeg) }.map(\.path) == ["film.mov"])
        #expect(folder.files(below: "out") == ["a.jpg", "scan.jpg"])
    }

    @Test("get numbers in the same order in every run where names are taken")
    func names() async throws {
        for (index, name) in ["a.png", "b/a.png", "a.jpg"].enumerated() {
            try FileManager.default.createDirectory(
                atPath: folder.path("library/b"), withIntermediateDirectories: true)
            let picture = try TestImages.photo(width: 40, height: 30, seed: UInt64(index))
            try picture.save(
                folder.path("library/\(name)"), with: name.hasSuffix("png") ? "pngsave" : "jpegsave")
        }
        var contents: [[String: Data]] = []
        for _ in 0..<2 {
            try? FileManager.default.removeItem(atPath: folder.path("out"))
            for _ in 0..<2 { #expect(try await export { ($0.side, $0.format) = (20, .webp) }.isEmpty) }
            let names = folder.files(below: "out")
            #expect(names == ["a (2).webp", "a (3).webp", "a.webp"])
            contents.append(
                Dictionary(uniqueKeysWithValues: try names.map { ($0, try folder.data("out/\($0)")) }))
        }
        #expect(contents[0] == contents[1])
    }

    /// The tags of the picture and of the shot in EXIF of a copy, and its XMP.
    private func blocks(_ bytes: [UInt8]) throws -> (main: TIFFDirectory, shot: TIFFDirectory, xmp: String) {
        let blocks = try #require(FileMetadata(contentsOf: FileBytes(bytes), name: "a", .blocks)?.blocks)
        let (exif, xmp) = (try #require(blocks.exif), try #require(blocks.xmp))
        let main = try #require(TIFFBlock(FileBytes(exif))?.main)
        return (main, try #require(main.directory(0x8769)), String(decoding: xmp, as: UTF8.self))
    }

    @Test(
        "without location state one date, one size and the words of the library in all blocks",
        arguments: [(nil, "a.jpg"), (60, "a.jpg"), (60, "a.webp"), (60, "a.png")] as [(Int?, String)])
    func statements(_ side: Int?, _ name: String) async throws {
        var exif = ExifBuilder(bigEndian: true)
        exif.bigEndian = true
        let block = exif.block([
            (0x010E, .text("former words")), (0x010F, .text("Maker")), (0x0112, .short(6)),
            (0x4746, .short(2)),
            (
                0x8769,
                .directory([
                    (0x9003, .text("2014:05:25 10:00:00")), (0x9004, .text("2014:05:25 10:00:00")),
                    (0x9291, .text("25")), (0xA002, .long(4032)), (0xA003, .long(3024)),
                ])
            ),
        ])
        let plain = try Self.pixels().saved(with: "jpegsave_buffer", ["strip": .bool(true)])
        let body = text("Exif\0\0") + block
        try write("a.jpg", [0xFF, 0xD8, 0xFF, 0xE1] + big(body.count + 2, 2) + body + plain.dropFirst(2))
        var edit = AssetEdit()
        (edit.caption, edit.rating) = ("new words", 5)
        let moment = try #require(WallClock(year: 2014, month: 5, day: 25, hour: 11, minute: 30))
        edit.date = CaptureDate(local: moment, offset: UTCOffset(minutes: 120), source: .dateTimeOriginal)
        try await library.edit(try await assets().map(\.id), edit)
        let format: AssetExport.Format = name.hasSuffix("webp") ? .webp : name.hasSuffix("png") ? .png : .keep
        #expect(try await export { ($0.side, $0.format, $0.stripsLocation) = (side, format, true) }.isEmpty)
        let (bytes, metadata) = try copy(name)
        let (main, shot, xmp) = try blocks(bytes)
        #expect(shot.string(0x9003) == "2014:05:25 11:30:00" && shot.string(0x9011) == "+02:00")
        #expect(shot.string(0x9004) == "2014:05:25 11:30:00" && !shot.has(0x9291))
        #expect(xmp.contains("2014-05-25T11:30:00+02:00"))
        #expect(main.string(0x010E) == "new words" && main.int(0x4746) == 5)
        let size = try #require(metadata.storedSize)
        #expect([shot.int(0xA002), shot.int(0xA003)] == [size.width, size.height])
        guard name.hasSuffix("jpg") else { return }
        // What Exif demands of a JPEG.
        for tag in [0x011A, 0x011B, 0x0128, 0x0213] as [UInt16] { #expect(main.has(tag), "\(tag)") }
        for tag in [0x9000, 0x9101, 0xA000, 0xA001] as [UInt16] { #expect(shot.has(tag), "\(tag)") }
    }

    @Test("that are made smaller have sidecars whose faces lie where they are in the copy")
    func faces() async throws {
        try write("a.jpg", try Self.file("a.jpg"))
        let region = """
            <mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions stDim:w='WIDTH' stDim:h='HEIGHT' stDim:unit='pixel'/>\
            <mwg-rs:RegionList><rdf:Bag><rdf:li mwg-rs:Name='Ann'><mwg-rs:Area stArea:x='X' stArea:y='Y' stArea:w='0.1' stArea:h='0.1'/>\
            </rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>
            """
        func stated(_ width: Int, _ height: Int, _ x: String, _ y: String) -> String {
            region.replacing("WIDTH", with: "\(width)").replacing("HEIGHT", with: "\(height)")
                .replacing("'X'", with: "'\(x)'").replacing("'Y'", with: "'\(y)'")
        }
        let sidecar = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"
             xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#" xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#">
            \(stated(120, 80, "0.2", "0.3"))</rdf:Description></rdf:RDF></x:xmpmeta>
            """
        try write("a.jpg.xmp", Array(sidecar.utf8))
        #expect(try await export { $0.side = 60 }.isEmpty)
        // Stored sideways, 120x80; the copy is upright, 40x60.
        let copied = String(decoding: try folder.data("out/a.jpg.xmp"), as: UTF8.self)
        #expect(copied.contains(stated(40, 60, "0.7", "0.2")), "\(copied)")
    }

    @Test("are damaged files refused with a reason", arguments: [20, 400, 1500])
    func damaged(_ length: Int) async throws {
        try write("a.jpg", Array(try Self.file("a.jpg").prefix(length)))
        let failures = try await export { $0.stripsLocation = true }
        #expect(failures.count == (try await assets().count))
        #expect(folder.files(below: "out").isEmpty)
    }
}
