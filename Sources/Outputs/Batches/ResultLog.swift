internal import Basics
internal import Containers
package import Files
internal import Synchronization

/// The results of a batch as JSON Lines, with the results kept from an earlier run.
package final class ResultLog: Sendable {
    private let file: LineFile
    private let name: String
    private let done: Set<BatchPlan.Digest>
    package let isStandardOutput: Bool
    /// The number of results kept from the earlier run.
    package var kept: Int { done.count }

    /// Creates a log on standard output.
    ///
    /// - Parameter write: Writes a line at once.
    package init(onStandardOutput write: @escaping @Sendable ([UInt8]) throws(FileError) -> Void) {
        (file, name, done) = (LineFile(stream: write), "standard output", Set<BatchPlan.Digest>())
        isStandardOutput = true
    }

    /// Creates a log that replaces a result file.
    ///
    /// - Parameter rule: which results of the replaced file are kept; nil for none.
    package init(
        _ output: Output, _ root: BatchRoot, keeping rule: ResultRule? = nil
    ) throws(BatchError) {
        let path = output.path
        (name, isStandardOutput) = (path, false)
        var done = Set<BatchPlan.Digest>()
        let file: LineFile?
        do throws(FileError) {
            file = try LineFile(replacing: output)
        } catch {
            throw .resultsUnwritable(path, error)
        }
        guard let file else { throw .resultsInUse(file: path) }
        self.file = file
        do throws(FileError) {
            if let rule, file.isReplacing { done = try Self.copy(path, to: file, keeping: rule, root) }
            try file.publish()
        } catch {
            file.discard()
            throw .resultsUnwritable(path, error)
        }
        self.done = done
    }

    /// Copies the lines whose results are kept, and returns their digests.
    ///
    /// While all processors check some lines, the next ones are read, and the ones before are written.
    private static func copy(
        _ path: String, to file: LineFile, keeping rule: ResultRule, _ root: BatchRoot
    ) throws(FileError) -> Set<BatchPlan.Digest> {
        let reader = Exclusive(try LineReader(path))
        let done = Mutex(Set<BatchPlan.Digest>())
        let failure = Mutex<FileError?>(nil)
        var checked: (lines: [LineReader.Line], digests: [BatchPlan.Digest?]) = ([], [])
        var lines: [LineReader.Line] = []
        repeat {
            let following = Mutex<[LineReader.Line]>([])
            let digests = rule.keptResults(
                of: lines, root,
                beside: [
                    {
                        do throws(FileError) {
                            let next = try reader.withValue(cancelled: .cancelled) {
                                reader throws(FileError) in
                                try nextLines(of: reader)
                            }
                            following.withLock { $0 = next }
                        } catch {
                            failure.withLock { $0 = error }
                        }
                    },
                    { [checked] in
                        let kept = done.withLock { Self.keptLines(checked.lines, checked.digests, &$0) }
                        do throws(FileError) {
                            if !kept.isEmpty { try file.append(lines: kept) }
                        } catch {
                            failure.withLock { $0 = error }
                        }
                    },
                ])
            if let error = failure.withLock({ $0 }) { throw error }
            checked = (lines, digests)
            lines = following.withLock { $0 }
        } while !lines.isEmpty || !checked.lines.isEmpty
        return done.withLock { $0 }
    }

    /// Returns the lines of results that are kept, but for those that are kept already.
    private static func keptLines(
        _ lines: [LineReader.Line], _ digests: [BatchPlan.Digest?], _ done: inout Set<BatchPlan.Digest>
    ) -> [UInt8] {
        var kept: [UInt8] = []
        for (line, digest) in zip(lines, digests) {
            guard let digest, done.insert(digest).inserted else { continue }
            kept += line.bytes
            kept.append(UInt8(ascii: "\n"))
        }
        return kept
    }

    /// Returns the next lines, as many as are checked at a time; none at the end.
    private static func nextLines(of reader: LineReader) throws(FileError) -> [LineReader.Line] {
        var lines: [LineReader.Line] = []
        while lines.count < 1 << 14, let line = try reader.next() { lines.append(line) }
        return lines
    }

    /// Whether the earlier run kept a result of an item and the same fingerprint.
    package func has(_ item: BatchItem, _ fingerprint: String) -> Bool {
        has(BatchPlan.Digest(item.key), BatchPlan.Digest(fingerprint))
    }

    func has(_ key: BatchPlan.Digest, _ fingerprint: BatchPlan.Digest) -> Bool {
        done.contains(key.with(fingerprint))
    }

    /// Lets another run write the file; no results follow.
    func close() { file.close() }

    package func append(_ result: BatchResult) throws(BatchError) {
        do throws(FileError) {
            try file.append(result.json.description)
        } catch {
            throw .resultsUnwritable(name, error)
        }
    }
}

extension ResultLog {
    /// Returns the output for results: a new file or an existing result file, recognized by its lines.
    package static func output(_ path: String, inputs: [String], overwrites: Bool) -> Output {
        Output(path, .lines, inputs: inputs, overwrites: overwrites, isOwn: hasResults)
    }

    /// Whether the first thousand lines of a file are results; the last line may be truncated.
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
