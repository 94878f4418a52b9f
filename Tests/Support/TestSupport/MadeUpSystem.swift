import Foundation

/// Made-up files of a Linux system.
package struct MadeUpSystem {
    private let folder: TemporaryFolder

    /// - Parameter files: Texts by their paths below the root, such as "proc/self/cgroup".
    package init(_ files: [String: String]) throws {
        folder = try TemporaryFolder()
        for (path, text) in files { try write(path, text) }
    }

    package var root: String { folder.url.path }

    package func write(_ path: String, _ text: String) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }
}
