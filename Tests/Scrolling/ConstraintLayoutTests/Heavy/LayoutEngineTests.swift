import ConstraintLayout
import Testing

/// Views in a root that is named "superview", and texts of constraints for them.
final class Page {
    let root = LayoutView(name: "superview")
    var views: [String: LayoutView] = [:]
    let engine: LayoutEngine

    init(_ names: String..., size: LayoutSize = LayoutSize(width: 320, height: 480)) {
        engine = LayoutEngine(root: root, size: size)
        for name in names {
            let view = LayoutView(name: name)
            views[name] = view
            root.addSubview(view)
        }
    }

    subscript(name: String) -> LayoutView { views[name]! }

    @discardableResult
    func add(_ texts: String...) throws -> [LayoutConstraint] {
        let constraints = try texts.map { text in
            text.contains(".")
                ? [try LayoutConstraint.parse(text, views: views)]
                : try VisualFormat.constraints(text, views: views, superview: root)
        }.flatMap { $0 }
        engine.add(constraints)
        return constraints
    }

    /// The frame of a view as text, after a layout.
    func frame(_ name: String) -> String {
        engine.layout()
        return text(self[name].frame)
    }
}

func text(_ frame: LayoutRect) -> String {
    "\(frame.x) \(frame.y) \(frame.width) \(frame.height)"
}

@Suite("A layout engine")
struct LayoutEngineTests {
    @Test("relates every attribute to every other that fits", arguments: LayoutAttribute.allCases)
    func attributes(attribute: LayoutAttribute) throws {
        for other in LayoutAttribute.allCases where attribute.obstacle(to: other) == nil {
            let page = Page("a", "b")
            page["a"].firstBaseline = 12
            page["a"].lastBaseline = 5
            try page.add("b.left == 100", "b.top == 50", "b.width == 60", "b.height == 30")
            let size = attribute.axis == .horizontal ? "width" : "height"
            if !attribute.isSize { try page.add("a.\(size) == 40") }
            try page.add("a.\(attribute.rawValue) == b.\(other.rawValue) + 7")
            page.engine.layout()
            func value(_ attribute: LayoutAttribute, _ view: LayoutView) -> Double {
                let frame = view.frame
                return switch attribute {
                case .left, .leading: frame.x
                case .right, .trailing: frame.x + frame.width
                case .top: frame.y
                case .bottom: frame.y + frame.height
                case .width: frame.width
                case .height: frame.height
                case .centerX: frame.x + frame.width / 2
                case .centerY: frame.y + frame.height / 2
                case .firstBaseline: frame.y + (view.firstBaseline ?? 0)
                case .lastBaseline: frame.y + frame.height - (view.lastBaseline ?? 0)
                }
            }
            #expect(value(attribute, page["a"]) == value(other, page["b"]) + 7, "\(attribute) \(other)")
        }
    }

    @Test("refuses pairs of attributes that have no meaning")
    func obstacles() {
        let refused: [(LayoutAttribute, LayoutAttribute)] = [
            (.width, .left), (.top, .height), (.left, .top), (.centerX, .centerY), (.left, .leading),
            (.trailing, .right),
        ]
        for (one, other) in refused {
            #expect(one.obstacle(to: other) != nil)
            #expect(other.obstacle(to: one) == one.obstacle(to: other))
        }
        #expect(LayoutAttribute.width.obstacle(to: .height) == nil)
        #expect(LayoutAttribute.leading.obstacle(to: .centerX) == nil)
    }

    @Test("follows the size of the root, there and back")
    func resizing() throws {
        let page = Page("photo")
        try page.add("photo.width <= 0.5 * superview.width + 10 @750", "photo.width == 1000 @250")
        try page.add("H:|-[photo]", "V:|-[photo]-|")
        #expect(page.frame("photo") == "8.0 8.0 170.0 464.0")
        page.engine.size = LayoutSize(width: 480, height: 320)
        #expect(page.frame("photo") == "8.0 8.0 250.0 304.0")
        page.engine.size = LayoutSize(width: 320, height: 480)
        #expect(page.frame("photo") == "8.0 8.0 170.0 464.0")
    }

    @Test("gives content its intrinsic size, by hugging and compression resistance")
    func intrinsicSizes() throws {
        let page = Page("label", "field")
        page["label"].intrinsicContentSize = IntrinsicSize(width: 60, height: 20)
        page["field"].intrinsicContentSize = IntrinsicSize(width: 100, height: 24)
        page["label"].contentHugging.horizontal = 251
        page["label"].compressionResistance.horizontal = 751
        try page.add("|[label]-10-[field]|", "V:|[label]", "V:|[field]")
        // Room enough: the label hugs more strongly, so the field grows.
        #expect(page.frame("label") == "0.0 0.0 60.0 20.0")
        #expect(page.frame("field") == "70.0 0.0 250.0 24.0")
        // Too little room: the label resists more strongly, so the field shrinks.
        page.engine.size.width = 120
        #expect(page.frame("field") == "70.0 0.0 50.0 24.0")
        page["label"].intrinsicContentSize.width = 80
        #expect(page.frame("field") == "90.0 0.0 30.0 24.0")
        page["field"].compressionResistance.horizontal = 752
        #expect(page.frame("label") == "0.0 0.0 10.0 20.0")
        page["label"].intrinsicContentSize = IntrinsicSize()
        page["field"].contentHugging.horizontal = 752
        #expect(page.frame("field") == "20.0 0.0 100.0 24.0")
    }

    @Test("finds the height of text at its width in a second pass")
    func wrappingText() throws {
        let page = Page("text", "below")
        page["text"].heightForWidth = { width in (4800 / width).rounded(.up) * 10 }
        try page.add("|-[text]-|", "V:|-[text]-[below(10)]", "below.left == 0", "below.width == 1")
        page["text"].layoutMargins = LayoutMargins(0)
        #expect(page.frame("text") == "8.0 8.0 304.0 160.0")
        #expect(page.frame("below") == "0.0 176.0 1.0 10.0")
        page.engine.size.width = 176
        #expect(page.frame("text") == "8.0 8.0 160.0 300.0")
        page["text"].heightForWidth = { _ in 50 }
        #expect(page.frame("below") == "0.0 66.0 1.0 10.0")
        page["text"].heightForWidth = { _ in .nan }
        page.engine.layout()
        #expect(page.engine.ambiguities.map(\.description) == ["text (vertical)", "below (vertical)"])
    }

    @Test("mirrors leading and trailing, constants included, in languages written from right to left")
    func rightToLeft() throws {
        let page = Page("a", "b", "c")
        page.root.layoutMargins = LayoutMargins(top: 1, leading: 20, bottom: 3, trailing: 40)
        try page.add("|-[a(50)]-10-[b(>=30)]-|", "c.left == a.left + 5", "c.width == 2", "V:|[a(9)]")
        try page.add("b.centerX == 0.5 * superview.trailing @1")
        #expect(page.frame("a") == "20.0 0.0 50.0 9.0")
        #expect(text(page["b"].frame).hasPrefix("80.0 0.0 200.0"))
        #expect(page["c"].frame.x == 25)
        page.root.layoutDirection = .rightToLeft
        #expect(page.frame("a") == "250.0 0.0 50.0 9.0")
        #expect(text(page["b"].frame).hasPrefix("40.0 0.0 200.0"))
        #expect(page["c"].frame.x == 255)
        #expect(page.root.layoutMarginsGuide.frame == LayoutRect(x: 40, y: 1, width: 260, height: 476))
    }

    @Test("mirrors relations and shares of the superview, too")
    func mirroredInequalities() throws {
        let page = Page("a", "b")
        page.root.layoutDirection = .rightToLeft
        try page.add("a.leading >= superview.leading + 30", "a.width == 10", "a.leading == 0 @250")
        try page.add("b.leading == 0.25 * superview.trailing", "b.width == 20")
        #expect(page.frame("a").hasPrefix("280.0"))
        #expect(page.frame("b").hasPrefix("220.0"))
    }

    @Test("takes the direction of the view that contains both items")
    func directions() throws {
        let page = Page("row")
        let (a, b) = (LayoutView(name: "a"), LayoutView(name: "b"))
        page["row"].addSubview(a)
        page["row"].addSubview(b)
        page["row"].layoutDirection = .rightToLeft
        (page.views["a"], page.views["b"]) = (a, b)
        try page.add("row.leading == superview.leading + 10", "row.width == 100", "a.leading == row.leading")
        try page.add("a.width == 20", "b.leading == a.trailing + 5", "b.width == 30")
        #expect(page.frame("row").hasPrefix("10.0"))
        #expect(a.frame.x == 80)
        #expect(b.frame.x == 45)
        #expect(b.rootFrame.x == 55)
    }

    @Test("measures positions times a factor in the common superview")
    func nestedShares() throws {
        let page = Page("panel")
        let photo = LayoutView(name: "photo")
        page["panel"].addSubview(photo)
        page.views["photo"] = photo
        try page.add("panel.left == 50", "panel.top == 20", "panel.width == 200", "panel.height == 100")
        try page.add("photo.centerX == 0.5 * panel.centerX", "photo.bottom == 0.5 * panel.bottom")
        try page.add("photo.width == 10", "photo.height == 10")
        page.engine.layout()
        #expect(photo.frame == LayoutRect(x: 45, y: 40, width: 10, height: 10))
        #expect(photo.rootFrame == LayoutRect(x: 95, y: 60, width: 10, height: 10))
    }

    @Test("places guides and margins like views")
    func guides() throws {
        let page = Page("a", "b")
        let gap = page.root.addLayoutGuide(name: "gap")
        let (a, b) = (page["a"], page["b"])
        page.engine.add([
            LayoutConstraint(a, .left, .equal, page.root.layoutMarginsGuide),
            LayoutConstraint(a, .width, .equal, constant: 100),
            LayoutConstraint(gap, .left, .equal, a, .right),
            LayoutConstraint(gap, .right, .equal, b, .left),
            LayoutConstraint(gap, .width, .equal, a, multiplier: 0.5),
            LayoutConstraint(b, .right, .equal, page.root.layoutMarginsGuide),
        ])
        #expect(page.frame("b").hasPrefix("158.0 0.0 154.0"))
        #expect(gap.frame.x == 108)
        page.root.layoutMargins.leading = 20
        #expect(page.frame("b").hasPrefix("170.0 0.0 142.0"))
        page.root.removeLayoutGuide(gap)
        page.engine.layout()
        #expect(page.engine.ambiguities.contains { $0.item === b && $0.axis == .horizontal })
    }

    @Test("lets sizes never be negative")
    func negativeSizes() throws {
        let page = Page("a", size: LayoutSize(width: 10, height: .nan))
        try page.add("H:|-8-[a]-8-|")
        #expect(page.frame("a") == "8.0 0.0 0.0 0.0")
        #expect(
            page.engine.conflicts.map(\.constraint.description) == ["superview.trailing == a.trailing + 8"])
        page.engine.size = LayoutSize(width: -5, height: -5)
        page.engine.layout()
        #expect(page.root.frame == LayoutRect())
    }

    @Test("edits constants, and removes constraints")
    func edits() throws {
        let page = Page("a")
        let constraints = try page.add("a.left == 10", "a.width == 50", "a.width <= 40 @750")
        #expect(page.frame("a").hasPrefix("10.0 0.0 50.0"))
        constraints[0].constant = 30
        constraints[1].constant = 45
        #expect(page.frame("a").hasPrefix("30.0 0.0 45.0"))
        page.engine.remove([constraints[1], constraints[1]])
        constraints[2].constant = -5
        #expect(page.frame("a").hasPrefix("30.0 0.0 0.0"))
        #expect(page.engine.brokenConstraints.map(\.description) == ["a.width <= -5 @750"])
        #expect(page.engine.constraints.count == 2)
        page.engine.add(constraints)
        #expect(page.engine.constraints.count == 3)
        #expect(page.frame("a").hasPrefix("30.0 0.0 45.0"))
    }

    @Test("drops the constraints of views outside of the tree, and takes them up again")
    func tree() throws {
        let page = Page("a", "b")
        try page.add("a.left == 10", "a.width == 10", "b.left == a.right + 5", "b.width == 5")
        #expect(page.frame("b").hasPrefix("25.0"))
        let a = page["a"]
        a.removeFromSuperview()
        page.engine.layout()
        #expect(page.engine.ambiguities.contains { $0.description == "b (horizontal)" })
        #expect(page.engine.conflicts.isEmpty)
        #expect(page.engine.brokenConstraints.isEmpty)
        page["b"].addSubview(a)
        a.addSubview(page["b"])
        page.root.addSubview(a)
        #expect(a.superview === page.root)
        #expect(page.frame("b").hasPrefix("25.0"))
    }
}
