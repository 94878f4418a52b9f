import TestHarness
import TestSupport
import Testing

@Suite("Films where a picture is expected", .ownThread)
struct FilmRefusalTests {
    private let library: LibraryProgram

    init() throws { library = try LibraryProgram() }

    @Test(
        "are named as good films, whatever their names are, also where untrusted formats are allowed",
        arguments: [
            ("a.mp4", "an MP4 film", FilmMaker.film(brand: "isom")),
            ("a.3gp", "an MP4 film", FilmMaker.film(brand: "3gp4")),
            ("a.mov", "a QuickTime film", FilmMaker.film()), ("a.avi", "an AVI film", FilmMaker.avi()),
            ("a.mkv", "a Matroska film", FilmMaker.matroska()),
            ("a.webm", "a WebM film", FilmMaker.matroska(type: "webm")),
            ("a.jpg", "an MP4 film", FilmMaker.film(brand: "isom")),
            ("a.flv", "a film", text("FLV\u{01}") + [UInt8](repeating: 0, count: 20)),
            ("a.mpg", "a film", [0, 0, 1, 0xBA] + [UInt8](repeating: 0x44, count: 20)),
            ("a.mts", "a film", [UInt8](repeating: 0x47, count: 1000)),
        ] as [(String, String, [UInt8])])
    func named(_ name: String, _ kind: String, _ bytes: [UInt8]) async throws {
        try library.write(name, bytes)
        let path = library.folder.path(name)
        for arguments in [
            ["info", path], ["info", path, "--allow-untrusted"],
            ["render", path, "-o", library.folder.path("o.png")],
        ] {
            let result = try await library.run(all: arguments)
            #expect(result.code == 65)
            #expect(
                result.errors.hasPrefix("viewport: \(path): is \(kind), not a picture; "), "\(result.errors)")
            #expect(!result.errors.contains("again"))
        }
        let info = try await library.run(all: ["info", path, path, "--json"])
        #expect(info.text.contains(#""code":"film""#), "\(info.text)")
    }
}
