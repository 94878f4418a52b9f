import Foundation
import TestSupport

/// A Swift file of this package.
struct SourceFile {
    /// The folders and the name, such as `Sources`, `System`, `Basics`, `Once.swift`.
    let path: [String]
    let text: String

    var name: String { path[path.count - 1] }

    /// The lines without those of comments.
    var code: String {
        text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    }

    /// Returns the files below a folder of the package.
    static func below(_ folder: [String] = []) throws -> [SourceFile] {
        try all.get().filter { $0.path.starts(with: folder) }
    }

    private static let all = Result {
        try ["Sources", "Tests", "samples"].flatMap { folder in
            let root = PackageFolder.url(folder)
            return try FileManager.default.subpathsOfDirectory(atPath: root.path)
                // Samples that were run have build folders.
                .filter { $0.hasSuffix(".swift") && !$0.contains("/.build/") }.sorted()
                .map { path in
                    SourceFile(
                        path: [folder] + path.split(separator: "/").map(String.init),
                        text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
                }
        }
    }
}

extension NSRegularExpression {
    func matches(_ text: String) -> Bool {
        firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
