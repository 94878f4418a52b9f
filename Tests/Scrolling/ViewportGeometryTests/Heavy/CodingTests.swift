import Foundation
import Testing
import ViewportGeometry

@Suite("Geometry as text")
struct CodingTests {
    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    private static func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("is coded as short lists, numbers and names")
    func coding() throws {
        let size = PixelSize<OutputGrid>(width: 1024, height: 768)
        #expect(try Self.json(size) == "[1024,768]")
        #expect(try Self.value(PixelSize<OutputGrid>.self, "[1024,768]") == size)
        let rect = PixelRect<StoredGrid>(x: -1, y: 2, width: 3, height: 4)
        #expect(try Self.json(rect) == "[-1,2,3,4]")
        #expect(try Self.value(PixelRect<StoredGrid>.self, "[-1,2,3,4]") == rect)
        #expect(try Self.json([Orientation.right, .left]) == "[6,8]")
        #expect(try Self.value([Orientation].self, "[6,8]") == [.right, .left])
        #expect(try Self.value([ContentMode].self, Self.json(ContentMode.allCases)) == ContentMode.allCases)
    }

    @Test("is not decoded from other lists", arguments: ["[1]", "[1,2,3]", "[1,2.5]", "{}", "9"])
    func rejection(_ json: String) {
        #expect(throws: DecodingError.self) { try Self.value(PixelSize<OutputGrid>.self, json) }
        #expect(throws: DecodingError.self) { try Self.value(PixelRect<OutputGrid>.self, json) }
        #expect(throws: DecodingError.self) { try Self.value(Orientation.self, json) }
    }

    @Test("is printed as options of the program take it")
    func printing() {
        #expect("\(Rect<ImageSpace>(x: 900, y: 587.5, width: 2048, height: 1536))" == "900,587.5,2048,1536")
        #expect("\(PixelRect<StoredGrid>(x: 1, y: 2, width: 3, height: 4))" == "1,2,3,4")
        #expect("\(PixelSize<OutputGrid>(width: 1024, height: 768))" == "1024x768")
    }
}
