internal import AssetCatalog
internal import Basics
internal import Files
internal import Foundation
internal import GRDB

/// Looks for the files of sources in the library on the current thread, which it blocks.
struct SourceChecker {
    /// A file of the library that should have the bytes of a source.
    private struct Candidate {
        /// Below the root.
        var path: FilePath
        var bytes: Int
        var modified: Int
    }

    private let library: PhotoLibrary
    /// Whether files of the library that have kept size and time are taken to have kept their bytes.
    private let trustsCatalog: Bool
    private let entryLimit: Int?
    private let flag: CancellationFlag
    private let progress: @Sendable (Int, Int) -> Void

    init(
        _ library: PhotoLibrary, trustsCatalog: Bool, entryLimit: Int?, _ flag: CancellationFlag,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) {
        (self.library, self.trustsCatalog, self.entryLimit) = (library, trustsCatalog, entryLimit)
        (self.flag, self.progress) = (flag, progress)
    }

    func check(_ sources: [String]) throws -> SourceReport {
        let paths = try ImportPlanner.check(sources, root: library.root)
        let walk = try SourceWalk(paths, root: library.root, entryLimit: entryLimit, isComplete: true)
        let files = walk.folders.flatMap(\.self)
        // Every file is read, and then its file in the library.
        let steps = 2 * files.count
        let digests = try SourceDigests(library, flag).digests(of: files) { progress($0, steps) }
        let candidates = try candidates(digests)
        let guardian = SourceGuard(files)
        let states = try compare(files, digests, candidates, guardian) { progress(files.count + $0, steps) }
        var report = SourceReport(wasRead: !trustsCatalog)
        let classifier = try SourceClassifier(library, guardian, flag)
        var start = 0
        for folder in walk.folders {
            if flag.isRaised { throw CancellationError() }
            let range = start..<start + folder.count
            start = range.upperBound
            let forms = try classifier.states(
                of: folder, Array(states[range]), digests[range].map { try? $0.get() })
            report.files += zip(folder, forms).map { file, state in
                finding(file.path, file.status.size, state)
            }
        }
        report.files += walk.left.map {
            finding($0.path, $0.bytes, .missing($0.leaving.reason))
        }
        try ImportBalance.check(walk.found, report.files.map(\.source))
        progress(steps, steps)
        return report
    }

    private func finding(_ path: FilePath, _ bytes: Int, _ state: SourceReport.State) -> SourceReport.Finding
    {
        SourceReport.Finding(
            source: path, bytes: bytes, isMedia: FileExtension.isMedia(path), state: state)
    }

    /// Returns the files of the library that should have the bytes of each source.
    private func candidates(_ digests: [Result<Data, InvalidText>]) throws -> [[Candidate]] {
        let size = 4096
        let chunks = Processors.map(below: (digests.count + size - 1) / size, until: flag) { chunk in
            Result<[[Candidate]], any Error> {
                try library.readAndWait { database in
                    let find = try database.cachedStatement(
                        sql: "SELECT path, bytes, modified FROM asset WHERE sha256 = ? ORDER BY path")
                    return try digests[(chunk * size)...].prefix(size).map { digest in
                        guard let digest = try? digest.get() else { return [] }
                        return try Row.fetchAll(find, arguments: [digest]).map {
                            Candidate(path: FilePath($0[0] as String), bytes: $0[1], modified: $0[2])
                        }
                    }
                }
            }
        }
        if flag.isRaised { throw CancellationError() }
        return try chunks.flatMap { try $0.get() }
    }

    /// Compares the sources with the files of the library on all processors.
    private func compare(
        _ files: [SourceFile], _ digests: [Result<Data, InvalidText>], _ candidates: [[Candidate]],
        _ guardian: SourceGuard, _ progress: (Int) -> Void
    ) throws -> [SourceReport.State] {
        // Files of the sources that are equal share a file of the library, which is read once.
        var first: [FilePath: Int] = [:]
        for (number, list) in candidates.enumerated() {
            for candidate in list where first[candidate.path] == nil { first[candidate.path] = number }
        }
        let own = candidates.enumerated().map { number, list in list.filter { first[$0.path] == number } }
        var faults: [FilePath: String] = [:]
        let size = 256
        for start in stride(from: 0, to: files.count, by: size) {
            let end = min(files.count, start + size)
            let found = Processors.map(below: end - start, until: flag) { offset in
                let digest = try? digests[start + offset].get()
                return own[start + offset].map { ($0.path, fault(of: $0, digest ?? Data(), guardian)) }
            }
            if flag.isRaised { throw CancellationError() }
            for (path, fault) in found.joined() { faults[path] = fault }
            progress(end)
        }
        return files.indices.map { number in
            if case .failure(let reason) = digests[number] { return .missing(reason.description) }
            var reason = SourceReport.absence
            for candidate in candidates[number] {
                guard let fault = faults[candidate.path] else { return .present(at: candidate.path) }
                reason = "\(SourceReport.absence): \(candidate.path) \(fault)"
            }
            return .missing(reason)
        }
    }

    /// Returns why a file of the library does not have the bytes that the catalog states; nil if it has.
    private func fault(of candidate: Candidate, _ digest: Data, _ guardian: SourceGuard) -> String? {
        let path = library.path(of: candidate.path)
        guard let status = FileStatus(path) else { return "is gone" }
        if let fault = guardian.fault(of: FilePath(path), status) { return fault }
        if trustsCatalog {
            return status.size == candidate.bytes && status.modified == candidate.modified
                ? nil : "was written since it was indexed"
        }
        do throws(FileError) {
            return try FileDigest.of(path) == digest.hexadecimal
                ? nil : "has other bytes than the catalog says"
        } catch {
            return "cannot be read (\(error.cause))"
        }
    }
}

/// Recognizes files of the library that are files of the sources, and go with them.
struct SourceGuard {
    private let sources: [FileIdentity: [FilePath]]

    init(_ files: [SourceFile]) {
        sources = Dictionary(
            grouping: files.lazy.filter { $0.member == nil && !$0.isLink }
        ) { FileIdentity($0.status) }
        .mapValues { $0.map(\.path) }
    }

    /// Returns why a file of the library does not outlive the sources; nil if it does.
    ///
    /// Further names of its own keep the bytes, as hard links do.
    ///
    /// - Parameter path: the absolute path of the file.
    func fault(of path: FilePath, _ status: FileStatus) -> String? {
        guard let files = sources[FileIdentity(status)] else { return nil }
        if Folder.isLink(path.text) { return "is a link to \(files[0])" }
        let isOne = files.contains {
            $0.name == path.name && Folder.isSame($0.folder.text, as: path.folder.text)
        }
        return isOne ? "is the same file under another path" : nil
    }
}
