internal import Containers
package import Files

/// File kinds by the extension of the name, regardless of the content.
package enum FileExtension {
    /// Returns the extension in lower case; empty without one.
    package static func of(_ path: FilePath) -> String { path.fileExtension?.text.lowercased() ?? "" }

    /// Whether users expect a photo or video: such a file must not be skipped silently.
    package static func isMedia(_ path: FilePath) -> Bool { FileType.keptExtensions.contains(of(path)) }

    /// Whether it is a sidecar.
    package static func isSidecar(_ path: FilePath) -> Bool { FileType.sidecarExtensions.contains(of(path)) }

    /// The reason for a file with the extension of a photo or video that cannot be read.
    package static let fault =
        "has the ending of a photo or film, but is none that is understood; it may be damaged"

    /// The extensions of photos and videos.
    package static let allMedia = FileType.keptExtensions
}
