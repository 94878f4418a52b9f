import ConstraintLayout
import Testing

/// A page of a title, a picture and two labels, in portrait and landscape.
@Suite("The page of a title, a picture and two labels")
struct SeedPageTests {
    let root = LayoutView(name: "superview")
    var views: [String: LayoutView] = [:]
    let common = ["V:|-25-[title(21)]", "H:|-gap-[title]-gap-|", "[left(<=150)]", "[right(<=150)]"]

    init() {
        views["superview"] = root
        for name in ["title", "photo", "left", "right"] {
            let view = LayoutView(name: name)
            view.intrinsicContentSize = IntrinsicSize(width: name == "left" ? 200 : nil)
            views[name] = view
            root.addSubview(view)
        }
    }

    func engine(_ size: LayoutSize, formats: [String], constraints: [String]) throws -> LayoutEngine {
        let engine = LayoutEngine(root: root, size: size)
        for format in common + formats {
            engine.add(
                try VisualFormat.constraints(format, views: views, metrics: ["gap": 15], superview: root))
        }
        let texts = ["photo.height == 240", "left.height == 21", "right.height == 21"] + constraints
        engine.add(try texts.map { text in try LayoutConstraint.parse(text, views: views) })
        engine.layout()
        return engine
    }

    func expect(_ frames: [String: LayoutRect]) throws {
        for (name, expected) in frames {
            let frame = try #require(views[name]).frame
            for (value, wanted) in [
                (frame.x, expected.x), (frame.y, expected.y), (frame.width, expected.width),
                (frame.height, expected.height),
            ] {
                #expect(abs(value - wanted) <= 0.5, "\(name): \(frame), not \(expected)")
            }
        }
    }

    @Test("has the numbers of the constraints in portrait")
    func portrait() throws {
        let engine = try engine(
            LayoutSize(width: 320, height: 480),
            formats: ["V:[title]-gap-[photo]-gap-[left]-8-[right]"],
            constraints: [
                "photo.centerX == superview.centerX", "photo.width == 0.5 * superview.width + 10",
                "left.leading == photo.leading", "right.leading == photo.leading",
                "right.width == left.width",
            ])
        try expect([
            "title": LayoutRect(x: 15, y: 25, width: 290, height: 21),
            "photo": LayoutRect(x: 75, y: 61, width: 170, height: 240),
            "left": LayoutRect(x: 75, y: 316, width: 150, height: 21),
            "right": LayoutRect(x: 75, y: 345, width: 150, height: 21),
        ])
        #expect(engine.brokenConstraints.isEmpty)
        #expect(engine.ambiguities.map(\.description) == [])
    }

    @Test("has the numbers of the constraints in landscape")
    func landscape() throws {
        let engine = try engine(
            LayoutSize(width: 480, height: 320),
            formats: [
                "H:|-gap-[photo]-gap-[left]", "H:[photo]-gap-[right]", "V:[title]-gap-[photo]",
                "V:[left]-8-[right]",
            ],
            constraints: [
                "photo.width <= 0.5 * superview.width + 10 @750", "photo.width == 400 @500",
                "left.top == photo.top", "right.width == 0.5 * left.width",
            ])
        try expect([
            "title": LayoutRect(x: 15, y: 25, width: 450, height: 21),
            "photo": LayoutRect(x: 15, y: 61, width: 250, height: 240),
            "left": LayoutRect(x: 280, y: 61, width: 150, height: 21),
            "right": LayoutRect(x: 280, y: 90, width: 75, height: 21),
        ])
        #expect(engine.brokenConstraints.map(\.description) == ["photo.width == 400 @500"])
        #expect(engine.ambiguities.map(\.description) == [])
    }
}
