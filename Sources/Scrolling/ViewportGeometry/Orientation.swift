/// The transformation from stored to upright pixels: the eight values of EXIF's Orientation tag.
///
/// Each is an optional transposition followed by an optional flip along each upright axis. The eight form a
/// group: any two in sequence equal a third.
@frozen
public enum Orientation: Int, CaseIterable, Sendable {
    /// Stored upright.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180 degrees.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal.
    case leftMirrored = 5
    /// Stored sideways: upright after a clockwise rotation by 90 degrees.
    case right = 6
    /// Mirrored along the secondary diagonal.
    case rightMirrored = 7
    /// Stored sideways: upright after a clockwise rotation by 270 degrees.
    case left = 8

    /// Creates the orientation of an EXIF value.
    ///
    /// Values outside 1 to 8 count as upright.
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

    /// Whether rows become columns, which swaps width and height.
    @inlinable
    public var transposes: Bool { rawValue >= 5 }

    /// Whether left and right are swapped after the transposition.
    @inlinable
    public var flipsX: Bool {
        self == .upMirrored || self == .down || self == .right || self == .rightMirrored
    }

    /// Whether top and bottom are swapped after the transposition.
    @inlinable
    public var flipsY: Bool {
        self == .down || self == .downMirrored || self == .rightMirrored || self == .left
    }
}

extension Orientation {
    /// Creates a clockwise rotation, after mirroring left to right if `mirrored`.
    ///
    /// Returns nil if `degrees` is not a multiple of 90. Negative angles rotate counterclockwise.
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

    /// Returns the orientation that applies this one, then `next`.
    public func followed(by next: Self) -> Self {
        let first = next.transposes ? (x: flipsY, y: flipsX) : (x: flipsX, y: flipsY)
        return Self(
            transposes: transposes != next.transposes,
            flipsX: first.x != next.flipsX,
            flipsY: first.y != next.flipsY)
    }

    /// The orientation that reverts this one.
    public var inverse: Self {
        transposes ? Self(transposes: true, flipsX: flipsY, flipsY: flipsX) : self
    }

    /// Returns the upright size of an image of the stored size `size`.
    public func uprightSize(_ size: PixelSize<StoredGrid>) -> PixelSize<UprightGrid> {
        transposes
            ? PixelSize(width: size.height, height: size.width)
            : PixelSize(width: size.width, height: size.height)
    }

    /// Returns the upright rectangle of the stored pixels in `rect`.
    ///
    /// `size` is the stored size of the image.
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

    /// Returns the stored rectangle of the upright pixels in `rect`.
    ///
    /// `size` is the stored size of the image.
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

#if !hasFeature(Embedded)
/// Coded as the number of EXIF.
extension Orientation: Codable {}
#endif
