import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering

@testable import TileLoading

@Suite("A file that is shared by frames")
struct FrameSourceTests {
    /// Parts of a pan with a slow zoom.
    static let viewports = (0..<4).map { frame in
        let shift = Double(frame) * 6.7
        return Viewport(
            imageRect: Rect(
                x: 20 + shift, y: 30 + shift, width: 300 + 20 * shift, height: 200 + 13.3 * shift),
            size: PixelSize(width: 90, height: 60), isSubpixel: true)
    }

    /// Renders all at the same time.
    static func pictures(_ file: ImageFile) async throws -> [[UInt8]] {
        try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for (index, viewport) in viewports.enumerated() {
                group.addTask {
                    (index, try await ViewportRenderer().render(viewport, of: file).picture.bytes)
                }
            }
            return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }.sorted {
                $0.key < $1.key
            }
            .map(\.value)
        }
    }

    static let files = [("jpg", 1 << 29), ("tif", 1 << 29), ("png", 1 << 29), ("png", 0)]

    @Test("gives the same pictures as the file, with and without memory", arguments: files)
    func equal(_ ending: String, _ memory: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.\(ending)")
        try TestImages.photo(width: 600, height: 450).save(path, oriented: .right)
        let file = try ImageFile.open(path)
        let shared = try file.sharedByFrames(memory: memory)
        #expect(try await Self.pictures(shared) == Self.pictures(file))
    }

    @Test("reads each tile of a source with random access once, and each level of others")
    func once() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try TestImages.photo(width: 600, height: 450).save(path, oriented: .up)
        let plain = try ImageFile.open(path)
        for access in [SourceAccess.random, .sequential] {
            let source = WatchedSource(AccessibleSource(base: plain.source, access: access))
            let file = try plain.reading(from: source).sharedByFrames()
            #expect(try await Self.pictures(file) == Self.pictures(plain))
            let reads = source.reads
            #expect(!reads.isEmpty)
            for (index, read) in reads.enumerated() { #expect(!reads[..<index].contains(read)) }
            if case .sequential = access { #expect(Set(reads.map(\.level)).count == reads.count) }
        }
    }

    /// A source with another cost of access.
    struct AccessibleSource: ImageSource {
        let base: any ImageSource
        let access: SourceAccess

        var pyramid: Pyramid { base.pyramid }
        var capabilities: SourceCapabilities { SourceCapabilities(access: access) }

        func sharpeningCompensation(of level: PyramidLevel) -> Double {
            base.sharpeningCompensation(of: level)
        }

        func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader { try base.open(level) }
    }
}
