import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("A full disk")
struct FullDiskTests {
    /// Commands that write more than the limit of file sizes allows, and the names of their outputs.
    static let writers: [(arguments: [String], output: String)] = [
        (["pyramid", "photo.png", "-o", "out.tif"], "out"),
        (["pyramid", "photo.png", "-o", "out.tif", "--format", "png"], "out"),
        (["pyramid", "photo.png", "--layout", "iiif", "--format", "png", "-o", "out"], "out"),
        (["pyramid", "photo.png", "--tile-size", "1024", "-o", "out.dzi"], "out"),
        (["pyramid", "photo.png", "--layout", "zoomify", "--tile-size", "1024", "-o", "out"], "out"),
        (["render", "photo.png", "-o", "out.png"], "out"),
        (["render", "photo.png", "-Q", "95", "-o", "out.jpg"], "out"),
        (["render", "photo.png", "-o", "out.tif"], "out"),
        (["thumbnail", "photo.png", "-s", "900", "-o", "out.png"], "out"),
        (["replay", "script.jsonl", "--image", "photo.png", "--frames", "out"], "out"),
    ]

    @Test("is reported by the cache, too")
    func cache() async throws {
        let folder = try TemporaryFolder()
        // Pyramids are cached from 16 megapixels on.
        try TestImages.large(width: 4200, height: 4200).save(
            folder.path("large.tif"), with: "tiffsave")
        let shell = try #require(BuiltProgram(installed: "sh"))
        let result = try await shell.run(
            [
                "-c", "ulimit -f 8; exec \"$0\" \"$@\"", BuiltProgram("viewport").url.path, "render",
                "large.tif",
                "--cache", "--rect", "0,0,5,5", "-o", "out.png",
            ], in: folder.url,
            environment: ["SWIFT_BACKTRACE": "enable=no", "XDG_CACHE_HOME": folder.path("cache")])
        #expect(
            result.code == 73 && result.errors.contains("the cache cannot be written"), "\(result.errors)")
        #expect(folder.files(below: "cache").isEmpty && !folder.names.contains("out.png"), "\(folder.names)")
    }

    @Test("ends a command with 73 and one sentence, without partial output", arguments: writers.indices)
    func limited(_ index: Int) async throws {
        let (arguments, output) = Self.writers[index]
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 1000, height: 700).save(folder.path("photo.png"), with: "pngsave")
        let script = """
            {"setup":{"bounds":[900,600],"zoomScale":1,"minimumZoomScale":0.2,"maximumZoomScale":4}}
            {"t":1,"zoomToRect":[100,50,900,600],"animated":false}

            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.path("script.jsonl")))
        // With a limit of file sizes, writes fail like on a full disk. 20 blocks are 10 or 20 kB.
        let shell = try #require(BuiltProgram(installed: "sh"))
        let program = BuiltProgram("viewport").url.path
        let result = try await shell.run(
            ["-c", "ulimit -f 20; exec \"$0\" \"$@\"", program] + arguments, in: folder.url,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(result.code == 73, "\(result.code) \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(
            result.errors.contains(output) && result.errors.contains("free disk space"), "\(result.errors)")
        #expect(folder.names == ["photo.png", "script.jsonl"], "\(folder.names)")
    }
}
