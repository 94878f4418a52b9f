import Foundation
import ImageMetadata
import PhotoCatalog
import TestSupport
import Testing

@testable import AssetCatalog
@testable import Assets

@Suite("A track")
struct TrackTests {
    /// Returns GPX text with segments of "latitude longitude time" points.
    static func gpx(_ segments: [[String]]) -> String {
        let text = segments.map { points in
            let points = points.map { point in
                let parts = point.split(separator: " ")
                return
                    "<trkpt lat=\"\(parts[0])\" lon='\(parts[1])'><ele>10</ele><time>\(parts[2])</time></trkpt>"
            }
            return "<trkseg>\(points.joined())</trkseg>"
        }
        return "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk>\(text.joined())</trk></gpx>"
    }

    static func track(_ text: String) throws -> Track {
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("a.gpx"))
        return try Track(gpx: folder.path("a.gpx"))
    }

    /// 2014-05-25T08:00:00Z.
    static let eight = 1_401_004_800.0

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var segments: [[String]]
        var second: Double
        var gap = 60.0
        var place: (Double, Double)?
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "halfway between two points",
            segments: [["47 8 2014-05-25T08:00:00Z", "47 8.01 2014-05-25T08:01:00Z"]],
            second: 30, place: (47, 8.005)),
        Case(
            name: "across the date line",
            segments: [["0 179.99 2014-05-25T08:00:00Z", "0 -179.99 2014-05-25T08:01:00Z"]],
            second: 45, place: (0, -179.995)),
        Case(
            name: "unsorted, with other zones and fractions",
            segments: [["47 9 2014-05-25T10:00:10.5+02:00", "47 8 2014-05-25T08:00:00.5"]], second: 5.5,
            place: (47.0010873, 8.5)),
        Case(name: "at a point", segments: [["47 8 2014-05-25T08:00:00Z"]], second: 0, place: (47, 8)),
        Case(
            name: "before the first point", segments: [["47 8 2014-05-25T08:00:00Z"]], second: -60,
            place: (47, 8)),
        Case(name: "too long before it", segments: [["47 8 2014-05-25T08:00:00Z"]], second: -61),
        Case(
            name: "a long way within one segment",
            segments: [["0 8 2014-05-25T08:00:00Z", "0 9 2014-05-25T08:10:00Z"]], second: 60, place: (0, 8.1)),
        Case(
            name: "in the middle of a pause",
            segments: [["0 8 2014-05-25T08:00:00Z", "0 9 2014-05-25T08:10:00Z"]], second: 300),
        Case(
            name: "between segments, the nearer",
            segments: [["0 8 2014-05-25T08:00:00Z"], ["0 9 2014-05-25T08:10:00Z"]], second: 570, place: (0, 9)
        ),
        Case(
            name: "between segments close in time",
            segments: [["0 8 2014-05-25T08:00:00Z"], ["0 9 2014-05-25T08:00:20Z"]], second: 10,
            place: (0, 8.5)),
        Case(
            name: "two points at one instant",
            segments: [["0 8 2014-05-25T08:00:00Z", "0 8.5 2014-05-25T08:00:00Z"]], second: 0, place: (0, 8)),
    ]

    @Test("gives the location at a time", arguments: cases)
    func location(_ example: Case) throws {
        let track = try Self.track(Self.gpx(example.segments))
        let found = track.location(at: Self.eight + example.second, maximumGap: example.gap)
        #expect((found == nil) == (example.place == nil))
        guard let found, let place = example.place else { return }
        #expect(abs(found.latitude - place.0) < 1e-6 && abs(found.longitude - place.1) < 1e-6)
        #expect(found.source == .track)
    }

    @Test("is less accurate further away from its points")
    func accuracy() throws {
        let segments = [["0 8 2014-05-25T08:00:00Z", "0 8.01 2014-05-25T08:01:00Z"]]
        let track = try Self.track(Self.gpx(segments))
        func accuracy(_ second: Double) throws -> Double {
            try #require(track.location(at: Self.eight + second, maximumGap: 60)?.accuracy)
        }
        // A hundredth of a degree is 1112 m, which is 18.5 m/s.
        #expect(try accuracy(0) == 5)
        #expect(try abs(accuracy(30) - 561) < 1)
        #expect(try abs(accuracy(70) - 190.3) < 1)
    }

    @Test("ignores points without a time or location, routes and waypoints")
    func incomplete() throws {
        let track = try Self.track(
            """
            <gpx xmlns:x="y"><wpt lat="1" lon="1"><time>2014-05-25T08:00:00Z</time></wpt>
            <rte><rtept lat="1" lon="1"><time>2014-05-25T08:00:00Z</time></rtept></rte>
            <trk><name>a &lt; b <![CDATA[<trkpt>]]></name><trkseg>
            <trkpt lat="1" lon="1"/><trkpt lat="91" lon="1"><time>2014-05-25T08:00:00Z</time></trkpt>
            <trkpt lat="nan" lon="1"><time>2014-05-25T08:00:00Z</time></trkpt>
            <trkpt lat="1" lon="1"><time>0000-00-00T08:00:00Z</time></trkpt>
            <x:trkpt lat="2" lon="3"><x:time> 2014-05-25T08:00:00Z </x:time><hdop>2</hdop></x:trkpt>
            </trkseg></trk></gpx>
            """)
        #expect(track.count == 1)
        #expect(track.location(at: Self.eight, maximumGap: 0)?.accuracy == 10)
    }

    @Test(
        "is an error if the file is not GPX",
        arguments: [
            "", "{}", "<html></html>", "<gpx><trk>", "<gpx></gpx>",
            "<!DOCTYPE gpx [<!ENTITY a \"&b;&b;\">]><gpx>&a;</gpx>",
        ])
    func broken(_ text: String) throws {
        #expect(throws: LibraryError.self) { try Self.track(text) }
    }

    @Test("never traps on a damaged file")
    func fuzz() throws {
        let good = Array(Self.gpx([["47 8 2014-05-25T08:00:00Z", "47 8.01 2014-05-25T08:01:00Z"]]).utf8)
        var random = SplitMix64(seed: 7)
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let cut = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            let points = (try? GPXReader(cut))?.segments.flatMap(\.self) ?? []
            for point in points { #expect(abs(point.latitude) <= 90 && point.instant.isFinite) }
        }
    }
}
