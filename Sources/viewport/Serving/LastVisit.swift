#if CommandLine
#if Server
import Files
import Synchronization
import SavedState

/// The page that was seen last, from one run of `viewport serve` of the same paths to the next.
final class LastVisit: Sendable {
    private struct Visit: Codable {
        var paths: [FilePath]
        var address: String
    }

    private let paths: [FilePath]
    private let archive: ValueArchive<Visit>
    private let address = Mutex<String?>(nil)

    /// Reads the visit of the previous run; one that cannot be read is noted.
    init(paths: [String], in store: StateStore = StateStore()) {
        self.paths = paths.map { FilePath(ProcessEnvironment.absolutePath($0)) }
        archive = store.archive("serve " + self.paths.map(\.text).joined(separator: "\n"))
        let visit = archive.value(default: Visit(paths: self.paths, address: "")) {
            StandardError.note("\($0)")
        }
        // Names of archives are hashes of long paths.
        if visit.paths == self.paths { start = visit.address } else { start = "" }
    }

    /// The address at which the previous run ended, relative to the server; empty if there is none.
    let start: String

    func note(_ visited: String) { address.withLock { $0 = visited } }

    /// Stores the last visit of this run, if there was one.
    func store() {
        guard let last = address.withLock({ $0 }) else { return }
        do throws(ArchiveError) {
            try archive.store(Visit(paths: paths, address: last))
        } catch {
            StandardError.note("\(error)")
        }
    }
}
#endif
#endif
