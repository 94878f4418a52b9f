#if Server
internal import Synchronization
internal import ViewportRendering

/// What a pass over an image makes; the raw values are labels of metrics.
enum BuildKind: String, CaseIterable, Sendable {
    /// The small levels.
    case overview
    /// An index, or all levels.
    case pyramid
}

/// The speed of builds by format, in pixels per second: an assumption at first, then what was measured.
final class BuildSpeeds: Sendable {
    private struct Name: Hashable {
        var kind: BuildKind
        var format: ImageFormat
    }

    private let measured = Mutex([Name: Double]())

    /// Returns the estimated duration of a build.
    func duration(_ kind: BuildKind, _ format: ImageFormat, _ pixels: Int) -> Duration {
        let speed = measured.withLock { $0[Name(kind: kind, format: format)] }
        return .seconds(Double(pixels) / (speed ?? (kind == .overview ? 40e6 : 10e6)))
    }

    /// Records a build; later ones weigh more.
    func note(_ kind: BuildKind, _ format: ImageFormat, _ pixels: Int, in time: Duration) {
        // Levels that were on disk take no time and prove nothing.
        guard time > .milliseconds(20) else { return }
        let speed = Double(pixels) / (time / .seconds(1))
        measured.withLock { measured in
            let name = Name(kind: kind, format: format)
            measured[name] = measured[name].map { 0.7 * $0 + 0.3 * speed } ?? speed
        }
    }
}
#endif
