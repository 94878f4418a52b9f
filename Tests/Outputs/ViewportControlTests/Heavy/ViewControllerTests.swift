import Testing
import ViewportControl

@MainActor
@Suite("A view controller")
struct ViewControllerTests {
    let log = CallLog()

    @Test("is called in UIKit's order when it is shown, and loads its view once")
    func order() {
        let a = LoggedController("a", log)
        #expect(!a.isViewLoaded)
        let window = Window(size: phone, root: a)
        #expect(
            log.take() == [
                "a.loadView", "a.viewDidLoad", "a.willAppear", "a.willLayout", "a.didLayout", "a.didAppear",
            ])
        #expect(a.sizeAtLayout == phone)
        window.hide()
        #expect(log.take() == ["a.willDisappear", "a.didDisappear"])
        window.show()
        #expect(log.takeAppearances() == ["a.willAppear", "a.didAppear"])
        #expect(a.faults == [])
    }

    @Test("loads its view when it is first used, without a size and without appearing")
    func lazy() {
        let a = LoggedController("a", log)
        #expect(a.view.bounds == .zero)
        _ = a.view
        a.loadViewIfNeeded()
        #expect(log.take() == ["a.loadView", "a.viewDidLoad"])
        #expect(a.appearance == .disappeared)
    }

    @Test("gets its next size before the layout when the device is rotated, as do the children that fill it")
    func rotation() {
        let (a, b) = (LoggedController("a", log), LoggedController("b", log))
        a.embed(b)
        let window = Window(size: phone, root: a)
        _ = log.take()
        window.rotate()
        #expect(
            log.take() == [
                "a.willTransition(480x320)", "b.willTransition(480x320)", "a.willLayout", "a.didLayout",
                "b.willLayout", "b.didLayout",
            ])
        #expect(a.sizeAtLayout == Size(width: 480, height: 320))
        let (parent, small) = (ViewController(), LoggedController("small", log))
        parent.addChild(small)
        parent.view.addSubview(small.view)
        small.view.frame = Rect(x: 0, y: 0, width: 10, height: 10)
        window.rootViewController = parent
        window.update()
        _ = log.take()
        window.rotate()
        #expect(log.take() == [], "its size stays")
        window.resize(to: phone)
        window.resize(to: Size(width: .nan, height: 1))
        #expect(log.take() == [])
    }

    @Test("passes memory warnings to its children, also to those off screen")
    func memory() {
        let (a, b) = (LoggedController("a", log), LoggedController("b", log))
        a.addChild(b)
        let window = Window(size: phone, root: a)
        _ = log.take()
        window.sendMemoryWarning()
        #expect(log.take() == ["a.memoryWarning", "b.memoryWarning"])
        #expect(!b.isViewLoaded)
    }

    @Test("appears with its parent: parents begin first and end last")
    func nested() {
        let (a, b) = (LoggedController("a", log), LoggedController("b", log))
        a.embed(b)
        #expect(
            log.take() == [
                "b.willMove", "a.loadView", "a.viewDidLoad", "b.loadView", "b.viewDidLoad", "b.didMove",
            ])
        let window = Window(size: phone, root: a)
        #expect(log.takeAppearances() == ["a.willAppear", "b.willAppear", "b.didAppear", "a.didAppear"])
        window.hide()
        #expect(
            log.takeAppearances()
                == ["a.willDisappear", "b.willDisappear", "b.didDisappear", "a.didDisappear"])
    }

    @Test("appears alone when it is added to a parent on screen, and disappears alone when it is removed")
    func addition() {
        let (a, b, c) = (
            LoggedController("a", log), LoggedController("b", log), LoggedController("c", log)
        )
        a.embed(b)
        let window = Window(size: phone, root: a)
        _ = log.take()
        a.embed(c)
        #expect(log.take() == ["c.willMove", "c.loadView", "c.viewDidLoad", "c.willAppear", "c.didMove"])
        window.update()
        #expect(
            log.take() == [
                "a.willLayout", "a.didLayout", "c.willLayout", "c.didLayout", "c.didAppear",
            ])
        a.unembed(c)
        #expect(log.take() == ["c.willMove(nil)", "c.willDisappear", "c.didDisappear", "c.didMove(nil)"])
        a.embed(c)
        a.unembed(c)
        window.update()
        #expect(
            log.takeAppearances() == ["c.willAppear", "c.willDisappear", "c.didDisappear"],
            "removed before it had appeared")
        b.removeFromParent()
        #expect(log.take().suffix(3) == ["b.willDisappear", "b.didDisappear", "b.didMove(nil)"])
        #expect([a, b, c].flatMap(\.faults) == [])
    }

    @Test("does not appear without being a child, or as a child without its view")
    func halves() {
        let (a, b, c) = (
            LoggedController("a", log), LoggedController("b", log), LoggedController("c", log)
        )
        let window = Window(size: phone, root: a)
        _ = log.take()
        a.view.addSubview(b.view)
        a.addChild(c)
        window.update()
        #expect(log.takeAppearances() == [])
        a.addChild(b)
        let between = View()
        a.view.addSubview(between)
        between.addSubview(c.view)
        window.update()
        #expect(log.takeAppearances() == ["b.willAppear", "c.willAppear", "b.didAppear", "c.didAppear"])
        between.removeFromSuperview()
        #expect(log.takeAppearances() == ["c.willDisappear", "c.didDisappear"])
    }

    @Test("is not added to itself or to one of its children, and leaves the parent that it had")
    func cycles() {
        let (a, b, c) = (
            LoggedController("a", log), LoggedController("b", log), LoggedController("c", log)
        )
        a.embed(b)
        b.embed(c)
        _ = log.take()
        for (parent, child) in [(a, a), (b, a), (c, a), (a, b)] { parent.addChild(child) }
        #expect(log.take() == [])
        a.addChild(c)
        #expect(c.parent === a)
        #expect(b.children.isEmpty)
        #expect(log.take() == ["c.didMove(nil)", "c.willMove"])
        c.view.addSubview(a.view)
        #expect(a.view.superview == nil)
    }

    @Test("can be driven by hand: begun transitions are ended, reversed and nested without extra calls")
    func byHand() {
        let a = ForwardingController("a", log)
        let b = LoggedController("b", log)
        let c = LoggedController("c", log)
        b.embed(c)
        a.embed(b)
        let window = Window(size: phone, root: a)
        #expect(log.takeAppearances() == ["a.willAppear", "a.didAppear"])
        b.beginAppearanceTransition(true, animated: true)
        b.beginAppearanceTransition(true, animated: true)
        #expect(log.takeAppearances() == ["b.willAppear", "c.willAppear"])
        b.endAppearanceTransition()
        b.endAppearanceTransition()
        #expect(log.takeAppearances() == ["c.didAppear", "b.didAppear"])
        b.beginAppearanceTransition(false, animated: true)
        b.beginAppearanceTransition(true, animated: true)
        b.endAppearanceTransition()
        #expect(
            log.takeAppearances() == [
                "b.willDisappear", "c.willDisappear", "b.willAppear", "c.willAppear", "c.didAppear",
                "b.didAppear",
            ])
        window.hide()
        #expect(log.takeAppearances() == ["a.willDisappear", "a.didDisappear"], "not forwarded")
    }

    @Test("may be removed, hidden or shown again by its own callbacks")
    func callbacks() {
        for call in ["willAppear", "didAppear", "viewDidLoad"] {
            let (a, b) = (LoggedController("a", log), LoggedController("b", log))
            let window = Window(size: phone, root: a)
            b.after[call] = { [weak a, weak b] in
                if let a, let b { a.unembed(b) }
            }
            a.embed(b)
            window.update()
            window.update()
            #expect(b.parent == nil && b.faults == [] && b.appearance == .disappeared)
        }
        let a = LoggedController("a", log)
        let window = Window(size: phone, root: ViewController())
        _ = log.take()
        a.after["willAppear"] = { [weak window] in window?.hide() }
        window.rootViewController = a
        #expect(log.takeAppearances() == ["a.willAppear", "a.willDisappear", "a.didDisappear"])
        a.after["didDisappear"] = { [weak window] in window?.show() }
        window.show()
        window.hide()
        #expect(a.appearance == .appeared)
        #expect(a.faults == [])
    }

    @Test("gets no viewDidAppear after a child's callback has hidden it", arguments: [false, true])
    func hiddenByChild(isShownAgain: Bool) {
        let (a, b) = (LoggedController("a", log), LoggedController("b", log))
        a.embed(b)
        let window = Window(size: phone, root: ViewController())
        b.after["didAppear"] = { [weak window] in
            window?.hide()
            if isShownAgain { window?.show() }
        }
        window.rootViewController = a
        window.update()
        let hidden = [
            "a.willAppear", "b.willAppear", "b.didAppear", "a.willDisappear", "b.willDisappear",
            "b.didDisappear", "a.didDisappear",
        ]
        let again = ["a.willAppear", "b.willAppear", "b.didAppear", "a.didAppear"]
        #expect(log.takeAppearances() == hidden + (isShownAgain ? again : []))
        #expect(a.faults + b.faults == [])
    }

    @Test("is released with its window: no reference goes in a circle")
    func references() {
        weak var window: Window?
        weak var controller: ViewController?
        weak var view: View?
        do {
            let page = LoggedController("page", CallLog())
            let tabs = TabController([page, ViewController()])
            let navigation = NavigationController(root: tabs)
            let pages = PageController(pageCount: 3) { _ in ViewController() }
            let screen = Window(size: phone, root: navigation)
            navigation.push(pages)
            screen.update()
            pages.scrollView.perform { $0.scrollToPage(1, 0) }
            navigation.push(ViewController(), animated: true)
            (window, controller, view) = (screen, page, pages.view)
            #expect(window != nil && controller != nil && view != nil)
        }
        #expect(window == nil && controller == nil && view == nil)
    }
}
