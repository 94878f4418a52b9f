internal import Basics
package import Files
internal import Synchronization

/// What tells open images apart.
package struct OpenImageKey: Hashable, Sendable {
    package var path: FilePath
    /// The options that decide what is opened.
    package var options: String

    package init(path: FilePath, options: String = "") {
        self.path = path
        self.options = options
    }
}

/// Images that stay open between the lines of a manifest, those that were used last.
package final class OpenImagePool<Image: Sendable>: Sendable {

    /// An image that one thread opens while the others wait.
    private final class Entry: Sendable {
        let image = Exclusive<(image: Image, status: FileStatus)?>(nil)
    }

    private static var capacity: Int { 128 }
    private let entries = Mutex(LRUCache<OpenImageKey, Entry>(capacity: capacity))

    package init() {}

    /// Returns an open image; it is opened again if the file was changed.
    package func image(_ key: OpenImageKey, _ open: () throws -> Image) throws -> Image {
        let entry = entries.withLock { entries in
            if let entry = entries.value(key) { return entry }
            let entry = Entry()
            entries.insert(entry, for: key, cost: 1)
            return entry
        }
        return try entry.image.withValue { held in
            let status = FileStatus(image: key.path.text)
            if let held, held.status == status { return held.image }
            let image = try open()
            held = status.map { (image, $0) }
            return image
        }
    }
}
