import Foundation
import ImageMetadata
import TestSupport
import Testing
import Vips

@Suite("Images of any size")
struct GiantTests {
    private let giant = BuiltProgram("giant")

    private func load(_ path: String) throws -> VipsImage {
        try VipsImage.load(path, with: VipsImage.loader(for: path), ["fail_on": .name("warning")])
    }

    @Test(
        "have the requested size in every format",
        arguments: ["a.jpg", "a.png", "a.tif"], [(1, 1), (333, 77), (17, 300)])
    func size(name: String, size: (width: Int, height: Int)) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        let result = try await giant.run([path, "--width", "\(size.width)", "--height", "\(size.height)"])
        #expect(result.code == 0, "\(result.errors)")
        let image = try load(path)
        #expect(image.width == size.width)
        #expect(image.height == size.height)
        #expect(image.bands == 3)
        #expect(try image.pixels().count == size.width * size.height * 3)
        #expect(folder.names == [name])
    }

    @Test("can have every orientation", arguments: 1...8)
    func orientation(_ orientation: Int) async throws {
        let folder = try TemporaryFolder()
        for name in ["a.jpg", "a.tif"] {
            let path = folder.path(name)
            let result = try await giant.run([
                path, "--width", "64", "--height", "48", "--orientation", "\(orientation)",
            ])
            #expect(result.code == 0, "\(result.errors)")
            #expect(try load(path).int("orientation") == orientation, "\(name)")
        }
    }

    @Test("have the same pixels at every width")
    func pixels() async throws {
        let folder = try TemporaryFolder()
        let whole = folder.path("a.png")
        let narrow = folder.path("b.png")
        _ = try await giant.run([whole, "--width", "200", "--height", "90", "--seed", "5"])
        _ = try await giant.run([narrow, "--width", "100", "--height", "90", "--seed", "5"])
        let pixels = try load(whole).pixels().copied()
        let part = try load(narrow).pixels().copied()
        for y in 0..<90 {
            // The last cell extends beyond the narrow image, so it has the same values as in the wide one.
            #expect(pixels[(y * 600)..<(y * 600 + 300)].elementsEqual(part[(y * 300)..<(y * 300 + 300)]))
        }
    }

    @Test("have the file size of a photograph: about 1.5 bits per pixel at quality 75")
    func weight() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.jpg")
        _ = try await giant.run([path, "--width", "1000", "--height", "800"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).count
        #expect((1.1...2.0).contains(Double(bytes) * 8 / 800_000))
    }

    @Test("are tiled pyramids on request")
    func pyramid() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.tif")
        let result = try await giant.run([path, "--width", "1200", "--height", "700", "--pyramid"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try load(path).int("n-pages") == 4)
    }

    @Test(
        "are refused for invalid arguments, with one sentence",
        arguments: [
            (["a.jpg", "--width", "65501", "--height", "1"], "from 1 to 65500"),
            (["a.gif", "--width", "10", "--height", "10"], "must end in .jpg, .png or .tif"),
            (["a.jpg", "--width", "10", "--height", "10", "--orientation", "9"], "from 1 to 8"),
            (["a.png", "--width", "10", "--height", "10", "--progressive"], "is for .jpg"),
            (["a.png", "--width", "10", "--height", "10", "--orientation", "6"], "is for .jpg and .tif"),
            (["no/such/a.jpg", "--width", "10", "--height", "10"], "choose another place"),
        ])
    func refused(arguments: [String], sentence: String) async throws {
        let result = try await giant.run(arguments)
        #expect(result.code != 0)
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }
}
