import Foundation
import Testing
import ViewportGeometry

@Suite("Geometry")
struct GeometryFuzzTests {
    /// A seeded generator: the same seed gives the same numbers on every machine.
    struct Numbers {
        var state: UInt64

        mutating func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }

        mutating func integer() -> Int {
            let odd = [0, 1, -1, 5, 1 << 31, 1 << 62, .max, .max - 1, .min, .min + 1]
            return next(2) == 0 ? odd[next(odd.count)] : next(2000) - 1000
        }

        mutating func number() -> Double {
            let odd: [Double] = [
                0, -0.0, -1, .leastNonzeroMagnitude, 1e300, -1e300, .greatestFiniteMagnitude, .infinity,
                -.infinity, .nan,
            ]
            return next(2) == 0 ? odd[next(odd.count)] : Double(next(2000) - 1000) / 8
        }

        mutating func rect<Grid>() -> PixelRect<Grid> {
            PixelRect(x: integer(), y: integer(), width: integer(), height: integer())
        }

        mutating func realRect() -> Rect<ImageSpace> {
            Rect(x: number(), y: number(), width: number(), height: number())
        }
    }

    @Test("of whole pixels never traps, and intersections are inside both rectangles", arguments: 0..<40)
    func pixels(_ seed: Int) {
        var random = Numbers(state: UInt64(seed))
        for _ in 0..<500 {
            let a: PixelRect<StoredGrid> = random.rect()
            let b: PixelRect<StoredGrid> = random.rect()
            if let both = a.intersection(b) {
                #expect(!both.isEmpty && a.contains(both) && b.contains(both))
            }
            let size = PixelSize<StoredGrid>(width: random.integer(), height: random.integer())
            #expect(size.area >= 0 && (size.area == 0) == size.isEmpty)
            for orientation in Orientation.allCases {
                _ = orientation.stored(orientation.upright(a, in: size), in: size)
            }
            _ = Orientation(degrees: random.integer(), mirrored: true)
            _ = Orientation(exif: random.integer())
        }
    }

    @Test("of real numbers never traps, and frames are finite", arguments: 0..<40)
    func reals(_ seed: Int) {
        var random = Numbers(state: UInt64(seed) + 99)
        for _ in 0..<500 {
            let (a, b) = (random.realRect(), random.realRect())
            if let both = a.intersection(b) { #expect(!both.isEmpty) }
            _ = (a.contains(b.center), a.isEmpty, a.isFinite, a.maxX, b.maxY)
            for mode in ContentMode.allCases {
                let bounds = Size<ViewSpace>(width: b.width, height: b.height)
                #expect(mode.frame(of: a.size, in: bounds).isFinite)
            }
        }
    }

    @Test(
        "rejects invalid JSON",
        arguments: [
            "[]", "[1]", "[1,2,3]", "[1,null]", "{}", "1", #"["1","2"]"#, "[1,1e999]", #"["NaN",1]"#, "",
        ])
    func coding(_ text: String) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "NaN")
        let data = Data(text.utf8)
        #expect(throws: (any Error).self) { try decoder.decode(Point<ViewSpace>.self, from: data) }
        #expect(throws: (any Error).self) { try decoder.decode(Size<ViewSpace>.self, from: data) }
        #expect(throws: (any Error).self) { try decoder.decode(Rect<ViewSpace>.self, from: data) }
        #expect(throws: (any Error).self) { try decoder.decode(EdgeInsets.self, from: data) }
    }

    @Test("saturates sums at the limits of integers")
    func saturated() {
        let far = PixelRect<OutputGrid>(x: .max - 1, y: .min, width: 5, height: -5)
        #expect(far.maxX == .max && far.maxY == .min)
        let wide = PixelRect<OutputGrid>(x: .min, y: 0, width: .max, height: 1)
        let right = PixelRect<OutputGrid>(x: -10, y: 0, width: 5, height: 1)
        #expect(wide.maxX == -1 && wide.intersection(right) == right)
    }
}
