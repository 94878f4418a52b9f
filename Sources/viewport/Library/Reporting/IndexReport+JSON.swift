import ArgumentParser
import PhotoLibrary

extension IndexReport {
    var json: JSONText {
        .object([
            ("inserted", .int(inserted)), ("updated", .int(updated)), ("moved", .int(moved)),
            ("removed", .int(removed)), ("unchanged", .int(unchanged)), ("ignored", .int(ignored)),
            ("failures", .array(failures.map(\.json))),
        ])
    }

    var sentence: String {
        "\(inserted) new, \(updated) changed, \(moved) moved, \(removed) gone, \(unchanged) unchanged, "
            + "\(ignored) others, \(failures.count) unreadable"
    }
}

extension IndexReport.Failure {
    var json: JSONText { .object([("path", .string(path)), ("reason", .string(reason))]) }
}

/// Names files that something could not be done with.
///
/// - Throws: `ExitCode` 3 where there are any.
func tell(_ failures: [IndexReport.Failure]) throws {
    for failure in failures {
        // Errors of pictures name the file themselves.
        let isNamed = failure.reason.contains(failure.path)
        StandardError.write("viewport: \(isNamed ? "" : "\(failure.path): ")\(failure.reason)\n")
    }
    if !failures.isEmpty { throw ExitCode(3) }
}
