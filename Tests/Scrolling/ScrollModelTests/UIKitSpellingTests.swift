import ScrollModel
import Testing

/// Members that have UIKit's spelling beside their own.
@Suite("UIKit's spelling")
struct UIKitSpellingTests {
    /// A view of 100x200 over an image of 1000x1000, which zooms from 0.1 to 4.
    private static var view: ScrollView {
        var view = ScrollView(
            bounds: Size(width: 100, height: 200), viewSize: Size(width: 1000, height: 1000))
        view.setZoomLimits(minimum: 0.1, maximum: 4)
        return view
    }

    private typealias Operation = @Sendable (inout ScrollView) -> ScrollEvents

    /// Operations with a Boolean, and what each stands for.
    private static func operations(animated: Bool) -> [(spelled: Operation, own: Operation)] {
        let offset = Point<ContentSpace>(x: 300, y: 400)
        let part = Rect<ContentSpace>(x: 500, y: 600, width: 50, height: 50)
        let rect = Rect<ImageSpace>(x: 200, y: 300, width: 100, height: 100)
        let timing = Timing.standard
        return [
            (
                { $0.setContentOffset(offset, animated: animated) },
                { animated ? $0.setContentOffset(offset, animated: timing) : $0.setContentOffset(offset) }
            ),
            (
                { $0.setZoomScale(2, animated: animated) },
                { animated ? $0.setZoomScale(2, animated: timing) : $0.setZoomScale(2) }
            ),
            (
                { $0.zoom(to: rect, animated: animated) },
                { animated ? $0.zoom(to: rect, animated: timing) : $0.zoom(to: rect) }
            ),
            (
                { $0.scrollRectToVisible(part, animated: animated) },
                {
                    animated ? $0.scrollRectToVisible(part, animated: timing) : $0.scrollRectToVisible(part)
                }
            ),
        ]
    }

    @Test("of an operation does what its own spelling does", arguments: [true, false])
    func booleans(_ animated: Bool) {
        for (spelled, own) in Self.operations(animated: animated) {
            var (first, second) = (Self.view, Self.view)
            #expect(spelled(&first) == own(&second))
            #expect(first == second && first.isAnimating == animated)
        }
    }

    @Test("of an operation ends in the same state, animated or not")
    func restingStates() {
        for (slow, fast) in zip(Self.operations(animated: true), Self.operations(animated: false)) {
            var (first, second) = (Self.view, Self.view)
            _ = slow.spelled(&first)
            first.advance(to: 1)
            _ = fast.spelled(&second)
            #expect(first.zoomScale == second.zoomScale && first.contentOffset == second.contentOffset)
            #expect(first.contentOffset != Self.view.contentOffset)
        }
    }

    @Test("of a Boolean also works for taps and pages")
    func taps() {
        let point = Point<ViewSpace>(x: 20, y: 30)
        let pairs: [(Operation, Operation)] = [
            ({ $0.doubleTap(at: point, animated: true) }, { $0.doubleTap(at: point) }),
            ({ $0.doubleTap(at: point, animated: false) }, { $0.doubleTap(at: point, animated: nil) }),
            ({ $0.twoFingerTap(at: point, animated: true) }, { $0.twoFingerTap(at: point) }),
            ({ $0.scrollToPage(1, 0, animated: true) }, { $0.scrollToPage(1, 0, animated: .standard) }),
            ({ $0.scrollToPage(1, 0, animated: false) }, { $0.scrollToPage(1, 0) }),
        ]
        for (spelled, own) in pairs {
            var (first, second) = (Self.view, Self.view)
            #expect(spelled(&first) == own(&second))
            #expect(first == second && first.isMoving == first.isAnimating)
        }
    }

    @Test("of nested types names the types of the module")
    func nestedTypes() {
        var view = Self.view
        view.decelerationRate = ScrollView.DecelerationRate.fast
        let behavior: ScrollView.ContentInsetAdjustmentBehavior = .never
        view.setContentInsetAdjustmentBehavior(behavior)
        #expect(view.decelerationRate == .fast && view.contentInsetAdjustmentBehavior == .never)
    }
}
