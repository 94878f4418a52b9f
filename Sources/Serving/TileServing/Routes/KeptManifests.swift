#if Server
internal import Basics
package import Files
package import Presentation
internal import Synchronization

/// An image of a manifest.
package struct ManifestFile: Sendable {
    /// The identifier of the image.
    package let identifier: String
    package let path: String
    package let status: FileStatus

    package init(identifier: String, path: String, status: FileStatus) {
        (self.identifier, self.path, self.status) = (identifier, path, status)
    }
}

/// Manifests and facts of images that were read before.
package final class KeptManifests: Sendable {
    private struct Key: Hashable {
        let path: FilePath
        let status: FileStatus
    }

    private let facts = Mutex(LRUCache<Key, ImageFacts?>(capacity: 100_000))
    /// By bytes.
    private let texts = Mutex(LRUCache<EntityTag, String>(capacity: 32 << 20))
    /// By names.
    private let orders = Mutex(LRUCache<FilePath, (names: [String], sorted: [String])>(capacity: 200_000))

    /// Returns the images of a folder in natural order.
    func sorted(_ names: [String], of folder: String) -> [String] {
        let key = FilePath(folder)
        if let kept = orders.withLock({ $0.value(key) }), kept.names == names { return kept.sorted }
        let sorted = NaturalOrder.sorted(names)
        orders.withLock { $0.insert((names, sorted), for: key, cost: names.count + 1) }
        return sorted
    }

    package func text(of tag: EntityTag) -> String? { texts.withLock { $0.value(tag) } }

    package func keep(_ text: String, of tag: EntityTag) {
        texts.withLock { $0.insert(text, for: tag, cost: text.utf8.count) }
    }

    /// Returns the facts of files; nil for those that cannot be opened.
    ///
    /// Blocks the calling thread.
    package func facts(of files: [ManifestFile]) -> [ImageFacts?] {
        let known = facts.withLock { facts in
            files.map { facts.value(Key(path: FilePath($0.path), status: $0.status)) }
        }
        return Processors.map(below: files.count) { index in
            if let facts = known[index] { return facts }
            let file = files[index]
            let read = try? ImageFacts(of: file.path)
            facts.withLock {
                $0.insert(read, for: Key(path: FilePath(file.path), status: file.status), cost: 1)
            }
            return read
        }
    }
}
#endif
