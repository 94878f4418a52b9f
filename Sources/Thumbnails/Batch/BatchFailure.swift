package import Files
internal import ViewportRendering

/// Why an item has no thumbnails: a code for programs and a sentence for people.
package struct BatchFailure: Error, Equatable, Sendable {
    /// One word: "missing", "damaged", "collision".
    package var code: String
    package var message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    static func badLine(_ line: Int, _ reason: String) -> BatchFailure {
        BatchFailure("bad-line", "line \(line) of the manifest is not understood: \(reason)")
    }

    static func collision(_ item: BatchItem, _ reason: String) -> BatchFailure {
        BatchFailure("collision", "\(item.path): \(reason)")
    }

    /// What was wrong with a file that was to be read.
    init(reading error: ThumbnailError) {
        if case .rendering(.folder(let file)) = error {
            self.init(error.code, "\(file): is a folder; add --recursive to go into it")
        } else {
            self.init(error.code, "\(error)")
        }
    }

    /// What was wrong with a file that was to be written.
    init(writing error: FileError, _ file: String) {
        let isThere = if case .kept = error { true } else { error == .exists }
        self.init(isThere ? "exists" : Self.cannotWrite, "\(file): \(error)")
    }

    /// A thumbnail has no place to go to.
    package static let cannotWrite = "cannot-write"

    /// Whether a later run finds the same again, as long as neither the file nor the recipe changes.
    var isLasting: Bool {
        ["empty", "damaged", "truncated", "unknown-format", "no-such-page"].contains(code)
    }
}

/// Why a batch cannot begin or go on.
package enum BatchError: Error, Equatable, Sendable {
    case listUnreadable(file: String, FileError)
    case resultsUnwritable(file: String, FileError)
    case resultsInUse(file: String)
}

extension BatchError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .listUnreadable(let file, let error): "\(file): \(error)"
        case .resultsUnwritable(let file, let error): "\(file): \(error)"
        case .resultsInUse(let file):
            "\(file): another run writes its results there; wait for it, or name another file"
        }
    }
}
