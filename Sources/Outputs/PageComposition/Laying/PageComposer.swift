package import Basics
internal import ConstraintLayout
internal import Files
package import ImageReading
package import Pictures
package import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// Lays pages out: opens their pictures, measures their texts and solves their constraints.
package struct PageComposer: Sendable {
    /// The size of the page in points.
    package let size: Size<ViewSpace>
    /// Output pixels per point.
    package let scale: Double
    /// The options for opening pictures.
    package var opening = OpenOptions()
    /// Names a position in degrees of latitude and longitude, for `{place}`.
    package var placeName: @Sendable (Double, Double) -> String? = { _, _ in nil }

    /// - Precondition: size and scale are finite and above 0.
    package init(size: Size<ViewSpace>, scale: Double = 1) {
        precondition(size.isFinite && !size.isEmpty && scale > 0 && scale.isFinite)
        self.size = size
        self.scale = scale
    }

    package var isPortrait: Bool { size.height >= size.width }

    /// Checks that a page of this size can be painted, before it is laid out.
    ///
    /// - Throws: `RenderingError.pictureTooLarge`.
    package func checkPixels() throws(RenderingError) { try Page(size: size, scale: scale).checkPixels() }

    /// Values for the placeholders of a layout, as from a line of a manifest.
    package struct Values: Sendable {
        private let texts: [String: String]
        private let file: @Sendable (String) -> String

        /// - Parameters:
        ///   - members: strings and numbers by their names; others are left out.
        ///   - file: returns the path to open of a picture that a value names.
        package init(
            _ members: [JSONValue.Member] = [], file: @escaping @Sendable (String) -> String = { $0 }
        ) {
            let pairs = members.compactMap { member -> (String, String)? in
                switch member.value {
                case .string(let text): (member.name, text)
                case .int(let number): (member.name, "\(number)")
                case .number(let text): (member.name, text)
                default: nil
                }
            }
            texts = Dictionary(pairs) { first, _ in first }
            self.file = file
        }

        subscript(name: String) -> String? { texts[name] }

        func path(_ path: String) -> String { file(path) }
    }

    /// Lays out a page.
    ///
    /// - Throws: `PageError` with the line of the layout file.
    package func page(_ layout: PageLayout, _ values: Values = Values()) throws(PageError) -> Page {
        var laying = PageLaying(layout, values, self)
        return try laying.page()
    }
}

/// The laying out of one page.
private struct PageLaying {
    private let layout: PageLayout
    private let values: PageComposer.Values
    private let composer: PageComposer
    private let root = LayoutView(name: "superview")
    private var boxes: [String: LayoutView] = [:]
    private var pictures: [String: ImageFile] = [:]
    private var facts: [FilePath: PictureFacts] = [:]
    private var missing: [String] = []
    private var fonts: [String: TextDrawing.FontMetrics] = [:]
    /// Nil until a text needs them.
    private var hasFonts: Bool?
    /// The texts of the page, in its order.
    private var texts: [String] = []
    /// The words that stand for pictures, by the name of their view: at first their captions.
    private var alternatives: [String: String] = [:]

    init(_ layout: PageLayout, _ values: PageComposer.Values, _ composer: PageComposer) {
        (self.layout, self.values, self.composer) = (layout, values, composer)
        root.layoutDirection = layout.direction
    }

    mutating func page() throws(PageError) -> Page {
        let engine = LayoutEngine(
            root: root, size: LayoutSize(width: composer.size.width, height: composer.size.height))
        // Pictures come first: texts show their metadata.
        for view in layout.views {
            guard case .picture(let content) = view.content else { continue }
            pictures[view.name] = try open(content, of: view)
        }
        var contents: [(view: PageView, content: Page.Content)] = []
        for view in layout.views {
            let box = LayoutView(name: view.name)
            root.addSubview(box)
            boxes[view.name] = box
            let content = try prepare(view, box)
            contents.append((view, content))
            if case .picture(let file, _, let rect) = content {
                let size = rect?.size ?? file.uprightSize.imageSize
                engine.add([
                    LayoutConstraint(
                        box, .width, .equal, box, .height, multiplier: size.width / size.height,
                        priority: Self.aspectPriority)
                ])
            }
        }
        try addAlternatives()
        let constraints = try constraints()
        engine.add(constraints)
        engine.layout()
        let own = Set(constraints.map(ObjectIdentifier.init))
        var page = Page(size: composer.size, scale: composer.scale)
        page.parts = contents.map { view, content in
            let frame = boxes[view.name]?.frame ?? LayoutRect()
            return Page.Part(
                name: view.name, content: content,
                frame: Rect(x: frame.x, y: frame.y, width: frame.width, height: frame.height),
                alternative: alternatives[view.name])
        }
        page.title = texts.first { !$0.isEmpty } ?? FilePath(layout.path).name.withoutExtension.text
        page.ambiguous = engine.ambiguities.map(\.description)
        page.broken = engine.brokenConstraints.filter { own.contains(ObjectIdentifier($0)) }.map(
            \.description)
        page.conflicts = engine.conflicts.map(\.description)
        page.missing = missing
        return page
    }

    /// Pictures keep their shape unless a constraint or a text needs the space.
    private static let aspectPriority = LayoutPriority(rawValue: 200)

    // MARK: Views

    private func error(
        _ view: PageView, _ key: String, _ reason: String, kind: PageError.Kind = .invalid
    ) -> PageError {
        layout.file.error(
            at: [.member("views"), .member(view.name), .member(key)], "view \(view.name)", key, reason,
            kind: kind)
    }

    private func open(_ content: PictureContent, of view: PageView) throws(PageError) -> ImageFile {
        var unknown: String?
        let filled = content.image.filled { name in
            if values[name] == nil { unknown = unknown ?? name }
            return values[name] ?? ""
        }
        if let unknown { throw error(view, "image", "{\(unknown)} has no value; give it in a manifest") }
        guard !filled.utf8.contains(0) else { throw error(view, "image", "the path contains a zero byte") }
        let path = content.image.hasPlaceholders ? values.path(filled) : layout.imagePath(filled)
        do throws(RenderingError) {
            let file = try ImageFile.open(path, composer.opening)
            let whole = Rect<ImageSpace>(origin: .zero, size: file.uprightSize.imageSize)
            guard content.rect.map({ $0.intersection(whole) != nil }) ?? true else {
                throw .outside(file: path, size: file.uprightSize)
            }
            return file
        } catch {
            throw self.error(view, "image", "\(error)", kind: .picture(error))
        }
    }

    /// Sets the intrinsic size of a view's box, and returns what it shows.
    private mutating func prepare(_ view: PageView, _ box: LayoutView) throws(PageError) -> Page.Content {
        var result = Page.Content.space
        switch view.content {
        case .space: break
        case .panel(let color): result = .panel(color)
        case .picture(let content):
            guard let file = pictures[view.name] else { break }
            let size = content.rect?.size ?? file.uprightSize.imageSize
            box.intrinsicContentSize = IntrinsicSize(width: size.width, height: size.height)
            // The size in pixels counts only where nothing else gives one.
            box.contentHugging = AxisPriorities(LayoutPriority(rawValue: 1))
            box.compressionResistance = AxisPriorities(LayoutPriority(rawValue: 1))
            result = .picture(file, content.mode, content.rect)
        case .text(let content):
            let drawing = try drawing(content, of: view)
            let scale = composer.scale
            box.intrinsicContentSize = IntrinsicSize(
                width: Double(drawing.naturalWidth) / scale,
                height: Double(drawing.height(width: nil)) / scale)
            box.heightForWidth = { Double(drawing.height(width: Page.pixels($0, scale))) / scale }
            let baselines = drawing.baselines
            box.firstBaseline = Double(baselines.first) / scale
            box.lastBaseline = Double(baselines.last) / scale
            result = .text(drawing, content.color)
        }
        if let hugging = view.hugging { box.contentHugging = AxisPriorities(hugging) }
        if let resistance = view.resistance { box.compressionResistance = AxisPriorities(resistance) }
        return result
    }

    private mutating func drawing(_ content: TextContent, of view: PageView) throws(PageError) -> TextDrawing
    {
        let text = try filled(content.text, "text", of: view) { laying throws(PageError) in
            try laying.picture(of: content, in: view)
        }
        texts.append(text)
        if let name = content.picture ?? (pictures.count == 1 ? pictures.keys.first : nil),
            alternatives[name] == nil, !text.isEmpty
        {
            alternatives[name] = text
        }
        do throws(VipsError) {
            if hasFonts == nil { hasFonts = try VipsText.hasFonts }
        } catch {
            throw self.error(
                view, "text", "cannot be drawn; libvips needs Pango for texts (\(error.log))", kind: .noText)
        }
        guard hasFonts ?? false else {
            throw error(
                view, "text",
                "cannot be drawn, because this machine has no fonts; install some, such as Debian's "
                    + "fonts-dejavu-core", kind: .noText)
        }
        let metrics = fonts[content.font] ?? TextDrawing.FontMetrics(content.font, scale: composer.scale)
        guard let metrics else {
            throw error(view, "font", "\"\(content.font)\" is too large or too small to draw at this scale")
        }
        fonts[content.font] = metrics
        return TextDrawing(text, content, metrics, scale: composer.scale)
    }

    /// Replaces captions by the words that the layout gives.
    private mutating func addAlternatives() throws(PageError) {
        for view in layout.views {
            guard case .picture(let content) = view.content, let words = content.alternative,
                let file = pictures[view.name]
            else { continue }
            let text = try filled(words, "alt", of: view) { _ throws(PageError) in file }
            alternatives[view.name] = text.isEmpty ? nil : text
        }
    }

    /// Returns a text with its placeholders filled, and records those without a value.
    ///
    /// - Parameter about: returns the picture that it is about.
    private mutating func filled(
        _ text: FilledText, _ key: String, of view: PageView,
        about: (PageLaying) throws(PageError) -> ImageFile
    ) throws(PageError) -> String {
        var filling: [String: String] = [:]
        for name in text.placeholders where filling[name] == nil {
            if let value = values[name] {
                filling[name] = value
                continue
            }
            guard PictureFacts.names.contains(name) else {
                let known = PictureFacts.names.map { "{\($0)}" }.joined(separator: ", ")
                throw error(
                    view, key, "{\(name)} has no value; known are \(known) and members of a manifest")
            }
            let picture = try about(self)
            let path = FilePath(picture.path)
            let facts = facts[path] ?? PictureFacts(picture.path, placeName: composer.placeName)
            self.facts[path] = facts
            filling[name] = facts[name] ?? ""
            if facts[name] == nil {
                missing.append("\(error(view, key, "\(picture.path) has no {\(name)}"))")
            }
        }
        return text.filled { filling[$0] ?? "" }
    }

    /// Returns the picture that a text is about: the one that it names, or else the only one.
    private func picture(of content: TextContent, in view: PageView) throws(PageError) -> ImageFile {
        if let name = content.picture {
            guard let file = pictures[name] else { throw error(view, "of", "\"\(name)\" is not a picture") }
            return file
        }
        guard pictures.count == 1, let only = pictures.values.first else {
            throw error(
                view, "text",
                "needs one picture for its metadata, and the page has \(pictures.count); name it with \"of\"")
        }
        return only
    }

    // MARK: Constraints

    private func constraints() throws(PageError) -> [LayoutConstraint] {
        let (metrics, rules) = layout.rules(isPortrait: composer.isPortrait)
        var items: [String: LayoutItem] = boxes
        items["superview"] = root
        var result: [LayoutConstraint] = []
        for rule in rules {
            do throws(LayoutSyntaxError) {
                result +=
                    rule.isFormat
                    ? try VisualFormat.constraints(
                        rule.text, views: items, metrics: metrics, options: rule.options, superview: root)
                    : [try LayoutConstraint.parse(rule.text, views: items, metrics: metrics)]
            } catch {
                throw layout.file.error(
                    at: rule.steps, rule.part, rule.key,
                    "\"\(error.text)\": \(error.message) at character \(error.offset + 1)")
            }
        }
        return result
    }
}

extension AxisPriorities {
    fileprivate init(_ both: [Double]) {
        self.init(
            horizontal: LayoutPriority(rawValue: both[0]), vertical: LayoutPriority(rawValue: both[1]))
    }
}
