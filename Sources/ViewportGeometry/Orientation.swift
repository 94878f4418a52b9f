/// How stored pixels are turned to stand upright: the eight values of EXIF's Orientation tag.
///
/// Each is a transposition (or none) followed by a flip (or none) along each upright axis. The eight form a
/// group: turning twice is turning once, by another of the eight.
@frozen
public enum Orientation: Int, CaseIterable, Sendable {
    /// Stored upright.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180 degrees.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal.
    case leftMirrored = 5
    /// Stored on its side: upright after a turn by 90 degrees clockwise.
    case right = 6
    /// Mirrored along the other diagonal.
    case rightMirrored = 7
    /// Stored on its side: upright after a turn by 270 degrees clockwise.
    case left = 8

    /// The orientation of an EXIF value; 0, 9 and every other foreign value count as upright.
    @inlinable
    public init(exif value: Int) {
        self = Self(rawValue: value) ?? .up
    }

    @inlinable
    init(transposes: Bool, flipsX: Bool, flipsY: Bool) {
        self =
            switch (transposes, flipsX, flipsY) {
            case (false, false, false): .up
            case (false, true, false): .upMirrored
            case (false, true, true): .down
            case (false, false, true): .downMirrored
            case (true, false, false): .leftMirrored
            case (true, true, false): .right
            case (true, true, true): .rightMirrored
            case (true, false, true): .left
            }
    }

    /// Whether rows become columns: width and height change places.
    @inlinable
    public var transposes: Bool { rawValue >= 5 }

    /// Whether, after the transposition, left and right change places.
    @inlinable
    public var flipsX: Bool {
        self == .upMirrored || self == .down || self == .right || self == .rightMirrored
    }

    /// Whether, after the transposition, top and bottom change places.
    @inlinable
    public var flipsY: Bool {
        self == .down || self == .downMirrored || self == .rightMirrored || self == .left
    }
}

extension Orientation {
    /// A clockwise rotation by a multiple of 90 degrees, after a mirroring left to right where `mirrored`.
    ///
    /// Nil where `degrees` is no multiple of 90. Negative angles turn counter-clockwise.
    public init?(degrees: Int, mirrored: Bool = false) {
        guard degrees % 90 == 0 else { return nil }
        let rotation: Self =
            switch ((degrees % 360) + 360) % 360 {
            case 90: .right
            case 180: .down
            case 270: .left
            default: .up
            }
        self = mirrored ? Orientation.upMirrored.followed(by: rotation) : rotation
    }

    /// This turn and then `next`, as one turn.
    public func followed(by next: Self) -> Self {
        let first = next.transposes ? (x: flipsY, y: flipsX) : (x: flipsX, y: flipsY)
        return Self(
            transposes: transposes != next.transposes,
            flipsX: first.x != next.flipsX,
            flipsY: first.y != next.flipsY)
    }

    /// The turn that undoes this one.
    public var inverse: Self {
        transposes ? Self(transposes: true, flipsX: flipsY, flipsY: flipsX) : self
    }

    /// The upright size of an image that is stored in `size`.
    public func uprightSize(_ size: PixelSize<StoredGrid>) -> PixelSize<UprightGrid> {
        transposes
            ? PixelSize(width: size.height, height: size.width)
            : PixelSize(width: size.width, height: size.height)
    }

    /// The place in the upright image of the stored pixels of `rect`; `size` is the stored size of the whole.
    public func upright(_ rect: PixelRect<StoredGrid>, in size: PixelSize<StoredGrid>) -> PixelRect<
        UprightGrid
    > {
        let whole = uprightSize(size)
        let turned =
            transposes
            ? PixelRect<UprightGrid>(x: rect.y, y: rect.x, width: rect.height, height: rect.width)
            : PixelRect<UprightGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        return PixelRect(
            x: flipsX ? whole.width.subtractingSaturated(turned.maxX) : turned.x,
            y: flipsY ? whole.height.subtractingSaturated(turned.maxY) : turned.y,
            width: turned.width, height: turned.height)
    }

    /// The place in the file of the upright pixels of `rect`; `size` is the stored size of the whole.
    public func stored(_ rect: PixelRect<UprightGrid>, in size: PixelSize<StoredGrid>) -> PixelRect<
        StoredGrid
    > {
        let whole = uprightSize(size)
        let x = flipsX ? whole.width.subtractingSaturated(rect.maxX) : rect.x
        let y = flipsY ? whole.height.subtractingSaturated(rect.maxY) : rect.y
        return transposes
            ? PixelRect(x: y, y: x, width: rect.height, height: rect.width)
            : PixelRect(x: x, y: y, width: rect.width, height: rect.height)
    }
}
