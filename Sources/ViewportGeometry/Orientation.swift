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
    /// To be turned by 90 degrees clockwise.
    case right = 6
    /// Mirrored along the other diagonal.
    case rightMirrored = 7
    /// To be turned by 270 degrees clockwise.
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
