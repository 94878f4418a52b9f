#if !hasFeature(Embedded)
internal import ViewportGeometry

/// A scroll view is coded whole, in the middle of a gesture or a motion if need be.
///
/// What is read is put through the same checks as what a program sets: a file from elsewhere is refused,
/// or made a state that operations can reach; it never traps and never leaves a number that is none.
extension ScrollView: Codable {
    private enum Field: String, CodingKey {
        case bounds, viewSize, zoomScale, minimumZoomScale, maximumZoomScale, contentOffset, contentInset
        case safeAreaInsets, contentAlignment, contentRotation, rounding, isReversed, bounces, bouncesZoom
        case alwaysBounceVertical, alwaysBounceHorizontal, isPagingEnabled, isDirectionalLockEnabled
        case isScrollEnabled, decelerationRate, time, motion, gesture, edges, explanation
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Field.self)
        self.init(
            bounds: try values.decode(Size<ViewSpace>.self, forKey: .bounds),
            viewSize: try values.decode(Size<ImageSpace>.self, forKey: .viewSize))
        contentRotation = Rotation(degrees: try values.decode(Double.self, forKey: .contentRotation))
        contentAlignment = try values.decode(ContentAlignment.self, forKey: .contentAlignment)
        rounding = try values.decode(Rounding.self, forKey: .rounding)
        isReversed = try values.decode(Bool.self, forKey: .isReversed)
        setContentInset(try values.decode(EdgeInsets.self, forKey: .contentInset))
        setSafeAreaInsets(try values.decode(EdgeInsets.self, forKey: .safeAreaInsets))
        setZoomLimits(
            minimum: try values.decode(Double.self, forKey: .minimumZoomScale),
            maximum: try values.decode(Double.self, forKey: .maximumZoomScale))
        let scale = try values.decode(Double.self, forKey: .zoomScale)
        let possible = Self.possibleScales
        guard scale >= possible.lowerBound / 4, scale <= possible.upperBound * 4 else {
            throw DecodingError.dataCorruptedError(
                forKey: .zoomScale, in: values, debugDescription: "a zoom scale that cannot be")
        }
        zoomScale = scale
        setContentOffset(try values.decode(Point<ContentSpace>.self, forKey: .contentOffset))
        bounces = try values.decode(Bool.self, forKey: .bounces)
        bouncesZoom = try values.decode(Bool.self, forKey: .bouncesZoom)
        alwaysBounceVertical = try values.decode(Bool.self, forKey: .alwaysBounceVertical)
        alwaysBounceHorizontal = try values.decode(Bool.self, forKey: .alwaysBounceHorizontal)
        isPagingEnabled = try values.decode(Bool.self, forKey: .isPagingEnabled)
        isDirectionalLockEnabled = try values.decode(Bool.self, forKey: .isDirectionalLockEnabled)
        isScrollEnabled = try values.decode(Bool.self, forKey: .isScrollEnabled)
        decelerationRate = DecelerationRate(
            perMillisecond: try values.decode(Double.self, forKey: .decelerationRate))
        let time = try values.decode(Double.self, forKey: .time)
        self.time = time.isFinite ? time : 0
        motion = try values.decode(Motion.self, forKey: .motion)
        gesture = try values.decode(Gesture.self, forKey: .gesture)
        edges = try values.decode(UInt8.self, forKey: .edges)
        explanation = try values.decode(Explanation.self, forKey: .explanation)
        guard gesture.isSound else {
            throw DecodingError.dataCorruptedError(
                forKey: .gesture, in: values,
                debugDescription: "a gesture of a number of fingers that cannot be")
        }
    }

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
        try values.encode(contentAlignment, forKey: .contentAlignment)
        try values.encode(contentRotation.degrees, forKey: .contentRotation)
        try values.encode(rounding, forKey: .rounding)
        try values.encode(isReversed, forKey: .isReversed)
        try values.encode(bounces, forKey: .bounces)
        try values.encode(bouncesZoom, forKey: .bouncesZoom)
        try values.encode(alwaysBounceVertical, forKey: .alwaysBounceVertical)
        try values.encode(alwaysBounceHorizontal, forKey: .alwaysBounceHorizontal)
        try values.encode(isPagingEnabled, forKey: .isPagingEnabled)
        try values.encode(isDirectionalLockEnabled, forKey: .isDirectionalLockEnabled)
        try values.encode(isScrollEnabled, forKey: .isScrollEnabled)
        try values.encode(decelerationRate.perMillisecond, forKey: .decelerationRate)
        try values.encode(time, forKey: .time)
        try values.encode(motion, forKey: .motion)
        try values.encode(gesture, forKey: .gesture)
        try values.encode(edges, forKey: .edges)
        try values.encode(explanation, forKey: .explanation)
    }
}

extension ContentAlignment: Codable {
    /// An alignment is coded as `[x, y]`.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(x: try list.decode(Double.self), y: try list.decode(Double.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(x)
        try list.encode(y)
    }
}

#endif
