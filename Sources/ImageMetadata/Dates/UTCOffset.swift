/// How far a wall clock is ahead of UTC, at most 14 hours either way.
public struct UTCOffset: Hashable, Sendable {
    public let minutes: Int

    public static let utc = Self(0)

    /// Nil beyond 14 hours: no place on Earth has it.
    public init?(minutes: Int) {
        guard minutes.magnitude <= 14 * 60 else { return nil }
        self.minutes = minutes
    }

    private init(_ minutes: Int) { self.minutes = minutes }
}

extension UTCOffset: LosslessStringConvertible {
    /// "+02:00".
    public var description: String {
        let value = abs(minutes)
        return "\(minutes < 0 ? "-" : "+")\(WallClock.two(value / 60)):\(WallClock.two(value % 60))"
    }

    /// Reads "+02:00", "+0200", "+02" or "Z".
    public init?(_ text: String) {
        var reader = DateText(text)
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        self = offset
    }
}

/// The zone of dates that name none, as the user gave it.
public struct AssumedZone: Sendable {
    /// "Europe/Paris".
    public var name: String
    /// The offset of a wall clock there; nil where it is not known.
    public var offset: @Sendable (WallClock) -> UTCOffset?

    public init(name: String, offset: @escaping @Sendable (WallClock) -> UTCOffset?) {
        self.name = name
        self.offset = offset
    }
}
