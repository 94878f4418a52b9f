#if Server
internal import Basics
internal import Containers
internal import Files
internal import Synchronization

/// The entries of folders, which are read again when a folder has changed.
final class FolderListings: Sendable {
    /// The entries of a folder that are served.
    struct Listing: Sendable {
        /// The names of subfolders, sorted.
        var folders: [String] = []
        /// The names of images, sorted.
        var images: [String] = []
        /// The first name, in sorted order, for each name without its extension.
        var files: [FilePath: String] = [:]
    }

    private struct Kept {
        let status: FileStatus
        let listing: Listing
        let time: Int
    }

    /// The number of names that are kept.
    private static let capacity = 400_000

    private let state = Mutex(LRUCache<FilePath, Kept>(capacity: capacity))
    private let reads = Mutex(0)

    /// The number of times that a folder was read.
    var readCount: Int { reads.withLock { $0 } }

    /// Returns the entries of a folder below a root; nil if there is no such folder.
    func listing(of folder: String, below root: ImageRoots.Root) -> Listing? {
        guard let status = FileStatus(folder: folder) else { return nil }
        let key = FilePath("\(root.path)\0\(folder)")
        let now = ProcessEnvironment.now
        if let kept = state.withLock({ $0.value(key) }), kept.status == status, Self.isCurrent(kept, now) {
            return kept.listing
        }
        guard let entries = try? Folder.entries(in: folder) else { return nil }
        reads.withLock { $0 += 1 }
        let listing = Self.listing(of: entries, in: folder, below: root)
        let kept = Kept(status: status, listing: listing, time: now)
        state.withLock { $0.insert(kept, for: key, cost: entries.count + 1) }
        return listing
    }

    /// Returns whether a folder with the same status has the same entries.
    ///
    /// The clock of file systems ticks every few milliseconds, and an entry may be added in the same tick. So a folder that
    /// was read soon after a change is read again after a second.
    private static func isCurrent(_ kept: Kept, _ now: Int) -> Bool {
        let second = 1_000_000_000
        return kept.time - kept.status.modified > second || (0..<second).contains(now - kept.time)
    }

    private static func listing(
        of entries: [Folder.Entry], in folder: String, below root: ImageRoots.Root
    ) -> Listing {
        var listing = Listing()
        for entry in entries.sorted(by: { FilePath($0.name) < FilePath($1.name) }) {
            let name = FilePath(entry.name)
            guard EntryScope.visible.includes(name, in: FilePath(folder)) else { continue }
            switch entry.kind {
            case .folder:
                listing.folders.append(entry.name)
                continue
            case .file: break
            case .link:
                // One that leads out of the root is not served, and one to a folder is not followed.
                guard ImageRoots.inside(root, "\(folder)/\(entry.name)") != nil else { continue }
            case .other: continue
            }
            let stem = name.withoutExtension
            if listing.files[stem] == nil { listing.files[stem] = entry.name }
            if let ending = name.fileExtension?.text.lowercased(), FileType.listedExtensions.contains(ending)
            {
                listing.images.append(entry.name)
            }
        }
        return listing
    }

    /// The number of names in memory.
    var nameCount: Int { state.withLock { $0.cost } }

    /// Forgets the folders that were requested least recently.
    func trim(toNameCount count: Int) { state.withLock { $0.trim(toCost: count) } }
}
#endif
