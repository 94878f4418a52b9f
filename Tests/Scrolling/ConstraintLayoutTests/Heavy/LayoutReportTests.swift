import ConstraintLayout
import Testing

@Suite("The report of a layout")
struct LayoutReportTests {
    @Test("names the constraint that was left out, and those that it contradicts")
    func conflicts() throws {
        let page = Page("photo", "title")
        try page.add("photo.left == superview.left + 10", "title.width == 50", "photo.width == 600")
        let extra = LayoutConstraint(
            page["photo"], .right, .equal, page.root, constant: -10, identifier: "right edge")
        page.engine.add([extra])
        #expect(page.frame("photo").hasPrefix("10.0 0.0 600.0"))
        let conflict = try #require(page.engine.conflicts.first)
        #expect(conflict.constraint === extra)
        #expect(
            conflict.description
                == "right edge (photo.right == superview.right - 10) was left out: it contradicts "
                + "photo.left == superview.left + 10, photo.width == 600")
        #expect(page.engine.brokenConstraints.count == 1)
        #expect(page.engine.brokenConstraints.first === extra)
        // It is tried again when there is room, and when another one is removed.
        page.engine.size.width = 620
        page.engine.layout()
        #expect(page.engine.conflicts.isEmpty)
        page.engine.size.width = 320
        page.engine.layout()
        #expect(page.engine.conflicts.count == 1)
        page.engine.remove([page.engine.constraints[2]])
        #expect(page.frame("photo").hasPrefix("10.0 0.0 300.0"))
        #expect(page.engine.brokenConstraints.isEmpty)
    }

    @Test("names the size of the root where nothing else is in the way")
    func rootConflict() throws {
        let page = Page("a")
        try page.add("superview.width == 100", "a.height == -1")
        page.engine.layout()
        #expect(page.root.frame.width == 320)
        #expect(
            page.engine.conflicts.map(\.description) == [
                "superview.width == 100 was left out: it contradicts the size of the root, or makes a size negative",
                "a.height == -1 was left out: it contradicts the size of the root, or makes a size negative",
            ])
    }

    @Test("is the same after edits as after a layout from the start")
    func history() throws {
        var random = SeededGenerator(seed: 3)
        let page = Page("a", "b", "c")
        for _ in 0..<60 {
            let texts = (0..<2).map { _ in
                let names = ["a", "b", "c", "superview"].shuffled(using: &random)
                let attribute = ["left", "right", "width"].randomElement(using: &random)!
                let other = attribute == "width" ? "width" : ["left", "right"].randomElement(using: &random)!
                let relation = LayoutRelation.allCases.randomElement(using: &random)!.rawValue
                let priority = [1000, 1000, 750, 500].randomElement(using: &random)!
                let constant = Int.random(in: -50...50, using: &random)
                return "\(names[0]).\(attribute) \(relation) \(names[1]).\(other) + \(constant) @\(priority)"
            }
            try page.add(texts[0], texts[1])
            if page.engine.constraints.count > 8 {
                page.engine.remove(Array(page.engine.constraints.shuffled(using: &random).prefix(3)))
            }
            page.engine.size.width = Double.random(in: 0...500, using: &random)
            page.engine.layout()

            let fresh = LayoutEngine(root: page.root, size: page.engine.size)
            let frames = page.root.subviews.map(\.frame)
            let ambiguous = Set(page.engine.ambiguities.map(\.description))
            let conflicts = page.engine.conflicts.map(\.constraint.description)
            fresh.add(page.engine.constraints)
            fresh.layout()
            #expect(fresh.conflicts.map(\.constraint.description) == conflicts)
            #expect(Set(fresh.ambiguities.map(\.description)) == ambiguous)
            for (view, frame) in zip(page.root.subviews, frames)
            where !ambiguous.contains("\(view.name) (horizontal)") {
                #expect(abs(view.frame.x - frame.x) < 1e-6 && abs(view.frame.width - frame.width) < 1e-6)
            }
        }
    }

    @Test("names ambiguous views with their axis")
    func ambiguities() throws {
        let page = Page("a", "b", "c")
        page["c"].intrinsicContentSize = IntrinsicSize(width: 30, height: 20)
        try page.add("|-[a]-[b]-|", "V:|-[a(20)]", "b.top == a.top", "b.height <= 100", "c.left == a.left")
        page.engine.layout()
        let found = page.engine.ambiguities.map(\.description)
        #expect(found == ["a (horizontal)", "b (horizontal)", "b (vertical)", "c (vertical)"])
        #expect(page.engine.ambiguousViews.map(\.name) == ["a", "b", "c"])
        try page.add("b.width == a.width", "b.height == 1000 @10", "c.top == 5 @1")
        page.engine.layout()
        #expect(page.engine.ambiguities.isEmpty)
    }

    @Test("keeps a layout defined when constraints have numbers that cannot be solved")
    func badNumbers() {
        let page = Page("a")
        let bad = [Double.nan, .infinity, 1e300].flatMap { number in
            [
                LayoutConstraint(page["a"], .width, .equal, constant: number),
                LayoutConstraint(page["a"], .left, .equal, page.root, .right, multiplier: number),
            ]
        }
        page.engine.add(bad)
        page["a"].intrinsicContentSize = IntrinsicSize(width: .infinity, height: -40)
        #expect(page.frame("a") == "0.0 0.0 0.0 0.0")
        #expect(page.engine.brokenConstraints.count == bad.count)
        #expect(page.engine.conflicts.count == bad.count)
        let reasons = page.engine.conflicts.filter {
            $0.description.hasSuffix("its numbers are not finite or too large")
        }
        #expect(reasons.count == bad.count)
    }

    @Test("follows a constant that becomes unusable, and usable again")
    func badEdit() throws {
        let page = Page("a")
        let width = try page.add("a.width == 50", "a.left == 0")[0]
        page.engine.layout()
        for bad: Double in [.nan, .infinity, 1e12, -1] {
            width.constant = bad
            #expect(page.frame("a") == "0.0 0.0 0.0 0.0")
            #expect(page.engine.conflicts.map(\.constraint.constant.bitPattern) == [bad.bitPattern])
            page.engine.layout()
            #expect(page.engine.conflicts.count == 1)
        }
        width.constant = 30
        #expect(page.frame("a") == "0.0 0.0 30.0 0.0")
        #expect(page.engine.brokenConstraints.isEmpty)
    }

    @Test("names required intrinsic sizes that constraints do not allow, whatever came first")
    func intrinsicConflicts() throws {
        let page = Page("label")
        page["label"].intrinsicContentSize = IntrinsicSize(width: 100)
        page["label"].compressionResistance.horizontal = .required
        try page.add("label.left == 0")
        #expect(page.frame("label") == "0.0 0.0 100.0 0.0")
        try page.add("label.width <= 60")
        #expect(page.frame("label") == "0.0 0.0 60.0 0.0")
        let report = "intrinsic size (label.width >= 100) was left out: it contradicts label.width <= 60"
        #expect(page.engine.conflicts.map(\.description) == [report])
        #expect(page.engine.brokenConstraints.map(\.description) == ["label.width >= 100"])
        page.engine.remove([page.engine.constraints[1]])
        #expect(page.frame("label") == "0.0 0.0 100.0 0.0")
        #expect(page.engine.conflicts.isEmpty)
    }

    @Test("has finite frames when factors exceed all numbers")
    func overflow() {
        let page = Page()
        var last: LayoutView?
        for index in 0..<80 {
            let view = LayoutView(name: "v\(index)")
            page.root.addSubview(view)
            page.engine.add([
                LayoutConstraint(view, .width, .equal, last ?? page.root, multiplier: 1e6),
                LayoutConstraint(view, .left, .equal, last ?? page.root, .right, multiplier: -1e6),
            ])
            last = view
        }
        page.engine.layout()
        for frame in page.root.subviews.map(\.rootFrame) {
            #expect(frame.x.isFinite && frame.width.isFinite && frame.width >= 0)
        }
        #expect(page.engine.ambiguities.count >= 80)
        _ = page.engine.brokenConstraints
    }

    @Test("is right for engines that share views")
    func sharedViews() throws {
        let page = Page("a", "b")
        try page.add("b.left == 30", "b.width == 20")
        #expect(page.frame("b").hasPrefix("30.0"))
        let part = LayoutEngine(root: page["b"], size: LayoutSize(width: 5, height: 5))
        part.layout()
        #expect(page["b"].rootFrame == LayoutRect(width: 5, height: 5))
        page.engine.size.width = 400
        #expect(page.frame("b").hasPrefix("30.0 0.0 20.0"))
    }

    @Test("exists for no views, and for nested views of size 0")
    func emptyTrees() throws {
        let page = Page(size: LayoutSize(width: 0, height: 0))
        page.engine.layout()
        #expect(page.engine.ambiguities.isEmpty)
        var innermost = page.root
        for depth in 0..<200 {
            let view = LayoutView(name: "view\(depth)")
            innermost.addSubview(view)
            page.engine.add(
                try VisualFormat.constraints("|[v]|", views: ["v": view], superview: innermost)
                    + VisualFormat.constraints("V:|[v]|", views: ["v": view], superview: innermost))
            innermost = view
        }
        page.engine.layout()
        #expect(innermost.frame == LayoutRect())
        page.engine.size = LayoutSize(width: 70, height: 1)
        page.engine.layout()
        #expect(innermost.rootFrame == LayoutRect(width: 70, height: 1))
        #expect(page.engine.ambiguities.isEmpty && page.engine.brokenConstraints.isEmpty)
    }
}
