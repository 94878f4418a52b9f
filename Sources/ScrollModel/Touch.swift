public import ViewportGeometry

/// A finger on the screen.
@frozen
public struct Touch: Equatable, Sendable {
    /// What tells the finger from others, from its first event to its last.
    public var id: Int
    /// Where it is, in view points.
    public var location: Point<ViewSpace>

    @inlinable
    public init(id: Int, location: Point<ViewSpace>) {
        self.id = id
        self.location = location
    }
}

/// What has happened to a finger.
@frozen
public enum TouchPhase: UInt8, Equatable, Sendable {
    /// It has come down.
    case began
    /// It has moved.
    case moved
    /// It has left the screen.
    case ended
    /// The system has taken it away: nothing that it meant counts any more.
    case cancelled
}
