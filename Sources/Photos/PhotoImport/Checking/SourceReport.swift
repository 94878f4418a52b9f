internal import AssetCatalog
internal import Containers
package import Files

/// What a library has of the files of sources, in numbers.
package struct SourceReport: Equatable, Sendable {
    /// What the library has of one file.
    package struct Finding: Equatable, Sendable {
        /// The absolute path; that of an entry follows the path of its archive.
        package var source: FilePath
        /// The size in bytes.
        package var bytes: Int
        package internal(set) var state: State
        package internal(set) var kind: Kind
    }

    /// What a file is for its user.
    package enum Kind: String, Equatable, Sendable {
        /// A photo or video, by its name, or by its first bytes where the name does not say what it is.
        case media
        /// What a camera keeps for itself.
        case camera
        /// Any other file, such as a sidecar.
        case other
        /// A folder, link or archive that was not looked into: it may have photos and videos.
        case unseen
    }

    /// Where the bytes of a file are.
    package enum State: Equatable, Sendable {
        /// The library's file at a path below its root has the same bytes.
        case present(at: FilePath)
        /// The library has the same picture, or the same values, in other bytes.
        case otherForm(of: FilePath, Rule)
        /// It is not in the library; the reason is the end of a sentence.
        case missing(String)
    }

    /// How another form of a file is recognized.
    package enum Rule: String, Sendable, CaseIterable {
        /// An import has brought it to a path where a file with other bytes is now.
        case changed
        /// A sidecar of a Takeout whose values an import has written to the sidecar and the albums of its photo.
        case values
        /// By its name it is a Takeout's edited copy of a file that is in the library.
        case edited
        /// A photo or video of the same second, camera and name without extension, number and mark of an edited copy.
        case capture
    }

    /// The reason for a file whose bytes no file of the library should have.
    static let absence = "is not in the library"

    /// The number of files whose bytes are in the library.
    package private(set) var present = 0
    /// The number of files that are only in the library in other bytes.
    package private(set) var otherForms = 0
    /// The number of files that are not in the library.
    package private(set) var missing = 0
    /// The number of those that are photos or videos.
    package private(set) var missingMedia = 0
    /// The number of photos and videos.
    package private(set) var media = 0
    /// The number of files and folders that systems keep beside photos, which were not looked at.
    package private(set) var left = 0
    /// Whether the bytes of all photos and videos are in the library, and everything was looked at but what systems keep.
    package private(set) var hasAllMedia = true
    /// The first files that are missing and no photos or videos.
    package private(set) var others: [FilePath] = []
    /// The most files that are named.
    package static let named = 10
    /// Whether the library's files were read again; otherwise the catalog was trusted.
    package let wasRead: Bool

    init(wasRead: Bool) { self.wasRead = wasRead }

    /// The number of files, each of which is found once.
    package var files: Int { present + otherForms + missing }
    /// Whether the bytes of all files are in the library.
    package var isComplete: Bool { present == files }

    mutating func countLeft() { left += 1 }

    mutating func count(_ finding: Finding) {
        let isMedia = finding.kind == .media
        if isMedia { media += 1 }
        switch finding.state {
        case .present:
            present += 1
            return
        case .otherForm: otherForms += 1
        case .missing:
            missing += 1
            if isMedia {
                missingMedia += 1
            } else if others.count < Self.named {
                others.append(finding.source)
            }
        }
        if isMedia || finding.kind == .unseen { hasAllMedia = false }
    }
}

extension SourceReport.Kind {
    /// - Parameter head: reads the first bytes, which decide where the name does not.
    init(of path: FilePath, head: () -> FileType?) {
        if SystemEntry.isKept(path.name, in: path.folder) {
            // Such as what macOS stores of a file beside it, whose name ends alike.
            self = .other
        } else if FileExtension.isMedia(path) {
            self = .media
        } else if FileType.isOfCamera(path) {
            self = .camera
        } else if FileExtension.isSidecar(path) {
            self = .other
        } else {
            self = head()?.has(.kept) == true ? .media : .other
        }
    }
}

extension SourceReport.State {
    /// The reason why the bytes are not in the library, as the end of a sentence; nil if they are.
    package var reason: String? {
        switch self {
        case .present: nil
        case .otherForm(let path, .changed): "was imported as \(path), which has other bytes now"
        case .otherForm(let path, .values): "its values are in the sidecar and the albums of \(path)"
        case .otherForm(let path, .edited): "is an edited copy of \(path)"
        case .otherForm(let path, .capture):
            "has the time, camera and name of \(path), which has other bytes"
        case .missing(let reason): reason
        }
    }
}
