internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Containers
internal import Files
internal import Foundation
internal import Synchronization

/// Looks for the files of sources in the library on the current thread, which it blocks.
///
/// It goes from folder to folder, so that memory does not grow with the number of files, except for the number of each file of
/// the library that was read.
struct SourceChecker {
    /// What a look at the files of the library with some bytes has found.
    private struct Finding: Sendable {
        var state: SourceReport.State
        /// The assets that have the bytes, or not, and why.
        var checked: [(id: Int64, fault: String?)] = []
    }

    /// The least number of files that are looked at together.
    private static let batch = 4096
    /// The number of files that a thread looks up at a time.
    private static let chunk = 256

    /// The steps that several threads do.
    private final class Steps: Sendable {
        private let all: Int
        private let done = Atomic(0)
        private let report: @Sendable (Int, Int) -> Void

        init(of all: Int, _ report: @escaping @Sendable (Int, Int) -> Void) {
            (self.all, self.report) = (all, report)
        }

        func add(_ count: Int) {
            let done = done.add(count, ordering: .relaxed).newValue
            report(done, max(all, done))
        }
    }

    private let library: PhotoLibrary
    /// Whether files of the library that have kept size and time are taken to have kept their bytes.
    private let trustsCatalog: Bool
    private let flag: CancellationFlag
    /// The assets that have the bytes that the catalog states, and why others do not.
    private var sound: Set<Int64> = []
    private var faults: [Int64: String] = [:]

    init(_ library: PhotoLibrary, trustsCatalog: Bool, _ flag: CancellationFlag) {
        (self.library, self.trustsCatalog, self.flag) = (library, trustsCatalog, flag)
    }

    /// - Parameters:
    ///   - progress: receives the number of steps that are done, and of all: each file is read, and then its file in the
    ///     library.
    ///   - each: receives what is found of each file.
    mutating func check(
        _ sources: [String], entryLimit: Int?, _ scope: EntryScope,
        _ progress: @escaping @Sendable (Int, Int) -> Void,
        _ each: (SourceReport.Finding) -> Void
    ) throws -> SourceReport {
        let paths = try ImportPlanner.check(sources, root: library.root)
        let folders = try SourceFolders(paths, root: library.root, entryLimit: entryLimit, scope, flag)
        let (digests, flag) = (SourceDigests(library, flag), flag)
        var classifier = try SourceClassifier(library, folders.guardian, flag)
        var report = SourceReport(wasRead: !trustsCatalog)
        var left = folders.left
        let steps = Steps(of: 2 * folders.count, progress)
        func add(_ path: FilePath, _ bytes: Int, _ state: SourceReport.State, _ kind: SourceReport.Kind) {
            let finding = SourceReport.Finding(source: path, bytes: bytes, state: state, kind: kind)
            report.count(finding)
            each(finding)
        }
        let batches = folders.batches(of: Self.batch)
        // The next files are read while these are looked for.
        try OrderedWork.run(batches.count, threads: 2) { number in
            let groups = Processors.map(below: batches[number].count, until: flag) {
                folders.files(of: batches[number].lowerBound + $0)
            }
            if flag.isRaised { throw CancellationError() }
            return (groups, try digests.digests(of: groups.flatMap(\.files)) { steps.add($0) })
        } use: { groups, sums in
            var states = try states(of: sums, folders.guardian) { steps.add($0) }
            var start = 0
            for group in groups {
                let range = start..<start + group.files.count
                start = range.upperBound
                try classifier.classify(group.files, &states[range], sums[range])
                for (file, state) in zip(group.files, states[range]) {
                    // What is in the library need not be read for its kind.
                    let kind = SourceReport.Kind(of: file.path) {
                        if case .present = state { return nil }
                        return (try? file.read { FileType(FileBytes($0), name: file.name.text) }) ?? nil
                    }
                    add(file.path, file.status.size, state, kind)
                }
                left += group.left
            }
        }
        for skipped in left.sorted(by: { $0.path < $1.path }) {
            guard skipped.leaving.kind != .hidden else {
                // The catalog of another library is never looked at.
                let isKept = EntryScope.everything.includes(skipped.path.name, in: skipped.path.folder)
                if isKept { report.countLeft() }
                continue
            }
            var kind = SourceReport.Kind(of: skipped.path) { nil }
            if kind != .media, [.unreadable, .link].contains(skipped.leaving.kind) { kind = .unseen }
            add(skipped.path, skipped.bytes, .missing(skipped.leaving.reason), kind)
        }
        return report
    }

    /// Returns where the library has the bytes of files by its catalog, after a look at its files.
    ///
    /// - Parameter progress: receives the number of files that are done besides those it has received.
    private mutating func states(
        of digests: [Result<Data, InvalidText>], _ guardian: SourceGuard, _ progress: (Int) -> Void
    ) throws -> [SourceReport.State] {
        // Files of the sources that are equal share a file of the library, which is read once.
        var places: [Data: Int] = [:]
        var distinct: [Data] = []
        let numbers = digests.map { digest in
            (try? digest.get()).map { digest in
                if let place = places[digest] { return place }
                places[digest] = distinct.count
                distinct.append(digest)
                return distinct.count - 1
            }
        }
        var found: [SourceReport.State] = []
        // Files that are read take long, and progress is reported between rounds.
        let round = Self.chunk * Processors.count * (trustsCatalog ? 8 : 1)
        for start in stride(from: 0, to: distinct.count, by: round) {
            let digests = distinct[start...].prefix(round)
            for finding in try findings(of: digests, guardian) {
                found.append(finding.state)
                for (id, fault) in finding.checked {
                    if let fault { faults[id] = fault } else { sound.insert(id) }
                }
            }
            progress(digests.count)
        }
        progress(digests.count - distinct.count)
        return zip(digests, numbers).map { digest, number in
            if let number { return found[number] }
            guard case .failure(let reason) = digest else { return .missing(SourceReport.absence) }
            return .missing(reason.description)
        }
    }

    /// Looks for a file of the library for each of several checksums, on all processors.
    private func findings(of digests: ArraySlice<Data>, _ guardian: SourceGuard) throws -> [Finding] {
        let chunks = Processors.map(
            below: (digests.count + Self.chunk - 1) / Self.chunk, until: flag
        ) { number in
            Result { try look(for: digests.dropFirst(number * Self.chunk).prefix(Self.chunk), guardian) }
        }
        if flag.isRaised { throw CancellationError() }
        return try chunks.flatMap { try $0.get() }
    }

    private func look(for digests: ArraySlice<Data>, _ guardian: SourceGuard) throws -> [Finding] {
        let candidates = try candidates(digests)
        var identities = SourceGuard.Identities()
        return zip(digests, candidates).map { digest, candidates in
            var finding = Finding(state: .missing(SourceReport.absence))
            for candidate in candidates where !flag.isRaised {
                let fault: String?
                if sound.contains(candidate.id) {
                    fault = nil
                } else {
                    fault = faults[candidate.id] ?? self.fault(of: candidate, digest, guardian, &identities)
                    // What takes no reading, and no choice among equal files, is not worth remembering.
                    if !trustsCatalog || candidates.count > 1 {
                        finding.checked.append((candidate.id, fault))
                    }
                }
                guard let fault else {
                    finding.state = .present(at: candidate.path)
                    break
                }
                finding.state = .missing("\(SourceReport.absence): \(candidate.path) \(fault)")
            }
            return finding
        }
    }

    /// Returns the files of the library that should have the bytes of each source, up to one that is known to have them.
    private func candidates(_ digests: ArraySlice<Data>) throws -> [[AssetFile]] {
        try library.readAndWait { catalog in
            try digests.map { try catalog.files($0) { sound.contains($0) } }
        }
    }

    /// Returns why a file of the library does not have the bytes that the catalog states; nil if it has.
    private func fault(
        of candidate: AssetFile, _ digest: Data, _ guardian: SourceGuard,
        _ identities: inout SourceGuard.Identities
    ) -> String? {
        let path = library.path(of: candidate.path)
        guard let file = LibraryFile(path) else { return "is gone" }
        if let fault = guardian.fault(of: FilePath(path), isLink: file.isLink, &identities) { return fault }
        if trustsCatalog {
            return file.status.size == candidate.bytes && file.status.modified == candidate.modified
                ? nil : "was written since it was indexed"
        }
        do throws(FileError) {
            return try digest.elementsEqual(FileDigest.reading(of: path).bytes)
                ? nil : "has other bytes than the catalog says"
        } catch {
            return "cannot be read (\(error.cause))"
        }
    }
}

/// A file of the library, or a link to one.
struct LibraryFile {
    let status: FileStatus
    let isLink: Bool

    /// Nil where there is none.
    init?(_ path: String) {
        switch FileStatus.kind(at: path) {
        case .file(let status): (self.status, isLink) = (status, false)
        case .link:
            guard let status = FileStatus(path) else { return nil }
            (self.status, isLink) = (status, true)
        default: return nil
        }
    }
}
