import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@Suite("Places and locations that a program sets")
struct PlacingTests {
    @Test("are stored, grouped by, and removed")
    func places() async throws {
        let test = try await TestLibrary([try .made("a.jpg"), try .made("b.jpg", place: "Paris")])
        let library = test.library
        let byPlace = library.collection(grouping: .place)
        #expect(try await byPlace.entries().map(\.key) == [.place("Paris"), nil])
        try await library.setPlaces([1: "Aachen", 2: "Aachen", 77: "Nowhere"])
        #expect(try await byPlace.entries() == [CollectionEntry(key: .place("Aachen"), count: 2)])
        try await library.setPlaces([1: nil])
        #expect(try await byPlace.entries().map(\.key) == [.place("Aachen"), nil])
        #expect(try await library.asset(1)?.place == nil)
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test(
        "stay if they are from a track and the file changes, and are replaced if they are from the file")
    func locations() async throws {
        let test = try await TestLibrary()
        let library = test.library
        try test.write("a.jpg", TinyPhoto.jpeg(salt: 1))
        try test.write("b.jpg", TinyPhoto.jpeg(salt: 2))
        try await library.index()
        let ids = try await library.collection().snapshot().ids
        let track = try #require(
            Location(latitude: 47.5, longitude: 8.25, altitude: 400, accuracy: 9, source: .track))
        let file = try #require(Location(latitude: -1, longitude: 2, source: .exif))
        try await library.setLocations([ids[0]: track, ids[1]: file])
        try await library.setPlaces([ids[0]: "Baden", ids[1]: "Sea"])
        #expect(try await library.assets(ids).map(\.location) == [track, file])
        try test.write("a.jpg", TinyPhoto.jpeg(salt: 3))
        try test.write("b.jpg", TinyPhoto.jpeg(salt: 4))
        #expect(try await library.index().updated == 2)
        #expect(try await library.assets(ids).map(\.location) == [track, nil])
        #expect(try await library.assets(ids).map(\.place) == ["Baden", nil])
    }
}
