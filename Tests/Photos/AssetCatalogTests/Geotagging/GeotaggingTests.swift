import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@testable import AssetCatalog

@Suite("Geotagging")
struct GeotaggingTests {
    @Test("locates assets whose zone is known or assumed, and only within the time of the track")
    func geotag() async throws {
        let library = try await TestLibrary([
            .made("zoned.jpg", "2014-05-25T10:00:30", offset: "+02:00"),
            .made("local.jpg", "2014-05-25T10:00:30"),
            .made("late.jpg", "2014-05-25T12:00:30", offset: "+02:00"), .made("undated.jpg"),
        ]).library
        let track = try TrackTests.track(
            TrackTests.gpx([["47 8 2014-05-25T08:00:00Z", "47 8.01 2014-05-25T08:01:00Z"]]))
        let unzoned = try await library.geotag(by: track)
        #expect(
            unzoned.located == 1 && unzoned.withoutZone == 1 && unzoned.beyondTrack == 1
                && unzoned.undated == 1)
        let zone = AssumedZone(name: "+02:00") { _ in UTCOffset("+02:00") }
        #expect(try await library.geotag(by: track, assuming: zone).located == 2)
        let location = try #require(try await library.asset(path: "local.jpg")?.location)
        #expect(abs(location.longitude - 8.005) < 1e-6 && location.source == .track)
        // The camera was half a minute fast.
        _ = try await library.geotag(by: track, clockOffset: .seconds(-30), assuming: zone)
        #expect(try await library.asset(path: "zoned.jpg")?.location?.longitude == 8)
    }

    @Test("names places, and removes the name if the location changes")
    func places() async throws {
        let library = try await TestLibrary([.made("a.jpg", "2014-05-25T10:00:00")]).library
        let list = "lat,lon,name,admin1,admin2,cc\n47,8,Luzern,Luzern,,CH\n"
        let names = try #require(PlaceNames(Array(list.utf8)))
        let id = try #require(try await library.asset(path: "a.jpg")?.id)
        let location = try #require(Location(latitude: 47.1, longitude: 8, source: .exif))
        try await library.setLocations([id: location])
        #expect(try await library.namePlaces(names) == 1)
        #expect(try await library.asset(id)?.place == "Luzern, CH")
        #expect(try await library.namePlaces(names) == 0)
        let far = try #require(Location(latitude: 0, longitude: 0, source: .exif))
        try await library.setLocations([id: far])
        #expect(try await library.namePlaces(names) == 1)
        #expect(try await library.asset(id)?.place == nil)
    }
}
