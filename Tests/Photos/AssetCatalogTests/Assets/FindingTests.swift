import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@Suite("Finding by words")
struct FindingTests {
    private func library() async throws -> PhotoLibrary {
        var beach = try Asset.made("2014/strand.jpg", place: "Ågotnes")
        beach.title = "Évening at the sea"
        beach.keywords = ["sun set", "Meer"]
        var tower = try Asset.made("2014/tower.jpg", place: "Paris")
        tower.caption = "Iron, \"la tour\""
        tower.make = "Lens"
        tower.model = "M1"
        return try await TestLibrary([beach, tower]).library
    }

    @Test(
        "searches names, texts, keywords, places and cameras for all words or their prefixes",
        arguments: [
            ("strand", 1), ("evening", 1), ("EVENING sea", 1), ("meer", 1), ("agot", 1), ("lens m1", 1),
            ("2014", 2), ("jpg", 2), ("evening tower", 0), ("vening", 0), ("", 0), (" \n", 0),
            // The query syntax of SQLite's search is not interpreted.
            ("\"la tour\"", 1), ("tower OR strand", 0), ("tit*", 0), ("title:evening", 0), ("-tower", 1),
            ("(", 0), ("NEAR(tower)", 0), ("\"", 0),
        ])
    func words(_ words: String, _ count: Int) async throws {
        #expect(try await library().find(words).count == count)
    }

    @Test("reflects changed, renamed and removed assets")
    func changes() async throws {
        let library = try await library()
        var asset = try #require(try await library.find("strand").first)
        asset.title = "Morning"
        asset.path = "2014/dawn.jpg"
        try await library.update([asset])
        #expect(try await library.find("strand").isEmpty)
        #expect(try await library.find("evening").isEmpty)
        #expect(try await library.find("morning dawn").map(\.id) == [asset.id])
        try await library.setPlaces([asset.id: "Bergen"])
        #expect(try await library.find("agotnes").isEmpty)
        #expect(try await library.find("bergen").map(\.id) == [asset.id])
        try await library.remove([asset.id])
        #expect(try await library.find("bergen").isEmpty)
        #expect(try await library.find("2014", limit: 1).count == 1)
        #expect(try await library.verifyCatalog().isEmpty)
    }
}
