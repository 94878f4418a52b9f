internal import Basics
package import Files
package import ImageReading
internal import Synchronization

/// Images that stay open between the lines of a manifest, those that were used last.
package final class OpenImagePool: Sendable {
    package struct Key: Hashable, Sendable {
        package var path: FilePath
        /// The options that decide what is opened.
        package var options: String

        package init(path: FilePath, options: String) {
            self.path = path
            self.options = options
        }
    }

    /// An image that one thread opens while the others wait.
    private final class Entry: Sendable {
        let image = Exclusive<(file: ImageFile, status: FileStatus)?>(nil)
    }

    private static let capacity = 128
    private let entries = Mutex(LRUCache<Key, Entry>(capacity: capacity))

    package init() {}

    /// Returns an open image; it is opened again if the file was changed.
    package func image(_ key: Key, _ open: () throws -> ImageFile) throws -> ImageFile {
        let entry = entries.withLock { entries in
            if let entry = entries.value(key) { return entry }
            let entry = Entry()
            entries.insert(entry, for: key, cost: 1)
            return entry
        }
        return try entry.image.withValue { image in
            let status = FileStatus(image: key.path.text)
            if let image, image.status == status { return image.file }
            let file = try open()
            image = status.map { (file, $0) }
            return file
        }
    }
}
