import TestHarness
import TestSupport
import Testing
import ViewportControl

@MainActor
@Suite("A container")
struct ContainerTests {
    let log = CallLog()

    private func controllers(_ names: String) -> [LoggedController] {
        names.map { LoggedController(String($0), log) }
    }

    @Test("pushes in the order of UINavigationController")
    func push() {
        let c = controllers("ab")
        let navigation = NavigationController(root: c[0])
        let window = Window(size: phone, root: navigation)
        #expect(c[0].sizeAtLayout == phone)
        _ = log.take()
        navigation.push(c[1], animated: true)
        window.update()
        #expect(
            log.take() == [
                "b.willMove", "b.loadView", "b.viewDidLoad", "a.willDisappear", "b.willAppear",
                "b.willLayout",
                "b.didLayout",
            ], "an animated push waits for its animation")
        window.finishAnimations()
        #expect(log.take() == ["a.didDisappear", "b.didAppear", "b.didMove"])
        #expect(names(navigation.view.subviews.map(\.controller)) == "b")
        navigation.push(c[1])
        navigation.push(navigation)
        #expect(log.take() == [])
        #expect(names(navigation.viewControllers) == "ab")
    }

    @Test("pops to a controller on the stack, and is found by what it contains")
    func popToController() {
        let c = controllers("abcd")
        let navigation = NavigationController(root: c[0])
        navigation.push(c[1])
        navigation.push(c[2])
        let tabs = TabController([navigation])
        #expect(c[2].navigationController === navigation && c[2].tabController === tabs)
        #expect(navigation.navigationController == nil && tabs.tabController == nil)
        #expect(navigation.pop(to: c[3]).isEmpty)
        #expect(names(navigation.pop(to: c[0])) == "bc")
        #expect(navigation.topViewController === c[0] && c[2].navigationController == nil)
    }

    @Test("pops in the order of UINavigationController, and releases what it popped")
    func pop() {
        var c = controllers("abc")
        let navigation = NavigationController(root: c[0])
        navigation.push(c[1])
        navigation.push(c[2])
        let window = Window(size: phone, root: navigation)
        #expect(log.takeAppearances() == ["c.willAppear", "c.didAppear"])
        #expect(navigation.pop() === c[2])
        window.update()
        #expect(
            log.take() == [
                "c.willMove(nil)", "b.loadView", "b.viewDidLoad", "c.willDisappear", "b.willAppear",
                "b.willLayout",
                "b.didLayout", "c.didDisappear", "b.didAppear", "c.didMove(nil)",
            ])
        navigation.push(c[2])
        window.update()
        _ = log.take()
        #expect(names(navigation.popToRoot()) == "bc")
        window.update()
        #expect(
            log.takeAppearances() == ["c.willDisappear", "a.willAppear", "c.didDisappear", "a.didAppear"],
            "the controller between them is not called")
        #expect(navigation.pop() == nil && navigation.popToRoot().isEmpty)
        weak let released = c[2]
        c = []
        #expect(released == nil)
    }

    @Test("cancels a pop in the order of UINavigationController")
    func cancelledPop() {
        let c = controllers("ab")
        let navigation = NavigationController(root: c[0])
        navigation.push(c[1])
        let window = Window(size: phone, root: navigation)
        _ = log.take()
        navigation.pop(animated: true)
        navigation.cancelPop()
        window.finishAnimations()
        #expect(
            log.takeAppearances() == [
                "b.willDisappear", "a.willAppear", "a.willDisappear", "a.didDisappear", "b.willAppear",
                "b.didAppear",
            ])
        #expect(
            names(navigation.viewControllers) == "ab"
                && names(navigation.view.subviews.map(\.controller)) == "b")
        navigation.cancelPop()
        navigation.push(LoggedController("c", log), animated: true)
        navigation.cancelPop()
        #expect(navigation.viewControllers.count == 3, "a push is not a pop")
    }

    @Test("ends a transition before the next one, and reverses it when it is hidden half way")
    func interrupted() {
        let c = controllers("abc")
        let navigation = NavigationController(root: c[0])
        let window = Window(size: phone, root: navigation)
        _ = log.take()
        navigation.push(c[1], animated: true)
        navigation.push(c[2], animated: true)
        window.hide()
        #expect(
            log.takeAppearances() == [
                "a.willDisappear", "b.willAppear", "a.didDisappear", "b.didAppear", "b.willDisappear",
                "c.willAppear", "c.willDisappear", "b.didDisappear", "c.didDisappear",
            ])
        window.finishAnimations()
        window.show()
        window.finishAnimations()
        #expect(log.takeAppearances() == ["c.willAppear", "c.didAppear"])
        #expect(c.flatMap(\.faults) == [])
    }

    @Test("can be changed by the callbacks of its own transitions")
    func reentered() {
        let c = controllers("abcd")
        let navigation = NavigationController(root: c[0])
        let window = Window(size: phone, root: navigation)
        _ = log.take()
        c[0].after["willDisappear"] = { [weak navigation] in navigation?.push(c[2]) }
        navigation.push(c[1])
        window.update()
        #expect(
            log.takeAppearances() == [
                "a.willDisappear", "a.didDisappear", "b.willAppear", "b.willDisappear", "c.willAppear",
                "b.didDisappear", "c.didAppear",
            ])
        c[2].after["didDisappear"] = { [weak navigation] in navigation?.push(c[3], animated: true) }
        navigation.pop()
        window.update()
        #expect(
            log.takeAppearances() == [
                "c.willDisappear", "b.willAppear", "c.didDisappear", "b.willDisappear", "d.willAppear",
            ], "the transition that the callback began goes on")
        window.finishAnimations()
        #expect(log.takeAppearances() == ["b.didDisappear", "d.didAppear"])
        #expect(names(navigation.viewControllers) == "abd" && c.flatMap(\.faults) == [])
    }

    @Test("selects tabs in the order of UITabBarController and loads their views then")
    func tabs() {
        let c = controllers("ab")
        let tabs = TabController(c)
        let window = Window(size: phone, root: tabs)
        #expect(!c[1].isViewLoaded)
        _ = log.take()
        tabs.selectedIndex = 1
        window.update()
        #expect(
            log.take() == [
                "b.loadView", "b.viewDidLoad", "b.willAppear", "a.willDisappear", "b.willLayout",
                "b.didLayout",
                "a.didDisappear", "b.didAppear",
            ])
        for index in [1, 2, -1, .max] { tabs.selectedIndex = index }
        #expect(tabs.selectedIndex == 1 && log.take() == [])
        tabs.selectedIndex = 0
        tabs.selectedIndex = 1
        window.update()
        #expect(
            log.takeAppearances() == [
                "a.willAppear", "b.willDisappear", "b.didDisappear", "a.didAppear", "b.willAppear",
                "a.willDisappear", "a.didDisappear", "b.didAppear",
            ])
        #expect(names(tabs.view.subviews.map(\.controller)) == "b")
        #expect(TabController([]).selectedViewController == nil)
        let same = TabController([c[0], c[0]])
        window.rootViewController = same
        window.update()
        _ = log.take()
        same.selectedIndex = 1
        window.update()
        #expect(log.takeAppearances() == [] && c[0].appearance == .appeared)
    }

    @Test("turns pages in the order of UIPageViewController")
    func pages() throws {
        let pages = PageController(pageCount: 3) { LoggedController("\($0)", log) }
        let window = Window(size: phone, root: pages)
        #expect(log.takeAppearances() == ["0.willAppear", "0.didAppear"])
        func drag(_ phase: TouchPhase, _ x: Double, at time: Double) {
            pages.scrollView.perform {
                $0.advance(to: time)
                return $0.touches([Touch(id: 1, location: Point(x: x, y: 100))], phase: phase)
            }
            window.update()
        }
        drag(.began, 300, at: 0)
        drag(.moved, 200, at: 1)
        #expect(log.takeAppearances() == ["1.willAppear", "0.willDisappear"])
        drag(.moved, 30, at: 2)
        drag(.ended, 30, at: 3)
        pages.scrollView.perform { $0.advance(to: 9) }
        #expect(log.takeAppearances() == ["1.didAppear", "0.didDisappear"])
        #expect(pages.currentIndex == 1 && pages.children.count == 1)
        drag(.began, 300, at: 10)
        drag(.moved, 250, at: 11)
        drag(.ended, 250, at: 13)
        pages.scrollView.perform { $0.advance(to: 19) }
        #expect(
            log.takeAppearances() == [
                "2.willAppear", "1.willDisappear", "1.willAppear", "1.didAppear", "2.willDisappear",
                "2.didDisappear",
            ], "a page that is let go before half of it is shown")
        pages.scrollView.perform { $0.scrollToPage(0, 0) }
        #expect(
            log.takeAppearances() == ["0.willAppear", "1.willDisappear", "0.didAppear", "1.didDisappear"])
        window.rotate()
        #expect(pages.scrollView.model.bounds == Size(width: 480, height: 320) && pages.currentIndex == 0)
        let current = try #require(pages.currentViewController)
        #expect(current.view.frame == Rect(x: 0, y: 0, width: 480, height: 320))
    }

    @Test(
        "shows a page by its number, before and after the first layout", arguments: [(2, 2), (-5, 0), (9, 3)])
    func shownPages(index: Int, expected: Int) throws {
        let pages = PageController(pageCount: 4, first: 1) { LoggedController("\($0)", log) }
        pages.show(page: index)
        #expect(pages.currentIndex == expected && pages.children.count == 1)
        let window = Window(size: phone, root: pages)
        #expect(log.takeAppearances() == ["\(expected).willAppear", "\(expected).didAppear"])
        let width = pages.scrollView.model.bounds.width
        #expect(pages.scrollView.model.contentOffset.x == Double(expected) * width)
        pages.show(page: 1)
        window.update()
        #expect(pages.currentIndex == 1 && pages.scrollView.model.contentOffset.x == width)
        pages.show(page: index, animated: true)
        #expect(pages.scrollView.model.isAnimating)
        pages.scrollView.perform { $0.advance(to: $0.time + 9) }
        #expect(pages.currentIndex == expected && pages.children.count == 1)
    }

    @Test("accepts any number of pages and any first page", arguments: [-1, 0, 1, Int.max])
    func pageNumbers(number: Int) {
        let pages = PageController(pageCount: number, first: number) { _ in ViewController() }
        let window = Window(size: .zero, root: pages)
        for size in [Size(width: 1e-300, height: 1), Size(width: 1e300, height: 1e-9), phone] {
            window.resize(to: size)
            pages.scrollView.perform { $0.setContentOffset(Point(x: 1e300, y: 0)) }
        }
        pages.scrollView.perform { $0.scrollToPage(number > 0 ? 1 : -1, 0) }
        #expect((0..<pages.pageCount).contains(pages.currentIndex))
        #expect(pages.children.count == 1)
    }
}

/// Returns the names of controllers.
@MainActor
private func names(_ controllers: [ViewController?]) -> String {
    controllers.map { ($0 as? LoggedController)?.name ?? "?" }.joined()
}

/// Random sequences of operations on a tree of controllers and containers, some from within callbacks.
@MainActor
@Suite("Any sequence of operations")
struct RandomOperationTests {
    @Test("makes each call once, in a legal order, and to nobody else")
    func legal() {
        let callsToOne = (0..<40).map(play).reduce(0, +)
        #expect(callsToOne > 50, "the sequences reach controllers on screen")
    }

    /// Plays a sequence, and returns the number of calls of operations on one controller.
    private func play(seed: Int) -> Int {
        var random = SplitMix64(seed: UInt64(seed))
        let log = CallLog()
        let plain = (0..<5).map { LoggedController("p\($0)", log) }
        let byHand = ForwardingController("hand", log)
        let pushed = (0..<4).map { LoggedController("n\($0)", log) }
        let tabbed = (0..<3).map { LoggedController("t\($0)", log) }
        let tabs = TabController(tabbed)
        let navigation = NavigationController(root: tabs)
        let all = plain + [byHand] + pushed + tabbed
        let window = Window(size: phone, root: plain[0])
        plain[0].embed(navigation)

        /// An operation, and the controller that it concerns if it concerns only one.
        func operation(_ random: inout SplitMix64) -> (
            perform: @MainActor () -> Void, subject: LoggedController?
        ) {
            let (a, b) = (all.randomElement(using: &random)!, all.randomElement(using: &random)!)
            let (kind, flag) = (Int(random.next() % 18), random.next() % 2 == 0)
            let perform = { @MainActor in
                switch kind {
                case 0, 1, 2: if a.parent == nil || a.parent is LoggedController { b.embed(a) }
                case 3, 4: (a.parent as? LoggedController)?.unembed(a)
                case 5: window.isShown ? window.hide() : window.show()
                case 6: window.rotate()
                case 7, 8: window.update()
                case 9: window.finishAnimations()
                case 10, 11: if b.parent == nil { navigation.push(b, animated: flag) }
                case 12: navigation.pop(animated: flag)
                case 13: navigation.cancelPop()
                case 14: navigation.popToRoot(animated: flag)
                case 15: tabs.selectedIndex = (tabs.selectedIndex + 1) % 3
                case 16: a.beginAppearanceTransition(flag && a.parent != nil, animated: flag)
                default: a.endAppearanceTransition()
                }
            }
            return (perform, [0, 1, 2, 3, 4, 16, 17].contains(kind) ? a : nil)
        }
        _ = log.take()
        var callsToOne = 0
        for step in 0..<TestLength.repetitions(2000, short: 150) {
            if step > 30, random.next() % 4 == 0 {
                let calls = [
                    "viewDidLoad", "willAppear", "didAppear", "willDisappear", "didDisappear",
                ]
                let other = operation(&random).perform
                all.randomElement(using: &random)!.after[calls.randomElement(using: &random)!] = other
            }
            let (perform, subject) = operation(&random)
            let isAlone = all.allSatisfy(\.after.isEmpty)
            let before = subject.map(Self.names(in:)) ?? []
            perform()
            let (faults, calls) = (all.flatMap(\.faults), log.takeAppearances())
            #expect(faults == [], "seed \(seed), step \(step): \(calls)")
            guard faults.isEmpty else { return 0 }
            if let subject, isAlone {
                // Nobody else is called: only the controller that was added or removed, and those in it.
                let concerned = before.union(Self.names(in: subject))
                let others = calls.filter { !concerned.contains(String($0.prefix { $0 != "." })) }
                #expect(others == [], "seed \(seed), step \(step): \(subject.name)")
                callsToOne += calls.count
            }
            // The state that the automaton derives from the calls is the one that the controller reports.
            for controller in all where controller.isViewLoaded {
                #expect(
                    controller.appearance == Self.appearances[controller.state], "seed \(seed), step \(step)")
            }
            check(all, window, "seed \(seed), step \(step)")
        }
        return callsToOne
    }

    /// The names of a controller and of those in it.
    private static func names(in controller: ViewController) -> Set<String> {
        let own = (controller as? LoggedController).map { [$0.name] } ?? []
        return controller.children.reduce(into: Set(own)) { $0.formUnion(names(in: $1)) }
    }

    private static let appearances: [String: Appearance] = [
        "off": .disappeared, "appearing": .appearing, "on": .appeared, "disappearing": .disappearing,
    ]

    /// No child is more visible than the parent that forwards to it.
    private func check(_ all: [LoggedController], _ window: Window, _ step: Comment) {
        for controller in all {
            guard let parent = controller.parent, parent.shouldAutomaticallyForwardAppearanceMethods else {
                continue
            }
            switch parent.appearance {
            case .disappeared: #expect(controller.appearance == .disappeared, step)
            case .disappearing: #expect(!controller.appearance.isVisible, step)
            case .appearing: #expect(controller.appearance != .appeared, step)
            case .appeared: break
            }
        }
        if !window.isShown, let root = window.rootViewController {
            #expect(root.appearance == .disappeared, step)
        }
    }
}
