import Testing
import ViewportGeometry

/// Members with the names of CGRect; the numbers follow from Apple's documentation.
@Suite("A rectangle")
struct RectTests {
    private let rect = Rect<ViewSpace>(x: 10, y: 20, width: 30, height: 50)

    @Test("has a middle per axis")
    func middle() {
        #expect(rect.midX == 25 && rect.midY == 45 && rect.center == Point(x: 25, y: 45))
    }

    @Test("is inset by edge insets")
    func inset() {
        let insets = EdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
        #expect(rect.inset(by: insets) == Rect(x: 12, y: 21, width: 24, height: 46))
        #expect(rect.inset(by: EdgeInsets(left: 20, right: 20)).isEmpty)
    }

    @Test("grows to whole numbers")
    func integral() {
        let part = Rect<ImageSpace>(x: 0.5, y: -0.5, width: 1, height: 1.5)
        #expect(part.integral == Rect(x: 0, y: -1, width: 2, height: 2))
        #expect(rect.integral == rect)
    }

    @Test("turns negative sizes around")
    func standardized() {
        let turned = Rect<ImageSpace>(x: 10, y: 20, width: -4, height: -6)
        #expect(turned.standardized == Rect(x: 6, y: 14, width: 4, height: 6))
        #expect(rect.standardized == rect)
    }

    @Test("of pixels begins at its first column and row")
    func pixels() {
        let pixels = PixelRect<StoredGrid>(x: 3, y: 4, width: 5, height: 6)
        #expect(pixels.minX == 3 && pixels.minY == 4 && pixels.maxX == 8 && pixels.maxY == 10)
    }
}
