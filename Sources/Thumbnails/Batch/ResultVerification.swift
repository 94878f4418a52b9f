package import Basics
internal import Crypto
internal import Files

/// Reads again what results say was written.
package struct ResultVerification: Sendable, Hashable {
    /// Thumbnails that were read.
    package private(set) var checked = 0
    /// What is not as its result says.
    package private(set) var problems: [Problem] = []

    package struct Problem: Sendable, Hashable, CustomStringConvertible {
        package var line: Int
        package var path: String?
        package var reason: String

        package var description: String { path.map { "\($0): \(reason)" } ?? "line \(line): \(reason)" }

        package var json: JSONValue {
            .object([
                ("line", .int(line)), ("path", path.map(JSONValue.string) ?? .null),
                ("problem", .string(reason)),
            ])
        }
    }

    /// - Parameter path: the file of results, "-" for standard input.
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
                    problems.append(Problem(line: line, path: nil, reason: "is no result"))
                    continue
                }
                for output in result.outputs { check(output, line) }
            }
        } catch {
            throw .listUnreadable(file: path, error)
        }
    }

    private mutating func check(_ output: StoredThumbnail, _ line: Int) {
        checked += 1
        do throws(FileError) {
            let file = try InputFile.contents(output.path)
            let reason: String? =
                if file.count != output.bytes {
                    "has \(file.count) bytes instead of \(output.bytes); make it again"
                } else if SHA256.hash(data: file).hexadecimal != output.sha256 {
                    "has other bytes than were written; make it again"
                } else {
                    nil
                }
            if let reason { problems.append(Problem(line: line, path: output.path, reason: reason)) }
        } catch {
            problems.append(Problem(line: line, path: output.path, reason: "\(error)"))
        }
    }
}
