/// The progress of a controller's view onto the screen and off it.
public enum Appearance: String, CaseIterable, Sendable {
    /// Off screen.
    case disappeared
    /// Between `viewWillAppear` and `viewDidAppear`.
    case appearing
    /// On screen.
    case appeared
    /// Between `viewWillDisappear` and `viewDidDisappear`.
    case disappearing

    /// Whether the view is on screen at the end of the transition.
    public var isVisible: Bool { self == .appearing || self == .appeared }

    /// Whether no transition is in progress.
    var isSettled: Bool { self == .appeared || self == .disappeared }

    /// The appearance of a child with this appearance in its parent.
    ///
    /// A child is as visible as the less visible of the two, and settled when both are.
    func within(_ parent: Appearance) -> Appearance {
        if isVisible && parent.isVisible { return isSettled && parent.isSettled ? .appeared : .appearing }
        if self == .disappeared || parent == .disappeared { return .disappeared }
        return .disappearing
    }

    /// The next step on the way to another appearance; nil if there is none.
    ///
    /// A view that is off screen does not start to disappear, and one on screen does not start to appear.
    func step(to goal: Appearance) -> Appearance? {
        switch (self, goal) {
        case (.disappeared, .appearing), (.disappeared, .appeared): .appearing
        case (.disappearing, .appearing), (.disappearing, .appeared): .appearing
        case (.appearing, .appeared): .appeared
        case (.appearing, .disappearing), (.appearing, .disappeared): .disappearing
        case (.appeared, .disappearing), (.appeared, .disappeared): .disappearing
        case (.disappearing, .disappeared): .disappeared
        default: nil
        }
    }
}

/// A change from one child to another, in the order in which UIKit's container makes the calls.
@MainActor
struct AppearanceExchange {
    /// The orders of UIKit's containers.
    enum Order {
        /// Old and new begin, old and new end. A cancelled one ends the new view first.
        case navigation
        /// New and old begin, old and new end.
        case tabs
        /// New and old begin, new and old end. A cancelled one shows the old view first.
        case pages
    }

    let old: ViewController?
    let new: ViewController?
    let order: Order

    /// Begins the change; a callback that ends it ends the calls, too.
    func begin(animated: Bool, while isCurrent: () -> Bool) {
        let (hide, show) = ((old, false), (new, true))
        for (child, appears) in order == .navigation ? [hide, show] : [show, hide] where isCurrent() {
            child?.beginAppearanceTransition(appears, animated: animated)
        }
    }

    /// Ends the change, except for children whose transition a callback reversed.
    func finish() {
        let (hide, show) = ((old, false), (new, true))
        for (child, appears) in order == .pages ? [show, hide] : [hide, show] {
            child?.endAppearanceTransition(appearing: appears)
        }
    }

    /// Reverses the change and ends it.
    func cancel(animated: Bool) {
        for (child, appears) in order == .pages ? [(old, true), (new, false)] : [(new, false), (old, true)] {
            child?.beginAppearanceTransition(appears, animated: animated)
            child?.endAppearanceTransition(appearing: appears)
        }
    }
}
