internal import Basics
internal import Files
internal import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Identifies the source of a cache entry.
///
/// Its name has two halves: the source (path, page and options) and the state of the file. Entries of earlier
/// states of a file are therefore found and removed when a new one is written.
package struct CacheKey: Hashable, Sendable {
    /// The path of the source file.
    package let source: String
    /// The complete key as text.
    let text: String
    /// The first half of the file name.
    let pathHash: String
    /// The file name without the kind.
    let name: String

    /// Returns nil for sources without a path, whose entries could not be found again.
    ///
    /// - Parameter variant: distinguishes several entries of a source, such as "level -2".
    package init?(_ identity: SourceIdentity, variant: String = "") {
        guard identity.hasPath, let status = identity.status else { return nil }
        source = identity.path
        let truncated = identity.allowsTruncated ? " truncated" : ""
        let what = "page \(identity.page)\(truncated) \(variant)"
        let state = "\(status.size) \(status.modified) \(status.inode) \(status.device)"
        text = "\(what)\n\(state)\n\(source)"
        pathHash = FNV1a.hash("\(what)\n\(source)".utf8).hexadecimal
        name = pathHash + "-" + FNV1a.hash(state.utf8).hexadecimal
    }
}

/// The kind of an entry, with the version of its format.
package struct CacheKind: Hashable, Sendable {
    /// The end of the file name; letters only.
    package let name: String
    /// The version; entries of other versions are ignored.
    package let version: Int

    package init(name: String, version: Int) {
        self.name = name
        self.version = version
    }

    /// A level of a pyramid, in tiles.
    package static let pyramid = CacheKind(name: "pyramid", version: 2)

    var ending: String { "\(name)\(version)" }
}

/// Checksums that detect damaged entries.
enum Checksum {
    /// Returns the checksum of a file up to 1 MB, or of the ends and 64 samples of a larger one.
    static func sampling(_ path: String) -> UInt64? {
        guard let file = try? OpenFile(path) else { return nil }
        var parts = [0..<file.count]
        if file.count > 1 << 20 {
            parts = [0..<1 << 16, file.count - 1 << 16..<file.count]
            parts += (1...64).map { ($0, (file.count - 4096) / 65) }.map { $0 * $1..<$0 * $1 + 4096 }
        }
        var hash = FNV1a.offsetBasis
        for part in parts {
            guard let bytes = try? file.bytes(part) else { return nil }
            hash = FNV1a.hash(bytes.span, continuing: hash)
        }
        return hash
    }
}

/// Why something could not be cached.
///
/// `description` and `errorDescription` are one sentence that names the file and the cause.
public enum CacheError: Error, Equatable, Sendable {
    /// The folder or a file in it cannot be written.
    case unwritable(path: String, reason: String)
    /// The disk has less free space than an entry may need.
    case noRoom(path: String, free: Int, needed: Int)
    /// The source was written while it was read.
    case changed(file: String)
    /// An entry could not be read and was removed.
    case broken(file: String)
    /// The pixels of this source cannot be cached.
    case unsuitable(file: String)
}

extension CacheError: LocalizedError, CustomStringConvertible {
    /// The same as `description`.
    public var errorDescription: String? { description }

    /// The sentence, in English.
    public var description: String {
        switch self {
        case .unwritable(let path, let reason):
            "\(path): the cache cannot be written (\(reason))"
        case .noRoom(let path, let free, let needed):
            "\(path): the cache has room for \(free) bytes and may need \(needed)"
        case .changed(let file):
            "\(file): was written while it was read"
        case .broken(let file):
            "\(file): its entry in the cache was damaged and is removed"
        case .unsuitable(let file):
            "\(file): is read in parts as it is and needs no cache"
        }
    }
}

// The complete key has numbers by which the system knows a file.
extension CacheKey: CustomStringConvertible, CustomReflectable {
    package var description: String { source }

    package var customMirror: Mirror { Mirror(self, children: ["source": source, "name": name]) }
}
