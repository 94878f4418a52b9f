import ImageMetadata

/// What dates assets that say nothing of a date: neither in themselves nor by their names.
public enum UndatedRule: String, CaseIterable, Sendable {
    /// Nothing: they are undated, also those that `fileTime` has dated before.
    case nothing
    /// The time of the file's last change; the date's source says so.
    case fileTime = "file-time"
}

/// How the dates of files are completed when they are read.
struct Dating: Sendable {
    /// The zone of dates that name none.
    var zone: AssumedZone?
    /// Nil leaves assets as they were dated before.
    var undatedBy: UndatedRule?

    /// The date of a file that has none; nil where it stays undated.
    func date(fileTime nanoseconds: Int) -> CaptureDate? {
        // The least and the greatest stand for times beyond them.
        guard undatedBy == .fileTime, nanoseconds > .min, nanoseconds < .max else { return nil }
        return CaptureDate(fileTime: nanoseconds / 1_000_000_000)
    }
}
