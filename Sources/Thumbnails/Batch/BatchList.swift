internal import Basics
package import Files

/// What a batch is made of: the lines of a manifest, or files and folders that were named.
package struct BatchList {
    private enum Source {
        case manifest(LineReader, name: String)
        case walk(FileWalk)
    }

    /// What comes next.
    enum Entry {
        case item(BatchItem)
        case bad(
            line: Int, bytes: [UInt8], id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member],
            reason: String)
    }

    private var source: Source
    private let root: BatchRoot
    private var line = 0

    /// The lines of a file, or of standard input for "-".
    package init(manifest path: String, root: BatchRoot) throws(BatchError) {
        self.root = root
        do throws(FileError) {
            source = .manifest(try LineReader(path), name: path)
        } catch {
            throw .listUnreadable(file: path, error)
        }
    }

    /// Files, and with `isRecursive` all pictures below folders.
    ///
    /// - Parameter leavingOut: a folder that is not gone into: that of the outputs.
    package init(_ paths: [String], isRecursive: Bool, leavingOut: String? = nil, root: BatchRoot) {
        self.root = root
        source = .walk(FileWalk(paths, isRecursive: isRecursive, leavingOut: leavingOut))
    }

    /// How much of the list was handed out, from 0 to 1; nil where its length is not known.
    package var share: Double? {
        switch source {
        case .manifest(let reader, _): reader.size.map { Double(reader.offset) / Double(max(1, $0)) }
        case .walk(let walk): walk.share
        }
    }

    /// Whether the rest can be looked through without waiting for anybody.
    var isAtHand: Bool {
        switch source {
        case .manifest(let reader, _): reader.size != nil
        case .walk: true
        }
    }

    /// Nil at the end, and when waiting was given up.
    mutating func next(isStopped: () -> Bool) throws(BatchError) -> Entry? {
        switch source {
        case .walk(var walk):
            guard let path = walk.next() else { return nil }
            source = .walk(walk)
            line += 1
            return .item(
                BatchItem(
                    line: line, path: path, file: root.file(path), relativePath: root.relative(path)))
        case .manifest(let reader, let name):
            do throws(FileError) {
                while let text = try reader.next(isStopped: isStopped) {
                    line += 1
                    switch ManifestLine(text, number: line, root: root) {
                    case nil: continue
                    case .item(let item): return .item(item)
                    case .bad(let id, let path, let rest, let reason):
                        return .bad(
                            line: line, bytes: text.bytes, id: id, path: path, rest: rest, reason: reason)
                    }
                }
                return nil
            } catch {
                throw .listUnreadable(file: name, error)
            }
        }
    }
}

extension BatchList {
    /// The files of all items that are left in the list.
    package mutating func files() -> Set<FileIdentity> {
        var files: Set<FileIdentity> = []
        while let entry = (try? next(isStopped: { false })) ?? nil {
            if case .item(let item) = entry, let file = FileIdentity(item.file) { files.insert(file) }
        }
        return files
    }
}
