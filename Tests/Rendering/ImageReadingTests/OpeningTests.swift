import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("An image is opened")
struct OpeningTests {
    /// The names of files, and functions that write a photo to them.
    static let formats: [(String, @Sendable (VipsImage, String) throws -> Void)] = [
        ("photo.jpg", { try $0.save($1, oriented: .right) }),
        ("mirrored.jpg", { try $0.save($1, oriented: .leftMirrored) }),
        ("progressive.jpg", { try $0.save($1, with: "jpegsave", ["interlace": .bool(true)]) }),
        ("plain.png", { try $0.save($1, with: "pngsave") }),
        ("turned.png", { try $0.save($1, oriented: .down) }),
        ("tiled.tif", { try $0.save($1, with: "tiffsave", ["tile": .bool(true), "pyramid": .bool(true)]) }),
        ("turned.tif", { try $0.save($1, oriented: .left) }),
        ("lossy.webp", { try $0.save($1, with: "webpsave") }),
        ("still.gif", { try $0.save($1, with: "gifsave") }),
        ("coded.heif", { try $0.save($1, with: "heifsave") }),
        ("coded.avif", { try $0.save($1, with: "heifsave", ["compression": .name("av1")]) }),
        ("coded.jxl", { try $0.save($1, with: "jxlsave") }),
    ]

    /// Returns the pixels of a part of the image.
    static func view(_ file: ImageFile) throws -> [UInt8] {
        let viewport = Viewport(imageRect: Rect(x: 20, y: 30, width: 90, height: 80), scale: 0.7)
        return try ViewportRenderer().renderSynchronously(viewport, of: file).picture.bytes
    }

    @Test(
        "from a path, a URL, bytes and a descriptor with the same header and pixels",
        arguments: formats.indices)
    func same(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let (name, save) = Self.formats[index]
        let path = folder.path(name)
        // Not every libvips can write all formats.
        guard (try? save(TestImages.photo(width: 211, height: 147), path)) != nil else { return }
        guard let expected = try? ImageFile(path: path) else { return }
        let pixels = try Self.view(expected)
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 7)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let files = [
            try ImageFile(url: URL(fileURLWithPath: path)), try ImageFile(bytes: data),
            try ImageFile(bytes: Array(data), name: "mine"),
            try ImageFile(descriptor: handle.fileDescriptor),
        ]
        #expect(try handle.offset() == 7)
        try handle.close()
        #expect(files.map(\.path) == [path, "bytes", "mine", "descriptor"])
        for file in files {
            #expect(file.format == expected.format && file.storedSize == expected.storedSize)
            #expect(file.orientation == expected.orientation && file.exif == expected.exif)
            #expect(file.reading == expected.reading && file.pyramid == expected.pyramid)
            let isSame = try Self.view(file) == pixels
            #expect(isSame, "\(file.path)")
        }
    }

    @Test("once: a file that replaces it is not read", arguments: formats.indices)
    func replaced(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let (name, save) = Self.formats[index]
        let path = folder.path(name)
        guard (try? save(TestImages.photo(width: 211, height: 147), path)) != nil,
            let first = try? ImageFile(path: path)
        else { return }
        let pixels = try Self.view(first)
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let files = [try ImageFile(path: path), try ImageFile(descriptor: handle.fileDescriptor)]
        try handle.close()
        try save(TestImages.photo(width: 211, height: 147, seed: 9), folder.path("new-" + name))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: folder.path("new-" + name), toPath: path)
        for file in files {
            let isSame = try Self.view(file) == pixels
            #expect(isSame, "\(file.path)")
        }
    }

    @Test("and fails if it is truncated while it is open", arguments: formats.indices)
    func cut(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let (name, save) = Self.formats[index]
        let path = folder.path(name)
        guard (try? save(TestImages.photo(width: 211, height: 147), path)) != nil,
            let file = try? ImageFile(path: path)
        else { return }
        let bytes = try ImageFile(bytes: Data(contentsOf: URL(fileURLWithPath: path)))
        let pixels = try Self.view(bytes)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: 900)
        try handle.close()
        #expect(throws: RenderingError.changed(file: path)) { try Self.view(file) }
        let isSame = try Self.view(bytes) == pixels
        #expect(isSame)
    }

    @Test("without a scan; missing rows are reported by the first read, or by a requested scan")
    func damage() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 640, height: 480).save(path, with: "jpegsave")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try ImageFile(bytes: whole).scanForDamage() == nil)
        let short = try ImageFile(bytes: whole.dropLast(2))
        #expect(try short.scanForDamage()?.hasPrefix("its end marker is missing") == true)
        #expect(try Self.view(short) == Self.view(ImageFile(bytes: whole)))
        for cut in [whole.prefix(whole.count / 2), whole.prefix(whole.count * 9 / 10)] {
            let file = try ImageFile(bytes: cut, name: "cut")
            let isTold = { (error: any Error) in
                guard case RenderingError.truncated("cut", let missing) = error else { return false }
                return missing.hasPrefix("rows ") && missing.hasSuffix(" to 480 are missing")
            }
            #expect { try Self.view(file) } throws: { isTold($0) }
            #expect { try file.scanForDamage() } throws: { isTold($0) }
        }
    }

    @Test("or refused with an error that contains its name")
    func refused() throws {
        let folder = try TemporaryFolder()
        #expect(throws: RenderingError.empty(file: "bytes")) { try ImageFile(bytes: [UInt8]()) }
        #expect(throws: RenderingError.unknownFormat(file: "note", untrusted: nil)) {
            try ImageFile(bytes: Array("no image at all".utf8), name: "note")
        }
        #expect(throws: RenderingError.missing(file: folder.path("none"))) {
            try ImageFile(url: URL(fileURLWithPath: folder.path("none")))
        }
        #expect(throws: RenderingError.self) { try ImageFile(url: URL(string: "https://example.org/a.jpg")!) }
        let pipe = Pipe()
        #expect(throws: RenderingError.self) {
            try ImageFile(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe")
        }
        #expect(throws: RenderingError.self) { try ImageFile(descriptor: -1) }
        let error: any Error = RenderingError.empty(file: "a.jpg")
        #expect(error.localizedDescription == "a.jpg: is empty")
    }
}
