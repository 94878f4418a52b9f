import Files
import Foundation
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("A raw file")
struct RawPreviewTests {
    private static let large = Result {
        try TestImages.photo(width: 208, height: 136).saved(with: "jpegsave_buffer", ["strip": .bool(true)])
    }
    private static let small = Result {
        try TestImages.photo(width: 104, height: 68).saved(with: "jpegsave_buffer", ["strip": .bool(true)])
    }

    private static func bytes(_ format: FileFormat, orientation: Int = 6) throws -> [UInt8] {
        RawMaker.file(format, large: try large.get(), small: try small.get(), orientation: orientation)
    }

    private func whole(_ file: ImageFile) throws -> Picture {
        let rect = Rect<ImageSpace>(origin: .zero, size: file.uprightSize.imageSize)
        return try ViewportRenderer().renderSynchronously(Viewport(imageRect: rect, scale: 1), of: file)
            .picture
    }

    @Test("is shown by its largest preview in its own orientation", arguments: RawMaker.formats)
    func shown(_ format: FileFormat) throws {
        let file = try ImageFile(bytes: Self.bytes(format), name: "a.\(format)")
        #expect(file.rawPreview?.format == format)
        #expect(file.storedSize == PixelSize(width: 208, height: 136))
        #expect(file.format == .jpeg)
        #expect(file.reading == "preview of a raw file, regions of a scan")
        #expect(file.damage == nil)
        // The orientation of RAF is that of its JPEG, which has none.
        let orientation: Orientation = format == .raf ? .up : .right
        #expect(file.orientation == orientation)
        var options = OpenOptions()
        options.turn = orientation
        let jpeg = try ImageFile(bytes: try Self.large.get(), options: options)
        #expect(try whole(file).bytes == whole(jpeg).bytes)
    }

    @Test("keeps its turn and its orientation when it is opened again for random access")
    func reopened() throws {
        var options = OpenOptions()
        options.turn = .right
        let file = try ImageFile(bytes: Self.bytes(.nef), name: "a.nef", options: options)
        #expect(file.orientation == .down)
        options.appliesOrientation = false
        let stored = try ImageFile(bytes: Self.bytes(.nef), name: "a.nef", options: options)
        #expect(stored.orientation == .right)
        let again = try ImageFile(bytes: Self.bytes(.nef), name: "a.nef").reopenedForRandomAccess()
        #expect(again.rawPreview != nil && again.orientation == .right)
        #expect(try again.scanForDamage() == nil)
        #expect(try whole(again).bytes == whole(ImageFile(bytes: Self.bytes(.nef), name: "a.nef")).bytes)
    }

    @Test("has an index of its preview, and the identity of the file")
    func indexed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.nef")
        try Data(Self.bytes(.nef)).write(to: URL(fileURLWithPath: path))
        let file = try ImageFile.open(path)
        #expect(file.identity.path.hasSuffix("/a.nef") && file.identity.hasPath)
        let source = try #require(file.source.capabilities.indexable)
        let indexed = try file.reading(from: source.makingIndex())
        #expect(indexed.reading == "preview of a raw file, regions by index")
        #expect(try whole(indexed).bytes == whole(file).bytes)
    }

    @Test("gives its EXIF to pictures that keep metadata")
    func metadata() throws {
        let file = try ImageFile(bytes: Self.bytes(.nef), name: "a.nef")
        for format in [PictureFormat.jpg, .png] {
            let (kept, leftOut) = try PictureEncoder(format).encodeSynchronously(
                whole(file), withWritingOf: file, showing: nil)
            let exif = try #require(try ImageFile(bytes: kept).exif)
            #expect(exif.make == "NIKON CORPORATION" && exif.date != nil)
            #expect(exif.orientation == 1)
            #expect(leftOut.isEmpty)
        }
    }

    @Test("that is cut off is shown by a smaller preview, and the loss is stated")
    func smaller() throws {
        let bytes = try Self.bytes(.cr3).dropLast(100)
        let file = try ImageFile(bytes: bytes, name: "a.cr3")
        #expect(file.storedSize == PixelSize(width: 104, height: 68))
        #expect(file.orientation == .right)
        let length = try Self.large.get().count
        #expect(
            file.damage?.filter { $0 != "," }
                == "its preview of 208 x 136 pixels is cut off after \(length - 100) of \(length) bytes; "
                + "a smaller one is shown")
    }

    @Test("without a complete preview is refused in one sentence; its first part can be shown")
    func cut() throws {
        let bytes = try Self.bytes(.orf)
        let jpeg = try Self.large.get().count
        let half = Array(bytes.dropLast(jpeg / 2))
        #expect {
            _ = try ImageFile(bytes: half, name: "a.orf")
        } throws: { error in
            "\(error)".hasPrefix("a.orf: is damaged, its preview of 208 x 136 pixels is cut off after ")
        }
        var options = OpenOptions()
        options.allowsTruncated = true
        let file = try ImageFile(bytes: half, name: "a.orf", options: options)
        #expect(file.storedSize == PixelSize(width: 208, height: 136))
        #expect(file.damage?.hasSuffix("its first part is shown") == true)
        #expect(try whole(file).size == PixelSize(width: 136, height: 208))

        let none = Array(bytes.dropLast(jpeg))
        for allows in [true, false] {
            options.allowsTruncated = allows
            #expect {
                _ = try ImageFile(bytes: none, name: "a.orf", options: options)
            } throws: { error in
                "\(error)".contains("cannot be decoded (its largest preview begins at byte")
            }
        }
    }

    @Test("without any preview is refused by name")
    func none() throws {
        #expect {
            _ = try ImageFile(bytes: RawMaker.orf, name: "a.orf")
        } throws: { error in
            "\(error)" == "a.orf: cannot be decoded (it is a raw file without an embedded JPEG)"
        }
    }

    @Test("that is truncated after it was opened has changed")
    func changed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.nef")
        try Data(Self.bytes(.nef)).write(to: URL(fileURLWithPath: path))
        let file = try ImageFile(path: path)
        try Data(Self.bytes(.nef).prefix(400)).write(to: URL(fileURLWithPath: path), options: [])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: 10)
        try handle.close()
        #expect(throws: RenderingError.changed(file: path)) { try whole(file) }
    }

    @Test("has only the page 0")
    func page() throws {
        var options = OpenOptions()
        options.page = 1
        #expect(throws: RenderingError.noSuchPage(file: "a.nef", page: 1, pages: 1)) {
            _ = try ImageFile(bytes: Self.bytes(.nef), name: "a.nef", options: options)
        }
    }

    @Test("that names Adobe RGB instead of embedding its profile has these colors", arguments: [false, true])
    func adobeRGB(_ isProgressive: Bool) throws {
        let flat = try TestImages.flat([40, 200, 60], width: 64, height: 48).saved(
            with: "jpegsave_buffer", ["strip": .bool(true), "interlace": .bool(isProgressive)])
        let file = TIFFMaker.file(
            [
                [
                    (0x00FE, .long(1)), (0x010F, .text("SONY")), (0x0106, .short(32803)), (0x0201, .start(0)),
                    (0x0202, .length(0)),
                    (
                        0x8769,
                        .directories([
                            [(0xA001, .short(0xFFFF)), (0xA005, .directories([[(1, .text("R03"))]]))]
                        ])
                    ),
                ]
            ], blobs: [flat])
        let raw = try ImageFile(bytes: file, name: "a.arw")
        #expect(raw.profile?.name == "Adobe RGB (1998)")
        // The reference: libvips with a profile of the same primaries.
        let pixel = try whole(raw).bytes.prefix(3).map { Int($0) }
        #expect(pixel[0] <= 2 && abs(pixel[1] - 201) <= 2 && abs(pixel[2] - 37) <= 4, "\(pixel)")
        #expect(try ImageFile(bytes: flat).profile == nil)
    }

    @Test("with a preview of any coding is read", arguments: [true, false])
    func otherJPEGs(_ isProgressive: Bool) throws {
        let photo = try TestImages.photo(width: 208, height: 136)
        let jpeg =
            isProgressive
            ? try photo.saved(with: "jpegsave_buffer", ["interlace": .bool(true), "strip": .bool(true)])
            : try photo.saved(with: "jpegsave_buffer", ["subsample_mode": .name("on"), "Q": .int(60)])
        let file = try ImageFile(
            bytes: RawMaker.file(.arw, large: jpeg, small: Self.small.get(), orientation: 3), name: "a.arw")
        #expect(file.orientation == .down)
        var options = OpenOptions()
        options.turn = .down
        options.appliesOrientation = false
        #expect(try whole(file).bytes == whole(ImageFile(bytes: jpeg, options: options)).bytes)
    }
}

@Suite("A part of an open file")
struct FilePartTests {
    @Test("has its own bytes, and the state of the file")
    func part() throws {
        let file = try OpenFile(bytes: (0..<100).map { UInt8($0) }, name: "a")
        let part = OpenFile(10..<20, of: file)
        #expect(part.count == 10)
        #expect(try part.contents() == (10..<20).map { UInt8($0) })
        #expect(try part.bytes(3..<5) == [13, 14])
        #expect(try InputFile.contents(part.descriptorPath) == (10..<20).map { UInt8($0) })
        #expect(try OpenFile(2..<4, of: part).contents() == [12, 13])
        #expect(part.isUnchanged)
        #expect(throws: FileError.changed) { try part.bytes(5..<11) }
        #expect(throws: FileError.changed) { try part.check() }
        try file.check()
    }
}
