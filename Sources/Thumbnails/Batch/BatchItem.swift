package import Basics
internal import Files
internal import Foundation

/// One file of a batch, as its list names it.
package struct BatchItem: Sendable {
    /// Where it stands in the list, from 1; blank lines are counted.
    package var line: Int
    /// The id as it was given: a text or a whole number.
    package var id: JSONValue?
    /// The path as it was given.
    package var path: String
    /// The path to open.
    var file: String
    /// The path seen from the root, without detours.
    var relativePath: String
    /// What else stood in the line; it comes back in the result.
    var rest: [JSONValue.Member] = []

    /// What the item is known by in every run and on every machine: the id, else the path seen from the root.
    package var key: String { (idText ?? relativePath).precomposedStringWithCanonicalMapping }

    /// The id as a text.
    var idText: String? {
        switch id {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}

/// The folder that paths are seen from.
package struct BatchRoot: Sendable {
    private let folder: String
    /// Where a path that does not begin with "/" begins.
    private let start: String
    private let absoluteParts: [Substring]

    /// - Parameter isForManifest: whether paths begin at the root too; else at the current folder, as paths of a
    ///   command line do.
    package init(_ folder: String = ".", isForManifest: Bool = true) {
        self.folder = folder
        start = isForManifest || folder == "." ? folder : "."
        absoluteParts = Self.parts(ProcessEnvironment.absolutePath(folder))
    }

    /// The path to open.
    func file(_ path: String) -> String {
        path.hasPrefix("/") || start == "." ? path : "\(start)/\(path)"
    }

    /// The path seen from the root, without `.` and `..`; an absolute one outside of it stays absolute.
    func relative(_ path: String) -> String {
        let isSeenFromRoot = !path.hasPrefix("/") && start == folder
        guard !isSeenFromRoot else { return Self.parts(path).joined(separator: "/") }
        let parts = Self.parts(path.hasPrefix("/") ? path : ProcessEnvironment.absolutePath(".") + "/" + path)
        guard parts.starts(with: absoluteParts) else { return "/" + parts.joined(separator: "/") }
        return parts.dropFirst(absoluteParts.count).joined(separator: "/")
    }

    private static func parts(_ path: String) -> [Substring] {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts
    }
}
