/// When a picture was taken: the wall clock as the camera showed it, its offset where known, and the source.
public struct AssetDate: Hashable, Sendable {
    public var local: WallClock
    /// Seconds east of UTC; nil where the zone is unknown, which is not UTC.
    public var offset: Int?
    /// The tag that the wall clock came from: "SubSecDateTimeOriginal".
    public var source: String

    public init(_ local: WallClock, offset: Int? = nil, source: String) {
        self.local = local
        self.offset = offset
        self.source = source
    }

    /// Seconds since 1970 by which dates are ordered; where the zone is unknown, as if it were UTC.
    var instant: Int { local.seconds - (offset ?? 0) }
}

extension AssetDate {
    /// "+02:00"; nil where the zone is unknown.
    public var offsetText: String? {
        guard let offset else { return nil }
        let minutes = abs(offset) / 60
        let text = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return (offset < 0 ? "-" : "+") + text
    }

    /// The seconds of "+02:00", "-0330" or "Z"; nil for anything else.
    public static func offset(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard text.hasPrefix("+") || text.hasPrefix("-"), digits.count == 4, digits.allSatisfy(\.isASCII),
            let number = Int(digits), number % 100 < 60, number / 100 <= 15
        else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * (number / 100 * 3600 + number % 100 * 60)
    }
}
