import TestSupport
import Testing
import ViewportGeometry

@testable import ImageMetadata

@Suite("Metadata as text")
struct CodingTests {
    private static func date(hasTime: Bool = true, _ offset: String? = "+02:00") -> CaptureDate {
        CaptureDate(
            local: WallClock(year: 2014, month: 5, day: 25, hour: 10, fraction: hasTime ? "25" : "")!,
            hasTime: hasTime, offset: offset.flatMap { UTCOffset($0) }, source: .subSecDateTimeOriginal,
            zoneSource: offset == nil ? nil : .tag("OffsetTimeOriginal"))
    }

    private static let place = Location(
        latitude: 48.8577, longitude: 2.295, altitude: 35, accuracy: 5, source: .exif)!

    private static var exif: Exif {
        var exif = Exif()
        (exif.make, exif.model, exif.orientation) = ("FUJIFILM", "X100S", 6)
        (exif.date, exif.location) = (date(), place)
        (exif.exposure.seconds, exif.apple.burst, exif.preview) = (0.004, "B1", 100..<200)
        return exif
    }

    private static var gainMap: GainMapValues {
        var values = GainMapValues(minimum: 0, maximum: 2, alternateHeadroom: 2)
        values.gamma = SIMD3(1, 1.5, 2)
        return values
    }

    @Test(
        "is equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(date()), CodedValue(date(nil)), CodedValue(date(hasTime: false, nil)),
            CodedValue(place),
            CodedValue([ZoneSource.tag("A:B"), .inText, .definition, .assumed("Europe/Paris")]),
            CodedValue(exif), CodedValue(Exif()), CodedValue(gainMap), CodedValue(FileFormat.allCases),
            CodedValue(FileKind.allCases), CodedValue(DateSource.allCases),
            CodedValue(LocationSource.allCases),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("has dates and offsets in ISO 8601")
    func dates() throws {
        #expect(
            try encoded(Self.date())
                == #"{"hasTime":true,"local":"2014-05-25T10:00:00.25","offset":"+02:00","source":"#
                + #""SubSecDateTimeOriginal","zoneSource":"tag:OffsetTimeOriginal"}"#)
        for json in [#""2014-02-30T10:00:00""#, #""2014-05-25""#, #""2014-05-25T10:00:00Z""#] {
            #expect(throws: DecodingError.self) { try decoded(WallClock.self, json) }
        }
        #expect(throws: DecodingError.self) { try decoded(UTCOffset.self, #""+20:00""#) }
        #expect(throws: DecodingError.self) { try decoded(ZoneSource.self, #""zone""#) }
    }

    @Test("has no position out of range, and no gain map that cannot be applied")
    func ranges() {
        #expect(throws: DecodingError.self) {
            try decoded(Location.self, #"{"latitude":91,"longitude":0,"source":"EXIF"}"#)
        }
        #expect(throws: DecodingError.self) {
            try decoded(
                GainMapValues.self, #"{"minimum":[2,2,2],"maximum":[1,1,1],"alternateHeadroom":2}"#)
        }
    }

    @Test(
        "is printed in one short line",
        arguments: [
            ("\(date())", "2014-05-25T10:00:00.25+02:00"), ("\(date(nil))", "2014-05-25T10:00:00.25"),
            ("\(date(hasTime: false, nil))", "2014-05-25"), ("\(place)", "48.8577,2.295,35.0 m"),
            ("\(exif)", "FUJIFILM, X100S, 2014-05-25T10:00:00.25+02:00, 48.8577,2.295,35.0 m"),
            ("\(Exif())", "EXIF without camera and date"),
            ("\(AssumedZone(name: "Europe/Paris") { _ in nil })", "Europe/Paris"),
        ])
    func printing(_ text: String, _ expected: String) {
        #expect(text == expected)
    }
}
