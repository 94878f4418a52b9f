package import Basics
package import Files

/// Compares thumbnails with their results.
package struct ResultVerification: Sendable, Hashable {
    /// The number of thumbnails that were read.
    package private(set) var checked = 0
    /// Thumbnails that differ from their results.
    package private(set) var problems: [Problem] = []

    package struct Problem: Sendable, Hashable, CustomStringConvertible {
        package var line: Int
        package var path: FilePath?
        package var reason: String

        package var description: String { path.map { "\($0): \(reason)" } ?? "line \(line): \(reason)" }

        package var json: JSONValue {
            .object([
                "line": .int(line), "path": path.map { .string($0.text) } ?? .null,
                "problem": .string(reason),
            ])
        }
    }

    /// - Parameter path: the result file; "-" is standard input.
    package init(_ path: String) throws(BatchError) {
        do throws(FileError) {
            let reader = try LineReader(path)
            var line = 0
            while let text = try reader.next() {
                line += 1
                guard !text.bytes.isEmpty else { continue }
                guard !text.isCut, let json = try? JSONValue(parsing: text.bytes),
                    let result = PastResult(json)
                else {
                    problems.append(Problem(line: line, path: nil, reason: "is not a result"))
                    continue
                }
                for output in result.outputs { check(output, line) }
            }
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    private mutating func check(_ output: StoredThumbnail, _ line: Int) {
        checked += 1
        do throws(FileError) {
            let tree = StoredTree(output.path)
            if output.files == nil { try InputFile.check(output.path) }
            let reason: String? =
                if let files = output.files, files != tree.files.count {
                    "has \(tree.files.count) files instead of \(files); make it again"
                } else if tree.bytes != output.bytes {
                    "has \(tree.bytes) bytes instead of \(output.bytes); make it again"
                } else if try tree.sha256() != output.sha256 {
                    "has a different checksum; make it again"
                } else {
                    nil
                }
            if let reason {
                problems.append(Problem(line: line, path: FilePath(output.path), reason: reason))
            }
        } catch {
            problems.append(Problem(line: line, path: FilePath(output.path), reason: "\(error)"))
        }
    }
}
