package import Foundation

/// A folder of its own for a test, gone when the test is.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("viewport-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in it.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Everything in it, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// The paths of all files below a folder in it that are not hidden, sorted.
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

    /// The bytes of a file in it.
    package func data(_ name: String) throws -> Data {
        try Data(contentsOf: url.appendingPathComponent(name))
    }
}
