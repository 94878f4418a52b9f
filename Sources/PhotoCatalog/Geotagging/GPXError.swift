/// Why a track could not be read.
public enum GPXError: Error, Equatable, Sendable {
    /// The file cannot be read; the system's words.
    case unreadable(file: String, reason: String)
    /// It is no GPX, or broken XML from this byte on.
    case syntax(file: String, offset: Int)
    /// There is no point with a place and a time in it.
    case noPoints(file: String)
}

extension GPXError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file): \(reason)"
        case .syntax(let file, let offset):
            "\(file): is no GPX from byte \(offset) on; export the track again as GPX 1.1"
        case .noPoints(let file):
            "\(file): has no track point with a time; export the track with its times"
        }
    }
}
