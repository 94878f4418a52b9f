internal import Basics
package import Files
internal import Synchronization

/// The results of a batch, line by line on standard output or in a file, and what stands of those of an earlier run.
package final class ResultLog: Sendable {
    private let file: LineFile
    private let name: String
    private let done: Set<BatchPlan.Digest>
    package let isStandardOutput: Bool
    /// How many results of the earlier run stand.
    package var kept: Int { done.count }

    /// Standard output.
    package init() {
        (file, name, done, isStandardOutput) = (LineFile(), "standard output", [], true)
    }

    /// A file that replaces one of results.
    ///
    /// - Parameter stands: which results of the earlier run, whose file is replaced, stay; nil for none.
    package init(
        _ output: Output, _ root: BatchRoot, keeping stands: ((PastResult) -> Bool)? = nil
    ) throws(BatchError) {
        let path = output.path
        (name, isStandardOutput) = (path, false)
        var done: Set<BatchPlan.Digest> = []
        let file: LineFile?
        do throws(FileError) {
            file = try LineFile(replacing: output)
        } catch {
            throw .resultsUnwritable(file: path, error)
        }
        guard let file else { throw .resultsInUse(file: path) }
        self.file = file
        do throws(FileError) {
            if let stands, file.isReplacing {
                let old = try LineReader(path)
                while let line = try old.next() {
                    // A line that was cut off when the run before ended is made anew.
                    guard !line.isCut, let json = try? JSONValue(parsing: line.bytes),
                        let result = PastResult(json, root), let key = result.key, result.isLasting,
                        stands(result), done.insert(BatchPlan.Digest(key)).inserted
                    else { continue }
                    try file.append(String(decoding: line.bytes, as: UTF8.self))
                }
            }
            try file.publish()
        } catch {
            throw .resultsUnwritable(file: path, error)
        }
        self.done = done
    }

    /// Whether an item's result stands from the earlier run.
    package func has(_ key: String) -> Bool { done.contains(BatchPlan.Digest(key)) }

    package func append(_ result: BatchResult) throws(BatchError) {
        do throws(FileError) {
            try file.append(result.json.description)
        } catch {
            throw .resultsUnwritable(file: name, error)
        }
    }
}

extension ResultLog {
    /// A file that results may be written to: a new one or one of results, told by its lines.
    package static func output(_ path: String, inputs: [String], overwrites: Bool) -> Output {
        Output(path, .lines, inputs: inputs, overwrites: overwrites, isOwn: hasResults)
    }

    /// Whether the lines of a file are results, as far as its first thousand tell; the last may be cut off.
    private static func hasResults(_ path: String) -> Bool {
        guard let lines = try? LineReader(path) else { return false }
        var results = 0
        for _ in 0..<1000 {
            guard let line = try? lines.next() else { break }
            guard !line.bytes.isEmpty else { continue }
            guard (try? JSONValue(parsing: line.bytes)).map({ PastResult($0) != nil }) ?? false else {
                return results > 0 && (try? lines.next()) == nil
            }
            results += 1
        }
        return results > 0
    }
}
