import ScrollModel
import Testing
import ViewportGeometry

@Suite("Content that fits but for a rounding error")
struct FittingTests {
    /// Widths and heights of screens in points.
    private static let screens = [
        320, 360, 375, 390, 393, 402, 412, 414, 428, 430, 440, 568, 600, 667, 736, 744, 768, 800, 810, 812,
        820, 834,
        844, 852, 896, 926, 932, 1000, 1024,
    ]

    /// The widths that are wider than a screen at the scale at which they fit.
    private static func widths(_ screen: Int) -> [Int] {
        (1_000..<8_000).filter { Double($0) * (Double(screen) / Double($0)) > Double(screen) }
    }

    @Test("neither scrolls, bounces nor takes a drag, and has no indicator", arguments: screens)
    func fits(_ screen: Int) {
        let widths = Self.widths(screen)
        let side = Double(screen)
        for (number, width) in widths.enumerated() {
            let image = (Double(width), Double(width) / 2)
            var script = Script(
                (side, side), over: number % 2 == 0 ? image : (image.1, image.0), zoom: 0.01...10
            ) {
                $0.alwaysBounceVertical = false
            }
            let isWide = number % 2 == 0
            script.act { $0.setZoomScale(side / Double(width)) }
            let view = script.view
            #expect(view.zoomScale == side / Double(width))
            let (least, greatest) = (view.minimumContentOffset, view.maximumContentOffset)
            #expect(isWide ? least.x == greatest.x : least.y == greatest.y, "\(width)")
            #expect(view.horizontalScrollIndicator == nil && view.verticalScrollIndicator == nil, "\(width)")
            script.drag(from: (100, 100), to: (60, 60), seconds: 0.2)
            #expect(script.view.contentOffset == view.contentOffset && !script.view.isDragging, "\(width)")
        }
    }

    @Test("is found in thousands of pairs of images and screens")
    func pairs() {
        let pairs = Self.screens.reduce(0) { $0 + Self.widths($1).count }
        #expect(pairs > 2_000, "\(pairs)")
    }

    @Test("scrolls as soon as it is longer than that", arguments: [320.001, 320.5, 400])
    func scrolls(_ width: Double) {
        let script = Script((320, 320), over: (width, 100))
        #expect((script.view.maximumContentOffset.x - (width - 320)).magnitude < 1e-9)
    }
}
