/// Writes pixels as PNG files: fast on photographs, exact always, the same bytes on every run.
///
/// The bytes depend on the pixels, the format and the level, never on `threads`.
public struct PNGEncoder: Hashable, Sendable {
    /// How much time goes into making the file small.
    public enum Level: String, CaseIterable, Hashable, Sendable {
        /// Several times faster than zlib, and smaller on photographs.
        case fast
        /// About a tenth smaller than `fast` on photographs, in the time that zlib takes.
        case small
        /// Not compressed at all.
        case store
    }

    public var level: Level
    /// How many threads may work on one large image: 1 or 2.
    public var threads: Int

    public init(level: Level = .fast, threads: Int = 1) {
        self.level = level
        self.threads = threads
    }
}
