import Testing
import ViewportGeometry

@Suite("A content mode")
struct ContentModeTests {
    /// A 200x100 image in 100x100 bounds; the numbers follow from the definition of UIView.ContentMode.
    static let wide: [(ContentMode, Rect<ViewSpace>)] = [
        (.scaleToFill, Rect(x: 0, y: 0, width: 100, height: 100)),
        (.redraw, Rect(x: 0, y: 0, width: 100, height: 100)),
        (.scaleAspectFit, Rect(x: 0, y: 25, width: 100, height: 50)),
        (.scaleAspectFill, Rect(x: -50, y: 0, width: 200, height: 100)),
        (.center, Rect(x: -50, y: 0, width: 200, height: 100)),
        (.top, Rect(x: -50, y: 0, width: 200, height: 100)),
        (.bottom, Rect(x: -50, y: 0, width: 200, height: 100)),
        (.left, Rect(x: 0, y: 0, width: 200, height: 100)),
        (.right, Rect(x: -100, y: 0, width: 200, height: 100)),
        (.topLeft, Rect(x: 0, y: 0, width: 200, height: 100)),
        (.topRight, Rect(x: -100, y: 0, width: 200, height: 100)),
        (.bottomLeft, Rect(x: 0, y: 0, width: 200, height: 100)),
        (.bottomRight, Rect(x: -100, y: 0, width: 200, height: 100)),
    ]

    @Test("places a wide image in a square", arguments: wide)
    func layout(_ mode: ContentMode, _ expected: Rect<ViewSpace>) {
        #expect(mode.frame(of: Size(width: 200, height: 100), in: Size(width: 100, height: 100)) == expected)
    }

    @Test(
        "places a small image at its edge",
        arguments: [
            (ContentMode.top, 45.0, 0.0), (.bottom, 45, 80), (.left, 0, 40), (.right, 90, 40),
            (.center, 45, 40),
            (.topLeft, 0, 0), (.topRight, 90, 0), (.bottomLeft, 0, 80), (.bottomRight, 90, 80),
        ])
    func small(_ mode: ContentMode, x: Double, y: Double) {
        let frame = mode.frame(of: Size(width: 10, height: 20), in: Size(width: 100, height: 100))
        #expect(frame == Rect(x: x, y: y, width: 10, height: 20))
    }

    @Test("is one of thirteen and handles empty sizes", arguments: ContentMode.allCases)
    func empty(_ mode: ContentMode) {
        #expect(ContentMode.allCases.count == 13)
        #expect(mode.frame(of: .zero, in: Size(width: 10, height: 10)) == .zero)
    }
}
