internal import ScrollModel
internal import ViewportGeometry

/// The first line of a script: the initial state of the scroll view.
struct ScriptSetup: Decodable {
    var bounds: Size<ViewSpace>
    var viewSize: Size<ImageSpace>?
    var zoomScale: Double?
    var minimumZoomScale: Double?
    var maximumZoomScale: Double?
    var contentOffset: Point<ContentSpace>?
    var contentInset: EdgeInsets?
    var safeAreaInsets: EdgeInsets?
    var contentInsetAdjustmentBehavior: InsetAdjustmentName?
    var contentAlignment: AlignmentName?
    var contentRotation: Double?
    var bounces: Bool?
    var bouncesHorizontally: Bool?
    var bouncesVertically: Bool?
    var bouncesZoom: Bool?
    var alwaysBounceVertical: Bool?
    var alwaysBounceHorizontal: Bool?
    var isPagingEnabled: Bool?
    var isDirectionalLockEnabled: Bool?
    var isScrollEnabled: Bool?
    var scrollsToTop: Bool?
    var isReversed: Bool?
    var decelerationRate: RateName?
    var rounding: RoundingName?
    var displayScale: Double?

    /// The properties of a setup.
    ///
    /// Other names are errors.
    static let names: Set<String> = [
        "bounds", "viewSize", "zoomScale", "minimumZoomScale", "maximumZoomScale", "contentOffset",
        "contentInset", "safeAreaInsets", "contentInsetAdjustmentBehavior", "contentAlignment",
        "contentRotation", "bounces", "bouncesHorizontally", "bouncesVertically", "bouncesZoom",
        "alwaysBounceVertical", "alwaysBounceHorizontal", "isPagingEnabled", "isDirectionalLockEnabled",
        "isScrollEnabled", "scrollsToTop", "isReversed", "decelerationRate", "rounding", "displayScale",
    ]
}

extension ScriptSetup {
    /// Returns the scroll view, over an image of the size `image` if the line has no `viewSize`.
    func view(over image: Size<ImageSpace>?) throws(MalformedLine) -> ScrollView {
        guard bounds.width > 0, bounds.height > 0 else {
            throw MalformedLine("\"bounds\" must be two numbers above zero")
        }
        guard let size = viewSize ?? image, size.width >= 0, size.height >= 0 else {
            throw MalformedLine(
                "\"viewSize\" must be two numbers, [width,height], unless an image gives the size")
        }
        var view = ScrollView(bounds: bounds, viewSize: size)
        view.setRounding(try roundingPolicy())
        view.bouncesHorizontally = bouncesHorizontally ?? bounces ?? true
        view.bouncesVertically = bouncesVertically ?? bounces ?? true
        view.bouncesZoom = bouncesZoom ?? true
        view.alwaysBounceVertical = alwaysBounceVertical ?? false
        view.alwaysBounceHorizontal = alwaysBounceHorizontal ?? false
        view.isPagingEnabled = isPagingEnabled ?? false
        view.isDirectionalLockEnabled = isDirectionalLockEnabled ?? false
        view.isScrollEnabled = isScrollEnabled ?? true
        view.scrollsToTop = scrollsToTop ?? true
        view.decelerationRate = decelerationRate?.rate ?? .normal
        view.setContentRotation(Rotation(degrees: contentRotation ?? 0))
        view.setContentAlignment(contentAlignment?.alignment ?? .topLeading)
        view.setContentInsetAdjustmentBehavior(contentInsetAdjustmentBehavior?.behavior ?? .always)
        view.setContentInset(contentInset ?? .zero)
        view.setSafeAreaInsets(safeAreaInsets ?? .zero)
        view.setReversed(isReversed ?? false)
        let least = minimumZoomScale ?? 1
        let greatest = maximumZoomScale ?? max(1, least)
        guard least > 0, greatest >= least else {
            throw MalformedLine("\"minimumZoomScale\" must be above zero and not above \"maximumZoomScale\"")
        }
        guard zoomScale ?? 1 > 0 else { throw MalformedLine("\"zoomScale\" must be above zero") }
        view.setZoomLimits(minimum: min(least, 1), maximum: max(greatest, 1))
        view.setZoomLimits(minimum: least, maximum: greatest)
        view.setZoomScale(zoomScale ?? 1, anchor: .zero)
        // After the zoom the offset is at the start of the content, or at the end of reversed content.
        let beginning = view.isReversed ? view.maximumContentOffset : .zero
        view.setContentOffset(contentOffset ?? view.clampedContentOffset(beginning))
        return view
    }

    private func roundingPolicy() throws(MalformedLine) -> Rounding {
        let scale = displayScale ?? 1
        guard scale > 0 else { throw MalformedLine("\"displayScale\" must be above zero") }
        return rounding == .pixel ? .pixel(displayScale: scale) : .none
    }
}

/// `none` or `pixel`.
enum RoundingName: String, Decodable { case none, pixel }

/// `normal`, `fast`, or the share of the velocity that remains after a millisecond.
struct RateName: Decodable {
    let rate: DecelerationRate

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Double.self) {
            rate = DecelerationRate(perMillisecond: number)
            return
        }
        switch try value.decode(String.self) {
        case "normal": rate = .normal
        case "fast": rate = .fast
        case let name:
            throw MalformedLine(
                "\"decelerationRate\" must be \"normal\", \"fast\" or a number, not \"\(name)\"")
        }
    }
}

/// `topLeading`, `center`, or the shares of the free space left of and above the content.
struct AlignmentName: Decodable {
    let alignment: ContentAlignment

    init(from decoder: any Decoder) throws {
        if let shares = try? decoder.singleValueContainer().decode(ContentAlignment.self) {
            alignment = shares
            return
        }
        switch try decoder.singleValueContainer().decode(String.self) {
        case "topLeading": alignment = .topLeading
        case "center": alignment = .center
        case let name:
            throw MalformedLine(
                "\"contentAlignment\" must be \"topLeading\", \"center\" or [x,y], not \"\(name)\"")
        }
    }
}

/// `automatic`, `scrollableAxes`, `never` or `always`.
struct InsetAdjustmentName: Decodable {
    let behavior: ContentInsetAdjustmentBehavior

    init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let behavior = ContentInsetAdjustmentBehavior(rawValue: name) else {
            let names = ContentInsetAdjustmentBehavior.allCases.map { "\"\($0.rawValue)\"" }
            throw MalformedLine("a behavior must be \(names.joined(separator: ", ")), not \"\(name)\"")
        }
        self.behavior = behavior
    }
}
