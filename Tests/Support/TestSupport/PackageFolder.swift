package import Foundation

/// The folder of the package, for tests that read its sources and scripts.
package enum PackageFolder {
    package static let url = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// Returns the file or folder with this path in the package.
    package static func url(_ path: String) -> URL { url.appending(path: path) }

    /// Returns the folder of the sources of a target, on whatever floor it is.
    package static func sources(of target: String) throws -> URL {
        let sources = url("Sources")
        let folders =
            try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted()
            .map { sources.appending(path: "\($0)/\(target)") } + [sources.appending(path: target)]
        guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: target])
        }
        return folder
    }
}
