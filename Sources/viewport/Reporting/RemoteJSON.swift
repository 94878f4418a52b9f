import Basics
import RemoteFiles

extension RemoteReport {
    /// The report of `--json`.
    var json: JSONValue {
        .object([
            ("requests", .int(requests)), ("bytes", .int(bytes)), ("fileBytes", .int(size)),
            ("ranges", .bool(hasRanges)),
        ])
    }
}
