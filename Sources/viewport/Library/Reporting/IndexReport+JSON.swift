import ArgumentParser
import Basics
import PhotoCatalog

extension IndexReport {
    var json: JSONValue {
        .object([
            ("inserted", .int(inserted)), ("updated", .int(updated)), ("moved", .int(moved)),
            ("removed", .int(removed)), ("unchanged", .int(unchanged)), ("ignored", .int(others.count)),
            ("ignoredKinds", .object(kinds.map { ($0.ending, .int($0.count)) })),
            ("failures", .array(failures.map(\.json))),
        ])
    }

    var sentence: String {
        "\(inserted) new, \(updated) changed, \(moved) moved, \(removed) gone, \(unchanged) unchanged, "
            + "\(others.count) others\(kindsText), \(failures.count) unreadable"
    }

    /// The endings of other files; most common first.
    private var kinds: [(ending: String, count: Int)] {
        otherKinds.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// " (7 txt, 2 without ending)".
    private var kindsText: String {
        let parts = kinds.map { "\($0.count) \($0.ending.isEmpty ? "without ending" : $0.ending)" }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}

extension IndexReport.Failure {
    var json: JSONValue { .object([("path", .string(path)), ("reason", .string(reason))]) }
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
