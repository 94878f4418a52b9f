import AssetCatalog
import Files
import TestLibraries
import TestSupport
import Testing

@Suite("The digest of a file that was just copied")
struct KnownDigestTests {
    static let known = String(repeating: "ab", count: 32)

    /// Whether the file is still in the state that its digest is of.
    @Test(
        "goes into the catalog without another read, unless the file has changed since",
        arguments: [true, false])
    func index(_ isUnchanged: Bool) async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        let status = try #require(FileStatus(test.library.path(of: FilePath("a.jpg"))))
        if !isUnchanged { try test.write("a.jpg", TinyPhoto.jpeg(date: "2015:05:25 10:00:00") + [0]) }
        try await test.library.index(
            ["a.jpg"], undatedBy: nil,
            digests: [FilePath("a.jpg"): KnownDigest(status: status, sha256: Self.known)])
        let asset = try #require(try await test.library.asset(path: "a.jpg"))
        #expect((asset.sha256 == Self.known) == isUnchanged)
    }
}
