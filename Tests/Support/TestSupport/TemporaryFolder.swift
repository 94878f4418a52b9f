package import Foundation
import Synchronization

/// A temporary folder, which is removed after the test, or at the end of all tests where they share it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// The folders of values that are never deinitialized.
    private static let existing = Mutex<Set<URL>>([])

    private static let removal: Int32 = atexit {
        for url in existing.withLock({ $0 }) { try? FileManager.default.removeItem(at: url) }
    }

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("viewport-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        _ = Self.removal
        _ = Self.existing.withLock { $0.insert(url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        _ = Self.existing.withLock { $0.remove(url) }
    }

    /// Returns the path of a file in the folder.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// The sorted names of its contents.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// Returns the sorted paths of the visible files below a subfolder.
    package func files(below name: String) -> [String] {
        let folder = url.appendingPathComponent(name)
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.filter { path in
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { return false }
            let file = folder.appendingPathComponent(path).path
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            return attributes?[.type] as? FileAttributeType == .typeRegular
        }.sorted()
    }

    /// Returns the bytes of a file in the folder.
    package func data(_ name: String) throws -> Data {
        try Data(contentsOf: url.appendingPathComponent(name))
    }
}
