import TestSupport
import Testing
import ViewportGeometry

@testable import TilePyramid

@Suite("Requests of the IIIF Image API")
struct IIIFRequestTests {
    static let size = PixelSize<UprightGrid>(width: 1000, height: 600)
    static let limits = IIIFLimits(area: 4_000_000, side: 3000)

    @Test(
        "are printed as they were parsed",
        arguments: [
            "full/max/0/default.jpg", "square/^max/!22.5/gray.png", "0,0,10,10/5,/90/bitonal.webp",
            "pct:12.5,0,50,41.666666667/,7/180/color.tif", "1,2,3,4/!8,9/360/default.gif",
            "full/^!8,9/0/default.jp2", "full/pct:33.3/0/default.avif", "full/^pct:150/0/default.jpg",
        ])
    func roundTrip(_ path: String) throws {
        #expect(try IIIFRequest(parsing: path).path == path)
    }

    @Test(
        "that break the grammar are errors",
        arguments: [
            "", "full/max/0/default.jpg/", "full/max/0", "/max/0/default.jpg", "Full/max/0/default.jpg",
            "full/full/0/default.jpg", "0,0,10/max/0/default.jpg", "0,0,10,10,10/max/0/default.jpg",
            "-1,0,10,10/max/0/default.jpg", "+1,0,10,10/max/0/default.jpg", "1.5,0,10,10/max/0/default.jpg",
            "1e1,0,10,10/max/0/default.jpg", "0x1,0,10,10/max/0/default.jpg", " 1,0,10,10/max/0/default.jpg",
            "pct:-1,0,10,10/max/0/default.jpg", "pct:nan,0,10,10/max/0/default.jpg",
            "pct:1e1,0,10,10/max/0/default.jpg", "pct:1.,0,10,10/max/0/default.jpg",
            "pct:.5,0,10,10/max/0/default.jpg", "pct:1.2.3,0,10,10/max/0/default.jpg",
            "99999999999,0,10,10/max/0/default.jpg", "full/max/-1/default.jpg", "full/max/361/default.jpg",
            "full/max/!!0/default.jpg", "full/max/0!/default.jpg", "full/max/1e2/default.jpg",
            "full/max/inf/default.jpg", "full/,/0/default.jpg", "full/!10/0/default.jpg",
            "full/^^10,/0/default.jpg", "full/10/0/default.jpg", "full/10,10,/0/default.jpg",
            "full/pct:/0/default.jpg", "full/max/0/default", "full/max/0/default.", "full/max/0/.jpg",
            "full/max/0/native.jpg", "full/max/0/default.jpg.png", "full/max/0/default.j%67",
        ])
    func broken(_ path: String) {
        #expect(throws: IIIFError.self) { try IIIFRequest(parsing: path) }
    }

    /// Requests for an image of 1000 x 600, their regions, sizes and canonical forms.
    static let meetings: [(String, PixelRect<UprightGrid>, (Int, Int), String)] = [
        ("full/max/0/default.jpg", PixelRect(size), (1000, 600), "full/max/0/default.jpg"),
        ("0,0,1000,600/1000,600/360/color.jpg", PixelRect(size), (1000, 600), "full/max/0/color.jpg"),
        (
            "square/100,/!90.0/gray.png", PixelRect(x: 200, y: 0, width: 600, height: 600), (100, 100),
            "200,0,600,600/100,100/!90/gray.png"
        ),
        (
            "900,500,400,400/max/0/default.jpg", PixelRect(x: 900, y: 500, width: 100, height: 100),
            (100, 100), "900,500,100,100/max/0/default.jpg"
        ),
        (
            "pct:10,10,33.3,50/,100/22.50/default.jpg", PixelRect(x: 100, y: 60, width: 333, height: 300),
            (111, 100), "100,60,333,300/111,100/22.5/default.jpg"
        ),
        ("full/!200,200/0/default.jpg", PixelRect(size), (200, 120), "full/200,120/0/default.jpg"),
        ("full/!2000,3000/0/default.jpg", PixelRect(size), (1000, 600), "full/max/0/default.jpg"),
        ("full/^!2000,3000/0/default.jpg", PixelRect(size), (2000, 1200), "full/^2000,1200/0/default.jpg"),
        ("full/^max/0/default.jpg", PixelRect(size), (2581, 1549), "full/^max/0/default.jpg"),
        ("full/pct:10.5/0/default.jpg", PixelRect(size), (105, 63), "full/105,63/0/default.jpg"),
        ("full/^100,100/0/default.jpg", PixelRect(size), (100, 100), "full/100,100/0/default.jpg"),
    ]

    @Test("are resolved as specified", arguments: meetings)
    func meets(
        _ path: String, _ region: PixelRect<UprightGrid>, _ pixels: (Int, Int), _ canonical: String
    ) throws {
        let picture = try IIIFRequest(parsing: path).resolved(for: Self.size, Self.limits)
        #expect(picture.region == region)
        #expect((picture.size.width, picture.size.height) == pixels)
        #expect(picture.canonicalPath == canonical)
        let again = try IIIFRequest(parsing: canonical).resolved(for: Self.size, Self.limits)
        #expect(again == picture)
    }

    @Test(
        "for empty, enlarged or too large pictures are errors",
        arguments: [
            "0,0,0,10/max/0/default.jpg", "0,0,10,0/max/0/default.jpg", "1000,0,10,10/max/0/default.jpg",
            "pct:100,0,10,10/max/0/default.jpg", "pct:0,0,0,10/max/0/default.jpg",
            "full/1001,/0/default.jpg", "full/,601/0/default.jpg", "full/1001,600/0/default.jpg",
            "full/pct:100.1/0/default.jpg", "full/0,/0/default.jpg", "full/pct:0/0/default.jpg",
            "full/pct:0.01/0/default.jpg", "full/^3001,/0/default.jpg", "full/^3000,3000/0/default.jpg",
            "full/!0,10/0/default.jpg", "full/^9999999999,/0/default.jpg",
        ])
    func impossible(_ path: String) throws {
        let request = try IIIFRequest(parsing: path)
        #expect(throws: IIIFError.self) { try request.resolved(for: Self.size, Self.limits) }
    }

    @Test("that enlarge are not implemented if the server does not allow it")
    func enlarging() throws {
        var limits = Self.limits
        limits.allowsEnlarging = false
        let request = try IIIFRequest(parsing: "full/^max/0/default.jpg")
        let error = #expect(throws: IIIFError.self) { try request.resolved(for: Self.size, limits) }
        guard case .notImplemented = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "of 2.1 have no ^, may enlarge, and have different canonical forms",
        arguments: [
            ("full/full/0/default.jpg", "full/full/0/default.jpg"),
            ("full/500,300/0/default.jpg", "full/500,/0/default.jpg"),
            ("full/1500,/0/default.jpg", "full/1500,/0/default.jpg"),
            ("full/500,500/0/default.jpg", "full/500,500/0/default.jpg"),
        ])
    func versionTwo(_ path: String, _ canonical: String) throws {
        let request = try IIIFRequest(parsing: path, version: .two)
        #expect(try request.resolved(for: Self.size, Self.limits, version: .two).canonicalPath == canonical)
        #expect(throws: IIIFError.self) {
            try IIIFRequest(parsing: "full/^500,/0/default.jpg", version: .two)
        }
    }

    @Test("with any numbers are resolved within the image and the limits, or refused")
    func anything() throws {
        var random = SplitMix64(seed: 7)
        func number() -> String {
            ["0", "1", "9999999999", "\(Int.random(in: 0...3000, using: &random))"].randomElement(
                using: &random)!
        }
        for _ in 0..<3000 {
            let region = [
                "full", "square", "\(number()),\(number()),\(number()),\(number())",
                "pct:\(number()),0,\(number()).5,1",
            ]
            let size = [
                "max", "^max", "\(number()),", ",\(number())", "^\(number()),\(number())",
                "!\(number()),\(number())", "pct:\(number())",
            ]
            let request = try IIIFRequest(
                region: region.randomElement(using: &random)!, size: size.randomElement(using: &random)!,
                rotation: "0", file: "default.jpg")
            guard let picture = try? request.resolved(for: Self.size, Self.limits) else { continue }
            #expect(
                PixelRect(Self.size).contains(picture.region) && !picture.region.isEmpty, "\(request.path)")
            #expect(Self.limits.allow(picture.size) && !picture.size.isEmpty, "\(request.path)")
        }
    }

    @Test("with extreme values are resolved or refused without a trap", arguments: 0..<8)
    func numbers(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let integers = [.min, -1, 0, 1, 7, 1 << 31, 1 << 62, Int.max]
        let doubles = [.nan, -.infinity, -1e300, -1, 0, 1e-9, 12.5, 360, 1e18, 1e300, Double.infinity]
        func integer() -> Int { integers.randomElement(using: &random)! }
        func double() -> Double { doubles.randomElement(using: &random)! }
        for _ in 0..<2000 {
            let regions: [IIIFRequest.Region] = [
                .full, .square, .pixels(x: integer(), y: integer(), width: integer(), height: integer()),
                .percent(x: double(), y: double(), width: double(), height: double()),
            ]
            let scales: [IIIFRequest.Scale] = [
                .max, .full, .width(integer()), .height(integer()), .percent(double()),
                .exact(width: integer(), height: integer()), .within(width: integer(), height: integer()),
            ]
            let request = IIIFRequest(
                region: regions.randomElement(using: &random)!,
                size: .init(scales.randomElement(using: &random)!, mayEnlarge: .random(using: &random)),
                rotation: .init(degrees: double()), format: "jpg")
            let size = PixelSize<UprightGrid>(width: integer(), height: integer())
            let limits = IIIFLimits(area: integer(), side: integer())
            let picture = try? request.resolved(
                for: size, limits, version: Bool.random(using: &random) ? .two : .three)
            #expect(picture.map { !$0.size.isEmpty && !$0.canonicalPath.isEmpty } ?? true)
            #expect(!request.path.isEmpty)
        }
    }

    @Test("for pyramids of any sizes do not trap", arguments: [Int.min, -1, 0, 1, 3, 1 << 40, .max])
    func levels(_ side: Int) {
        for full in [Int.min, 0, 1, 1 << 40, .max] {
            let level = PyramidLevel(
                index: 1, size: PixelSize(width: side, height: 1), of: PixelSize(width: full, height: 4))
            #expect(level.downsampleY == 4)
            let whole = PyramidLevel(
                index: 0, size: PixelSize(width: 1, height: 1), downsampleX: 1, downsampleY: 1)
            let pyramid = Pyramid(levels: [level, whole])
            for scale in [Double.nan, -1, 0, 0.1, 1, .infinity] {
                _ = pyramid.level(forScale: scale, oversampling: scale)
            }
        }
        let grid = TiledPyramid(
            size: PixelSize(width: side, height: side), tileSize: side, overlap: side, depth: .oneTile)
        #expect(grid.tileCount >= 0)
        _ = grid.rect(TilePosition(level: 0, column: grid.full.columns - 1, row: 0))
    }
}
