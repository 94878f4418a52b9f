internal import Basics
private import Platform

/// The files and folders in a folder, in about 60 bytes each: folders may have millions of files.
///
/// By default hidden entries and those of `SystemEntry` are omitted.
package struct FolderListing: Sendable {
    private struct Entry {
        var size: Int
        var modified: Int
        var inode: UInt64
        var device: UInt64
        var nameStart: UInt32
        var nameCount: UInt16
    }

    private var entries: [Entry] = []
    /// The UTF-8 of all names of files, one after another.
    private var names: [UInt8] = []
    /// An open hash table of the positions in `entries`, plus 1.
    private var slots: [UInt32] = []
    /// The names of folders, unordered.
    package private(set) var folders: [String] = []
    /// The symbolic links that are not listed as files, unordered.
    package private(set) var links: [Link] = []

    /// The number of files and folders that systems keep beside photos, which are omitted.
    package private(set) var systemEntries = 0

    /// A symbolic link that was not followed.
    package struct Link: Sendable {
        package enum Target: Sendable { case file, folder, nothing }

        package var name: String
        /// What it leads to; nothing that can be read if it is broken or leads to itself.
        package var target: Target
    }

    /// Lists a folder.
    ///
    /// - Parameters:
    ///   - scope: which entries are listed.
    ///   - follows: whether a symbolic link to a file, by its name, is listed as a file with the status of its target.
    /// - Throws: `FileError` if the folder cannot be read completely, so that it is not taken for empty.
    package init(
        _ path: String, _ scope: EntryScope = .visible, follows: (String) -> Bool = { _ in false }
    ) throws(FileError) {
        let folder = FilePath(path)
        try unsafe Folder.forEachName(in: path) { cName, descriptor, _ in
            let name = unsafe PathText.decode(cString: cName)
            guard name != ".", name != ".." else { return }
            guard scope.includes(FilePath(name), in: folder) else {
                if !FilePath(name).isHidden { systemEntries += 1 }
                return
            }
            guard let kind = unsafe FileStatus.kind(of: cName, in: descriptor) else { return }
            let target =
                unsafe kind == .link ? FileStatus.kind(of: cName, in: descriptor, follows: true) : nil
            switch (kind, target) {
            case (.file(let status), _): append(name, status)
            case (.folder, _): folders.append(name)
            case (.link, .file(let status)):
                if follows(name) {
                    append(name, status)
                } else {
                    links.append(Link(name: name, target: .file))
                }
            case (.link, let target):
                links.append(Link(name: name, target: target == .folder ? .folder : .nothing))
            case (.other, _): break
            }
        }
        fillSlots()
    }

    private mutating func append(_ name: String, _ status: FileStatus) {
        let start = names.count
        names.append(contentsOf: name.utf8)
        entries.append(
            Entry(
                size: status.size, modified: status.modified, inode: status.inode, device: status.device,
                nameStart: UInt32(start), nameCount: UInt16(names.count - start)))
    }

    private mutating func fillSlots() {
        var count = 16
        while count < 2 * entries.count { count *= 2 }
        slots = [UInt32](repeating: 0, count: count)
        for index in entries.indices {
            var slot = Int(truncatingIfNeeded: FNV1a.hash(names[range(index)])) & (count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    /// The number of files.
    package var count: Int { entries.count }

    /// The name of a file, encoded as in `PathText`.
    package func name(_ index: Int) -> String { String(decoding: names[range(index)], as: UTF8.self) }

    /// The status of a file.
    package func status(_ index: Int) -> FileStatus {
        let entry = entries[index]
        return FileStatus(
            size: entry.size, modified: entry.modified, inode: entry.inode, device: entry.device)
    }

    /// Whether the bytes of a file's name end with these.
    package func hasSuffix(_ index: Int, _ suffix: StaticString) -> Bool {
        let range = range(index)
        let count = suffix.utf8CodeUnitCount
        guard range.count >= count else { return false }
        // The suffix is a constant of `count` bytes.
        return (0..<count).allSatisfy { unsafe names[range.upperBound - count + $0] == suffix.utf8Start[$0] }
    }

    /// Returns the position of a file by its name; nil if there is none.
    package func index(of name: String) -> Int? { index(of: Substring(name)) }

    /// Returns the position of a file by its name; nil if there is none.
    package func index(of name: Substring) -> Int? {
        var name = name
        // The bytes are lent for the call.
        return name.withUTF8 { bytes in
            var slot = Int(truncatingIfNeeded: unsafe FNV1a.hash(bytes)) & (slots.count - 1)
            while slots[slot] != 0 {
                let index = Int(slots[slot]) - 1
                let range = range(index)
                if range.count == bytes.count,
                    (0..<bytes.count).allSatisfy({ unsafe names[range.lowerBound + $0] == bytes[$0] })
                {
                    return index
                }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    private func range(_ index: Int) -> Range<Int> {
        let start = Int(entries[index].nameStart)
        return start..<(start + Int(entries[index].nameCount))
    }
}
