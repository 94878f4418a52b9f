#if !hasFeature(Embedded)
internal import ViewportGeometry

/// The complete state, including a gesture or motion in progress.
///
/// Decoded values pass the same checks as values that a program sets. Invalid input throws or becomes a state
/// that operations can reach; it never traps and never leaves a NaN. Input from versions without per-axis
/// bounces, `scrollsToTop` and `contentInsetAdjustmentBehavior` is accepted.
extension ScrollView: Codable {
    private enum Field: String, CodingKey {
        case bounds, viewSize, zoomScale, minimumZoomScale, maximumZoomScale, contentOffset, contentInset
        case safeAreaInsets, contentInsetAdjustmentBehavior, contentAlignment, contentRotation, rounding
        case isReversed, bounces, bouncesHorizontally, bouncesVertically, bouncesZoom
        case alwaysBounceVertical, alwaysBounceHorizontal, isPagingEnabled, isDirectionalLockEnabled
        case isScrollEnabled, scrollsToTop, decelerationRate, time, motion, gesture, edges, explanation
    }

    /// Decodes a scroll view.
    ///
    /// Throws `DecodingError` for an impossible scale or gesture.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Field.self)
        self.init(
            bounds: try values.decode(Size<ViewSpace>.self, forKey: .bounds),
            viewSize: try values.decode(Size<ImageSpace>.self, forKey: .viewSize))
        let degrees = try values.decode(Double.self, forKey: .contentRotation)
        geometry.contentRotation = Rotation(degrees: degrees)
        geometry.contentAlignment = try values.decode(ContentAlignment.self, forKey: .contentAlignment)
        geometry.setRounding(try values.decode(Rounding.self, forKey: .rounding))
        geometry.isReversed = try values.decode(Bool.self, forKey: .isReversed)
        setContentInset(try values.decode(EdgeInsets.self, forKey: .contentInset))
        setSafeAreaInsets(try values.decode(EdgeInsets.self, forKey: .safeAreaInsets))
        let behavior = try values.decodeIfPresent(
            ContentInsetAdjustmentBehavior.self, forKey: .contentInsetAdjustmentBehavior)
        geometry.insetAdjustment = behavior ?? .always
        setZoomLimits(
            minimum: try values.decode(Double.self, forKey: .minimumZoomScale),
            maximum: try values.decode(Double.self, forKey: .maximumZoomScale))
        let scale = try values.decode(Double.self, forKey: .zoomScale)
        let possible = ContentGeometry.possibleScales
        guard scale >= possible.lowerBound / 4, scale <= possible.upperBound * 4 else {
            throw DecodingError.dataCorruptedError(
                forKey: .zoomScale, in: values, debugDescription: "the zoom scale is out of range")
        }
        geometry.setScale(scale)
        setContentOffset(try values.decode(Point<ContentSpace>.self, forKey: .contentOffset))
        let bounces = try values.decode(Bool.self, forKey: .bounces)
        bouncesHorizontally =
            try values.decodeIfPresent(Bool.self, forKey: .bouncesHorizontally) ?? bounces
        bouncesVertically = try values.decodeIfPresent(Bool.self, forKey: .bouncesVertically) ?? bounces
        bouncesZoom = try values.decode(Bool.self, forKey: .bouncesZoom)
        alwaysBounceVertical = try values.decode(Bool.self, forKey: .alwaysBounceVertical)
        alwaysBounceHorizontal = try values.decode(Bool.self, forKey: .alwaysBounceHorizontal)
        isPagingEnabled = try values.decode(Bool.self, forKey: .isPagingEnabled)
        isDirectionalLockEnabled = try values.decode(Bool.self, forKey: .isDirectionalLockEnabled)
        isScrollEnabled = try values.decode(Bool.self, forKey: .isScrollEnabled)
        scrollsToTop = try values.decodeIfPresent(Bool.self, forKey: .scrollsToTop) ?? true
        decelerationRate = DecelerationRate(
            perMillisecond: try values.decode(Double.self, forKey: .decelerationRate))
        let gesture = try values.decode(TouchGesture.self, forKey: .gesture)
        guard gesture.isSound else {
            throw DecodingError.dataCorruptedError(
                forKey: .gesture, in: values,
                debugDescription: "the gesture is inconsistent")
        }
        course = Course(
            time: try values.decode(Double.self, forKey: .time),
            motion: try values.decode(Motion.self, forKey: .motion), gesture: gesture,
            edges: try values.decode(UInt8.self, forKey: .edges),
            explanation: try values.decode(Explanation.self, forKey: .explanation))
    }

    /// Encodes the complete state.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Field.self)
        try values.encode(bounds, forKey: .bounds)
        try values.encode(viewSize, forKey: .viewSize)
        try values.encode(zoomScale, forKey: .zoomScale)
        try values.encode(minimumZoomScale, forKey: .minimumZoomScale)
        try values.encode(maximumZoomScale, forKey: .maximumZoomScale)
        try values.encode(contentOffset, forKey: .contentOffset)
        try values.encode(contentInset, forKey: .contentInset)
        try values.encode(safeAreaInsets, forKey: .safeAreaInsets)
        try values.encode(contentInsetAdjustmentBehavior, forKey: .contentInsetAdjustmentBehavior)
        try values.encode(contentAlignment, forKey: .contentAlignment)
        try values.encode(contentRotation.degrees, forKey: .contentRotation)
        try values.encode(rounding, forKey: .rounding)
        try values.encode(isReversed, forKey: .isReversed)
        try values.encode(bounces, forKey: .bounces)
        try values.encode(bouncesHorizontally, forKey: .bouncesHorizontally)
        try values.encode(bouncesVertically, forKey: .bouncesVertically)
        try values.encode(bouncesZoom, forKey: .bouncesZoom)
        try values.encode(alwaysBounceVertical, forKey: .alwaysBounceVertical)
        try values.encode(alwaysBounceHorizontal, forKey: .alwaysBounceHorizontal)
        try values.encode(isPagingEnabled, forKey: .isPagingEnabled)
        try values.encode(isDirectionalLockEnabled, forKey: .isDirectionalLockEnabled)
        try values.encode(isScrollEnabled, forKey: .isScrollEnabled)
        try values.encode(scrollsToTop, forKey: .scrollsToTop)
        try values.encode(decelerationRate.perMillisecond, forKey: .decelerationRate)
        try values.encode(course.time, forKey: .time)
        try values.encode(course.motion, forKey: .motion)
        try values.encode(course.gesture, forKey: .gesture)
        try values.encode(course.edges, forKey: .edges)
        try values.encode(course.explanation, forKey: .explanation)
    }
}
#endif
