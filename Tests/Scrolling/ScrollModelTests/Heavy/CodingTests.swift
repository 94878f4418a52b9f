import Foundation
import ScrollModel
import Testing

@Suite("Values of the scroll model as text")
struct CodingTests {
    private static func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private static func isKept<Value: Codable & Hashable>(_ value: Value) throws -> Bool {
        let copy = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        return copy == value && copy.hashValue == value.hashValue
    }

    @Test("are equal after encoding and decoding, with equal hashes")
    func coding() throws {
        #expect(try Self.isKept(Rotation(degrees: 33.5)))
        #expect(try Self.isKept(DecelerationRate.fast))
        #expect(try Self.isKept(Velocity(x: 1, y: -2)))
        #expect(try Self.isKept(Touch(id: 3, location: Point(x: 1, y: 2))))
        #expect(try Self.isKept(TouchPhase.ended))
        #expect(try Self.isKept(RectAlignment.center))
        #expect(try Self.isKept(RectEdge.bottom))
        #expect(try Self.isKept([RectEdge.Set.top, .left] as RectEdge.Set))
        #expect(try Self.isKept(Rounding.pixel(displayScale: 2)))
        #expect(try Self.isKept(ContentAlignment(x: 0.25, y: 1)))
        #expect(try Self.isKept(Timing.linear(duration: 2)))
        #expect(try Self.isKept(FlightPath.Easing.easeOut))
        #expect(try Self.isKept(FlightPath.Pose(Rect(x: 1, y: 2, width: 3, height: 4), hold: 1, duration: 2)))
        let archive = try #require(ScrollView.Archive(center: Point(x: 1, y: 2), zoom: 3))
        #expect(try Self.isKept(archive))
    }

    @Test("are limited when they are decoded, as by their initializers")
    func limits() throws {
        #expect(try Self.value([Rotation].self, "[450]") == [Rotation(degrees: 90)])
        #expect(try Self.value([DecelerationRate].self, "[7]")[0].perMillisecond == 0.9999)
        #expect(throws: DecodingError.self) { try Self.value(FlightPath.Easing.self, "[0,0,1]") }
        #expect(throws: DecodingError.self) { try Self.value(FlightPath.Easing.self, "[0,0,1,1,1]") }
    }

    @Test("are printed in one short line")
    func printing() {
        #expect("\(Rotation(degrees: 450))" == "90°")
        #expect("\(Rotation(degrees: 0.5))" == "0.5°")
        #expect("\(Velocity(x: 1.5, y: -2))" == "1.5,-2")
        #expect(
            "\([.minimumZoomScale, .maximumContentOffsetX] as ScrollView.Limits)"
                == "minimumZoomScale, maximumContentOffset.x")
    }
}
