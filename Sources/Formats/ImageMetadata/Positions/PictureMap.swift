package import ViewportGeometry

/// Where the points of a stored picture lie in another one that was made of it by turns, mirrors, cuts and scaling.
///
/// Coordinates are parts of width and height, from the top left corner: of the stored pixels on both sides.
package struct PictureMap: Equatable, Sendable {
    /// A rectangle, or a point where its sides are 0.
    package struct Area: Equatable, Sendable {
        package var minX: Double
        package var minY: Double
        package var maxX: Double
        package var maxY: Double

        package init(_ minX: Double, _ minY: Double, _ maxX: Double, _ maxY: Double) {
            (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
        }

        var width: Double { maxX - minX }
        var height: Double { maxY - minY }
        var center: (x: Double, y: Double) { ((minX + maxX) / 2, (minY + maxY) / 2) }
    }

    /// One coordinate of the new picture, as a multiple of one of the old picture and a summand.
    private struct Axis: Equatable, Sendable {
        var scale = 1.0
        var offset = 0.0

        func callAsFunction(_ value: Double) -> Double { value * scale + offset }
        func following(_ first: Self) -> Self {
            Self(scale: scale * first.scale, offset: scale * first.offset + offset)
        }
        var mirrored: Self { Self(scale: -scale, offset: 1 - offset) }
    }

    /// The stored size of the old picture.
    package let source: PixelSize<StoredGrid>
    /// The orientation of the old picture.
    private let orientation: Orientation
    /// The stored size of the new picture.
    package let size: PixelSize<StoredGrid>
    private var transposes = false
    private var x = Axis()
    private var y = Axis()

    /// Creates the map of a picture that was scaled only.
    package init(
        _ source: PixelSize<StoredGrid>, _ orientation: Orientation, to size: PixelSize<StoredGrid>
    ) {
        (self.source, self.orientation, self.size) = (source, orientation, size)
    }

    /// Turns the new picture.
    package mutating func turn(_ turn: Orientation) {
        if turn.transposes {
            transposes.toggle()
            swap(&x, &y)
        }
        if turn.flipsX { x = x.mirrored }
        if turn.flipsY { y = y.mirrored }
    }

    /// Cuts the new picture, which may also become larger.
    package mutating func cut(to part: Area) {
        x = Axis(scale: 1 / part.width, offset: -part.minX / part.width).following(x)
        y = Axis(scale: 1 / part.height, offset: -part.minY / part.height).following(y)
    }

    /// Whether the new picture shows all of the old one, not turned.
    package var isWhole: Bool {
        func isSame(_ axis: Axis) -> Bool { abs(axis.scale - 1) < 1e-9 && abs(axis.offset) < 1e-9 }
        return !transposes && isSame(x) && isSame(y)
    }

    /// Whether all positions are those of the old picture.
    package var isSame: Bool { isWhole && source == size }

    /// Whether the new picture is turned or mirrored.
    var isTurned: Bool { transposes || x.scale < 0 || y.scale < 0 }

    /// Returns the map of positions in a picture of a stated size: the stored picture, or the upright one; nil where they belong
    /// to another picture.
    ///
    /// Programs that cut a picture and leave its positions as they were are told by the sides of what these apply to.
    func ofPicture(_ width: Double, _ height: Double) -> Self? {
        func isLike(_ size: (width: Double, height: Double)) -> Bool {
            abs(width * size.height - height * size.width) <= 0.01
                * max(width * size.height, height * size.width)
        }
        let stored = (width: Double(source.width), height: Double(source.height))
        guard width > 0, height > 0, stored.width > 0, stored.height > 0 else { return nil }
        if isLike(stored) { return self }
        guard orientation.transposes, isLike((stored.height, stored.width)) else { return nil }
        var upright = Self(PixelSize(width: source.height, height: source.width), .up, to: size)
        upright.turn(orientation.inverse)
        let (first, second) = transposes ? (upright.y, upright.x) : (upright.x, upright.y)
        (upright.x, upright.y) = (x.following(first), y.following(second))
        upright.transposes = upright.transposes != transposes
        return upright
    }

    /// Returns a point in the new picture; it may lie outside.
    func point(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
        let (first, second) = transposes ? (point.y, point.x) : point
        return (x(first), y(second))
    }

    /// Returns what the new picture has of an area; nil if that is nothing.
    func part(of area: Area) -> Area? {
        let (a, b) = (point((area.minX, area.minY)), point((area.maxX, area.maxY)))
        let whole = Area(min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))
        let part = Area(max(0, whole.minX), max(0, whole.minY), min(1, whole.maxX), min(1, whole.maxY))
        // Half a pixel is nothing.
        let (least, isPoint) = (0.5, area.width <= 0 && area.height <= 0)
        let isThere =
            isPoint
            ? part.width >= 0 && part.height >= 0
            : part.width * Double(size.width) >= least && part.height * Double(size.height) >= least
        return isThere ? part : nil
    }

    /// Returns a circle in the new picture, whose diameter is in pixels of the old one; nil if its center lies outside.
    func circle(_ center: (x: Double, y: Double), _ diameter: Double) -> (
        center: (x: Double, y: Double), diameter: Double
    )? {
        let moved = point(center)
        guard (0...1).contains(moved.x), (0...1).contains(moved.y) else { return nil }
        // Pictures that are scaled differently in width and height have no circles.
        let (width, height) = transposes ? (source.height, source.width) : (source.width, source.height)
        let across = abs(x.scale) * Double(size.width) / Double(width)
        let down = abs(y.scale) * Double(size.height) / Double(height)
        return (moved, diameter * (across + down) / 2)
    }
}
