import Foundation
import Testing
import ViewportGeometry
import Viewports

@Suite("Viewports as text")
struct CodingTests {
    private static let rect = Rect<ImageSpace>(x: 900, y: 587.5, width: 2048, height: 1536)
    private static let viewport = Viewport(imageRect: rect, size: PixelSize(width: 1024, height: 768))

    private static func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private static func isKept<Value: Codable & Hashable>(_ value: Value) throws -> Bool {
        let copy = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        return copy == value && copy.hashValue == value.hashValue
    }

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            viewport, Viewport(imageRect: rect, scale: 1),
            Viewport(imageRect: rect, scale: 1, isSubpixel: true),
        ])
    func viewports(_ viewport: Viewport) throws {
        #expect(try Self.isKept(viewport))
    }

    @Test(
        "are requested by values that are equal after encoding and decoding",
        arguments: [
            .fitted(Size(width: 640, height: 480)), .whole(zoom: 0.5), .rect(.points(rect), zoom: 2),
            .zoomToRect(.percent(x: 1, y: 2, width: 3, height: 4), bounds: Size(width: 640, height: 480)),
            .center(nil, zoom: 1, bounds: Size(width: 640, height: 480)),
            .offset(Point(x: 1, y: 2), zoom: 1, bounds: Size(width: 640, height: 480)),
            .contentMode(.scaleAspectFill, bounds: Size(width: 640, height: 480)),
            .fit(nil, width: 640, height: nil),
            .rectInContentMode(.points(rect), .center, bounds: Size(width: 640, height: 480)),
        ] as [ViewportRequest.Region])
    func requests(_ region: ViewportRequest.Region) throws {
        var request = ViewportRequest(region)
        #expect(try Self.isKept(request))
        (request.minimumZoomScale, request.displayScale, request.isSubpixel) = (0.1, 2, true)
        #expect(try Self.isKept(request))
        if let resolved = request.resolve(in: Size(width: 4032, height: 3024)) {
            #expect(try Self.isKept(resolved))
        }
    }

    @Test("have defaults for what is missing, and reject what is invalid")
    func defaults() throws {
        let json = #"{"imageRect":[900,587.5,2048,1536],"size":[1024,768]}"#
        #expect(try Self.value(Viewport.self, json) == Self.viewport)
        #expect(
            try Self.value(ViewportRequest.self, #"{"region":{"whole":{"zoom":0.5}}}"#)
                == ViewportRequest(.whole(zoom: 0.5)))
        #expect(throws: DecodingError.self) {
            try Self.value(ViewportRequest.self, #"{"region":{"whole":{"zoom":0}}}"#)
        }
    }

    @Test("are printed in one short line")
    func printing() {
        #expect("\(Self.viewport)" == "900,587.5,2048,1536 as 1024x768")
        let resolved = ViewportRequest(.whole(zoom: 0.5)).resolve(in: Size(width: 4032, height: 3024))
        #expect(resolved.map { "\($0)" } == "0,0,4032,3024 as 2016x1512, zoom 0.5")
    }
}
