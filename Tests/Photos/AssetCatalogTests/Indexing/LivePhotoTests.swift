import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@Suite("The photo and the video of a live photo")
struct LivePhotoTests {
    private let photo = TinyPhoto.jpeg(date: "2014:05:25 10:00:00")

    /// Returns a video that begins a number of seconds after ten o'clock.
    private func film(after seconds: Int) -> [UInt8] {
        // QuickTime counts seconds from 1904.
        FilmMaker.film(created: 2_082_844_800 + 1_401_012_000 + seconds)
    }

    private func partner(of path: String, in library: PhotoLibrary) async throws -> String? {
        guard let id = try await library.asset(path: path)?.livePartner else { return nil }
        return try await library.asset(id)?.path
    }

    @Test("are paired by their identifier, whatever their names")
    func identifiers() async throws {
        let test = try await TestLibrary()
        for (format, name) in [(FileFormat.jpeg, "one.jpg"), (.mov, "other.mov")] {
            try test.write(
                name, try #require(SampleFiles.all.first { $0.format == format }).bytes)
        }
        try await test.library.index()
        #expect(try await partner(of: "one.jpg", in: test.library) == "other.mov")
        #expect(try await partner(of: "other.mov", in: test.library) == "one.jpg")
    }

    @Test(
        "are paired by name if they were taken at the same time", arguments: [(3, true), (4, false)])
    func names(seconds: Int, isPair: Bool) async throws {
        let test = try await TestLibrary()
        try test.write("IMG_1.jpg", photo)
        try test.write("IMG_1.mov", film(after: seconds))
        try test.write("IMG_2.mov", film(after: 0))
        try await test.library.index()
        #expect(try await partner(of: "IMG_1.jpg", in: test.library) == (isPair ? "IMG_1.mov" : nil))
        #expect(try await partner(of: "IMG_1.mov", in: test.library) == (isPair ? "IMG_1.jpg" : nil))
        #expect(try await partner(of: "IMG_2.mov", in: test.library) == nil)
    }

    @Test(
        "are paired without identifiers where Apple's export has marked the film",
        arguments: [
            ("IMG_1_HEVC.MOV", 3, true), ("IMG_1_hevc.mov", 0, true), ("IMG_1_HEVC.MOV", 4, false),
            ("IMG_1_HEVC2.MOV", 0, false), ("IMG_2_HEVC.MOV", 0, false),
        ])
    func marked(_ film: String, _ seconds: Int, _ isPair: Bool) async throws {
        let test = try await TestLibrary()
        try test.write("IMG_1.jpg", photo)
        try test.write(film, self.film(after: seconds))
        try await test.library.index()
        #expect(try await partner(of: film, in: test.library) == (isPair ? "IMG_1.jpg" : nil))
    }

    @Test("stay paired when they are moved, until one is removed")
    func changes() async throws {
        let test = try await TestLibrary()
        try test.write("IMG_1.jpg", photo)
        try test.write("IMG_1.mov", film(after: 0))
        try await test.library.index()
        try test.move("IMG_1.jpg", to: "x/IMG_1.jpg")
        try test.move("IMG_1.mov", to: "x/IMG_1.mov")
        try await test.library.index()
        #expect(try await partner(of: "x/IMG_1.jpg", in: test.library) == "x/IMG_1.mov")
        try test.remove("x/IMG_1.mov")
        try await test.library.index()
        #expect(try await test.library.asset(path: "x/IMG_1.jpg")?.livePartner == nil)
    }
}
