import Foundation
import ImageMetadata
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("The sample landscape")
struct LandscapeTests {
    private let landscape = BuiltProgram("landscape")

    private func make(_ name: String, in folder: TemporaryFolder, seed: String = "7") async throws -> Data {
        let path = folder.path(name)
        let result = try await landscape.run([path, "--width", "160", "--height", "120", "--seed", seed])
        #expect(result.code == 0, "\(result.errors)")
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    @Test("is stored rotated, with a date and a location")
    func metadata() async throws {
        let folder = try TemporaryFolder()
        let jpeg = Array(try await make("a.jpg", in: folder))
        let image = try VipsImage.load(
            bytes: jpeg, with: "jpegload_buffer", ["fail_on": .name("warning")])
        #expect(image.width == 160)
        #expect(image.height == 120)
        #expect(image.interpretation == "srgb")

        let exif = try #require(image.blob("exif-data").flatMap { Exif($0) })
        #expect(exif.orientation == 6)
        #expect(exif.make == "swift-viewport")
        #expect(exif.model == "landscape")
        #expect(exif.date?.local.description == "2024-09-21T17:42:10.25")
        #expect(exif.date?.offset?.description == "+02:00")
        let place = try #require(exif.location)
        #expect(abs(place.latitude - 46.5701) < 0.0001)
        #expect(abs(place.longitude - 8.0115) < 0.0001)
        #expect(place.altitude == 1034)
    }

    @Test("is upright after its rotation: the bright sky is at the top")
    func upright() async throws {
        let folder = try TemporaryFolder()
        let jpeg = Array(try await make("a.jpg", in: folder))
        let stored = try VipsImage.load(bytes: jpeg, with: "jpegload_buffer", [:])
        let upright = try stored.turned(.right)
        #expect(upright.width == 120)
        #expect(upright.height == 160)
        let row = 120 * 3
        let pixels = try upright.pixels().copied().map(Int.init)
        let sky = pixels[(row * 4)..<(row * 20)].reduce(0, +) / (row * 16)
        let wood = pixels[(row * 84)..<(row * 94)].reduce(0, +) / (row * 10)
        #expect(sky > wood + 40)
    }

    @Test("has the same bytes for equal seeds, and others for another seed")
    func seeds() async throws {
        let folder = try TemporaryFolder()
        let first = try await make("a.jpg", in: folder)
        #expect(try await make("b.jpg", in: folder) == first)
        #expect(try await make("c.jpg", in: folder, seed: "8") != first)
    }

    /// Compares some rows of the photograph in the README with the output of the program.
    ///
    /// Compares pixels, because another libjpeg may write other bytes. Excludes the first and last row of the strip,
    /// whose chroma lacks that of their neighbors.
    @Test("equals samples/lake.jpg")
    func photograph() async throws {
        let folder = try TemporaryFolder()
        let file = Array(try Data(contentsOf: PackageFolder.url("samples/lake.jpg")))
        #expect(file.count <= 3_000_000)
        let (first, count) = (1504, 16)
        let result = try await landscape.run([
            folder.path("strip.jpg"), "--rows", "\(first),\(count)",
        ])
        #expect(result.code == 0, "\(result.errors)")
        let photograph = try VipsImage.load(
            bytes: file, with: "jpegload_buffer", ["fail_on": .name("warning")])
        let strip = try VipsImage.load(
            bytes: Array(try folder.data("strip.jpg")), with: "jpegload_buffer", [:])
        #expect((photograph.width, photograph.height) == (4000, 3000))
        #expect((strip.width, strip.height) == (4000, count))
        #expect(photograph.blob("exif-data") == strip.blob("exif-data"))
        let row = 3 * photograph.width
        let whole = try photograph.pixels().copied()
        let drawn = try strip.pixels().copied()
        let differences = (row..<(count - 1) * row).map { abs(Int(drawn[$0]) - Int(whole[first * row + $0])) }
        #expect(differences.reduce(0, +) < differences.count)
    }

    @Test("reports a missing folder")
    func missingFolder() async throws {
        let folder = try TemporaryFolder()
        let result = try await landscape.run([folder.path("no/a.jpg")])
        #expect(result.code != 0)
        #expect(result.errors.contains("does not exist; create it first"))
    }
}
