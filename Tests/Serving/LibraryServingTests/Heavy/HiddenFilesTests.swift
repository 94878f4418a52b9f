#if Server && Library
import Files
import PhotoCatalog
import TestSupport
import Testing
import TileServing

@Suite("Hidden files of a library on a server")
struct HiddenFilesTests {
    private static func fill(_ folder: TemporaryFolder) throws {
        for path in ["a.jpg", ".b.jpg", ".more/c.jpg", ".viewport-d.jpg"] {
            try RunningLibrary.write(TinyPhoto.jpeg(salt: UInt64(path.utf8.count)), path, folder)
        }
    }

    @Test("are served once the library has them, with their tiles and pages; what lies beside it never is")
    func served() async throws {
        try await RunningLibrary.with(Self.fill) { running in
            func code(_ path: String) async throws -> Int {
                try await running.probe.send(path).status
            }
            let hidden = [
                "/iiif/3/.b.jpg/info.json", "/view/.b.jpg", "/view/.more%2Fc.jpg",
            ]
            for path in hidden { #expect(try await code(path) == 404, "\(path)") }
            #expect(try await code("/view/a.jpg") == 200)
            _ = try await running.library.index([""], undatedBy: nil, scope: .everything)
            for path in hidden { #expect(try await code(path) == 200, "\(path)") }
            let never = [
                "/iiif/3/.viewport-d.jpg/info.json", "/iiif/3/.viewport%2Fcatalog.sqlite/info.json",
                "/iiif/3/.more%2F..%2F..%2Fa.jpg/info.json", "/iiif/3/.%2Fa.jpg/info.json",
            ]
            for path in never { #expect(try await code(path) == 404, "\(path)") }
        }
    }
}
#endif
