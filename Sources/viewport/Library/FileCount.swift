import Dispatch
import Files
import Synchronization

/// How many files lie below folders, counted beside other work: the estimate of the time left needs it.
final class FileCount: Sendable {
    private let counted = Mutex<Int?>(nil)

    /// Begins to count where somebody sees the result.
    init(below folders: [String]) {
        guard StandardError.showsProgress else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            let count = Self.count(folders)
            counted.withLock { $0 = count }
        }
    }

    /// Nil until all are counted.
    var total: Int? { counted.withLock { $0 } }

    /// Regular files that are not hidden; links are not followed.
    private static func count(_ folders: [String]) -> Int {
        var (rest, count) = (folders, 0)
        while let folder = rest.popLast() {
            for entry in (try? Folder.entries(in: folder)) ?? [] where !entry.name.hasPrefix(".") {
                switch entry.kind {
                case .folder: rest.append("\(folder)/\(entry.name)")
                case .file: count += 1
                default: break
                }
            }
        }
        return count
    }
}
