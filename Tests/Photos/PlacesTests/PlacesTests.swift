import Foundation
import TestSupport
import Testing

@testable import Places

@Suite("Names of places")
struct PlacesTests {
    static let header = "lat,lon,name,admin1,admin2,cc\n"

    @Test("The tree finds the same nearest point as a linear search")
    func tree() throws {
        var random = SplitMix64(seed: 3)
        // Many are near the poles and the date line, and some occur twice.
        var places = (0..<2000).map { _ in
            (
                latitude: Double.random(in: -90...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random)
            )
        }
        places += (0..<500).map { _ in
            (
                latitude: Double.random(in: 85...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random)
            )
        }
        places += (0..<500).map { _ in
            (
                latitude: Double.random(in: -5...5, using: &random),
                longitude: Bool.random(using: &random) ? 179.9 : -179.95
            )
        }
        places += places.prefix(50)
        let points = places.map { SpherePoint(latitude: $0.latitude, longitude: $0.longitude) }
        let tree = SphereTree(ordered: SphereTree.order(of: points).map { points[$0] })
        for _ in 0..<2000 {
            let place = SpherePoint(
                latitude: Double.random(in: -90...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random))
            let limit = Double.random(in: 0...1_000_000, using: &random)
            let all = points.map { place.squaredChord(to: $0) }.min() ?? 0
            let found = tree.nearest(to: place, within: limit)
            let expected = SpherePoint.distance(ofSquaredChord: all)
            #expect(found.map(\.distance) == (expected <= limit ? expected : nil))
        }
    }

    @Test(
        "Distances follow the great circle",
        arguments: [
            ((0.0, 0.0), (0.0, 1.0), 111_195.08), ((0, 179.5), (0, -179.5), 111_195.08),
            ((90, 0), (90, 123), 0), ((89.5, 0), (89.5, 180), 111_195.08), ((0, 0), (0, 180), 20_015_114.4),
        ])
    func distance(_ a: (Double, Double), _ b: (Double, Double), _ meters: Double) {
        let from = SpherePoint(latitude: a.0, longitude: a.1)
        let distance = from.distance(to: SpherePoint(latitude: b.0, longitude: b.1))
        #expect(abs(distance - meters) < 1)
    }

    @Test(
        "A list of towns is read in every format",
        arguments: [
            header
                + "46.2,6.14,Geneve,Geneve,,CH\n47.37,8.55,\"Zurich, City\",Zurich,,CH\r\nbroken\n91,1,No,,,XX\n",
            "1\tGeneve\tGeneva\t\t46.2\t6.14\tP\tPPL\tCH\t\tGeneve\t\t\t\t1\t\t1\tx\t2014\n"
                + "2\tZurich, City\tZ\t\t47.37\t8.55\tP\tPPL\tCH\t\tZurich\t\t\t\t1\t\t1\tx\t2014\n",
            CityFile.header + "46.2\t6.14\tGeneve\tGeneve\tCH\n47.37\t8.55\tZurich, City\tZurich\tCH\n",
        ])
    func forms(_ text: String) throws {
        let cities = try #require(CityFile(Array(text.utf8))?.cities)
        #expect(cities.map(\.label) == ["Geneve, CH", "Zurich, City, Zurich, CH"])
        let copied = try #require(CityFile(CityFile.bytes(of: cities))?.cities)
        #expect(Set(copied) == Set(cities))
    }

    @Test("Other files are not lists of towns", arguments: ["", "a,b,c\n1,2,3\n", header, "lat\tlon\n"])
    func noList(_ text: String) {
        #expect(CityFile(Array(text.utf8)) == nil)
    }

    @Test("A location is named by the nearest town, by the country further away, and not at sea")
    func names() throws {
        let text = Self.header + "46.2,6.14,Geneve,Geneve,,CH\n-16.5,179.99,Labasa,Northern,,FJ\n"
        let cities = try #require(CityFile(Array(text.utf8))?.cities)
        let names = PlaceNames(ordered: try #require(CityFile(CityFile.bytes(of: cities))?.cities))
        #expect(names.name(latitude: 46.3, longitude: 6.2) == "Geneve, CH")
        #expect(names.name(latitude: 47.2, longitude: 6.2) == "CH")
        #expect(names.name(latitude: -16.5, longitude: -179.9) == "Labasa, Northern, FJ")
        #expect(names.name(latitude: 0, longitude: 0) == nil)
    }
}
