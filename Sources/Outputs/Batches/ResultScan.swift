internal import Basics
internal import Files
internal import ImageReading
internal import Synchronization

/// Which results of an earlier run are kept: those that are still valid.
package struct ResultRule: Sendable {
    let work: any BatchWork
    let fingerprints: FingerprintScan
    let retriesFailed: Bool

    package init(_ work: any BatchWork, retriesFailed: Bool) {
        (self.work, self.retriesFailed) = (work, retriesFailed)
        fingerprints = FingerprintScan(work)
    }

    /// Returns a digest of key and fingerprint for each line whose result is kept, and nil for the others.
    ///
    /// Lines are checked on all processors, because each needs the status of several files.
    ///
    /// - Parameter steps: Called at the same time.
    func keptResults(
        of lines: [LineReader.Line], _ root: BatchRoot, beside steps: [@Sendable () -> Void]
    ) -> [BatchPlan.Digest?] {
        let share = 512
        let results = Mutex([BatchPlan.Digest?](repeating: nil, count: lines.count))
        let shares = (lines.count + share - 1) / share
        Processors.forEach(below: steps.count + shares) { number in
            if number < steps.count { return steps[number]() }
            var scan = ResultScan(root)
            let start = (number - steps.count) * share
            let range = start..<min(lines.count, start + share)
            let kept = range.map { scan.keptResult(lines[$0], self) }
            results.withLock { $0.replaceSubrange(range, with: kept) }
        }
        return results.withLock { $0 }
    }
}

/// Reads results of earlier runs, most of them without building JSON.
struct ResultScan {
    private let root: BatchRoot
    private var scan: LineScan
    private var inner = JSONOutline()
    private var outputs: [StoredFile] = []

    /// An output in a result.
    private struct StoredFile {
        var path: Range<Int>
        var bytes: Int
    }

    /// What joining results needs of one.
    struct Summary: Equatable {
        var status: PastResult.Status
        var line: Int
        /// A digest of the key; nil if it describes a line, not a file.
        var key: BatchPlan.Digest?
        /// Whether the members of the manifest's line tell items of one file apart.
        var isItemOfLine = false
    }

    init(_ root: BatchRoot) {
        self.root = root
        scan = LineScan(root, readsResults: true)
    }

    /// Returns what joining needs; nil if the line is not a result.
    mutating func summary(_ line: LineReader.Line) -> Summary? {
        guard !line.isCut else { return nil }
        return scannedSummary(line.bytes.span) ?? Self.parsedSummary(line.bytes, root)
    }

    static func parsedSummary(_ bytes: [UInt8], _ root: BatchRoot) -> Summary? {
        guard let json = try? JSONValue(parsing: bytes), let result = PastResult(json, root) else {
            return nil
        }
        let key = result.isOfLine ? nil : result.key.map { BatchPlan.Digest($0) }
        return Summary(
            status: result.status, line: result.line, key: key, isItemOfLine: result.isItemOfLine)
    }

    /// Returns what joining needs; nil if the line is left to the parser.
    mutating func scannedSummary(_ line: Span<UInt8>) -> Summary? {
        guard scan.read(line), let status = status(line),
            let number = scan.member("line", line)?.number(line),
            readOutputs(line)
        else { return nil }
        var isOfLine = status == .duplicate
        if let error = scan.member("error", line), error.kind == .object {
            let text = line.extracting(error.value)
            guard inner.readObject(text),
                let code = inner.members.first(where: { text.has("code", at: $0.name) }), code.kind == .string
            else { return nil }
            isOfLine =
                isOfLine || text.has("bad-line", at: code.value) || text.has("collision", at: code.value)
        }
        return Summary(
            status: status, line: number, key: isOfLine ? nil : BatchPlan.Digest(scan.key),
            isItemOfLine: scan.isOfLine(line))
    }

    private func status(_ line: Span<UInt8>) -> PastResult.Status? {
        guard let status = scan.member("status", line), status.kind == .string else { return nil }
        if line.has("ok", at: status.value) { return .ok }
        if line.has("skipped", at: status.value) { return .skipped }
        if line.has("duplicate", at: status.value) { return .duplicate }
        return line.has("error", at: status.value) ? .error : nil
    }

    /// Reads the outputs; returns false if they are left to the parser.
    private mutating func readOutputs(_ line: Span<UInt8>) -> Bool {
        outputs.removeAll(keepingCapacity: true)
        guard let list = scan.member("outputs", line), list.kind == .array,
            inner.readArray(line.extracting(list.value))
        else { return false }
        for element in inner.members.map(\.value) {
            let start = list.value.lowerBound + element.lowerBound
            let text = line.extracting(start..<start + element.count)
            guard inner.readObject(text) else { return false }
            var output = StoredFile(path: 0..<0, bytes: -1)
            var found = 0
            for member in inner.members {
                let isString = member.kind == .string
                if text.has("path", at: member.name) {
                    guard isString else { return false }
                    output.path = start + member.value.lowerBound..<start + member.value.upperBound
                    found += 1
                } else if text.has("size", at: member.name) || text.has("sha256", at: member.name) {
                    guard isString else { return false }
                    found += 1
                } else if text.has("bytes", at: member.name) {
                    guard let bytes = member.number(text) else { return false }
                    output.bytes = bytes
                    found += 1
                } else if text.has("width", at: member.name) || text.has("height", at: member.name) {
                    guard member.number(text) != nil else { return false }
                    found += 1
                } else {
                    // Members of other jobs, which decide what the output is.
                    return false
                }
            }
            guard found == 6 else { return false }
            outputs.append(output)
        }
        return true
    }

    // MARK: Kept results

    /// Returns a digest of key and fingerprint if a result is still valid.
    mutating func keptResult(_ line: LineReader.Line, _ rule: ResultRule) -> BatchPlan.Digest? {
        // The last line of a killed run can be cut: its item is processed again.
        guard !line.isCut else { return nil }
        switch scannedStand(line.bytes.span, rule) {
        case .stands(let fingerprint): return BatchPlan.Digest(scan.key).with(fingerprint)
        case .falls: return nil
        case .unknown: break
        }
        guard let json = try? JSONValue(parsing: line.bytes), let result = PastResult(json, root),
            let key = result.key, result.isLasting,
            result.stands(rule.work, root, retriesFailed: rule.retriesFailed)
        else { return nil }
        return BatchPlan.Digest(key).with(BatchPlan.Digest(result.recipe ?? ""))
    }

    private enum Stand {
        /// It is still valid, with this fingerprint.
        case stands(BatchPlan.Digest)
        case falls
        /// The line is left to the parser.
        case unknown
    }

    /// Whether the result of a success is still valid.
    private mutating func scannedStand(_ line: Span<UInt8>, _ rule: ResultRule) -> Stand {
        guard scan.read(line), let status = status(line), status == .ok || status == .skipped,
            let fingerprint = rule.fingerprints.fingerprint(scan, line),
            scan.member("line", line)?.number(line) != nil, readOutputs(line),
            let source = scan.member("source", line), source.kind == .object,
            let made = scan.member("recipe", line), made.kind == .string
        else { return .unknown }
        guard line.extracting(made.value).isEqual(fingerprint.text),
            rule.work.resultMembers.allSatisfy({ name in
                scan.members.contains { line.extracting($0.name).isEqual(name) }
            })
        else { return .falls }
        let state = line.extracting(source.value)
        guard inner.readObject(state), inner.members.count == 2,
            state.has("bytes", at: inner.members[0].name),
            state.has("modified", at: inner.members[1].name), let bytes = inner.members[0].number(state),
            let modified = inner.members[1].number(state)
        else { return .unknown }
        let file = root.file(String(decoding: scan.givenPath, as: UTF8.self))
        guard let status = FileStatus(image: file), status.size == bytes, status.modified / 1000 == modified,
            outputs.allSatisfy({ FileStatus(line.text($0.path))?.size == $0.bytes })
        else { return .falls }
        return .stands(fingerprint.digest)
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(_ text: String) -> Bool {
        guard text.utf8.count == count else { return false }
        var at = 0
        for byte in text.utf8 {
            guard self[at] == byte else { return false }
            at += 1
        }
        return true
    }

    fileprivate func text(_ range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        bytes.append(range, of: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}
