internal import Basics
internal import Files

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cache folder that is limited in size, shared by processes, and written atomically.
///
/// An entry consists of two files: its bytes, and a stamp with the source and a checksum of the bytes.
/// The stamp is written last and compared as a whole, so an entry that is truncated, overwritten, stale or of
/// another version is ignored. The modification time of the stamp is the time of the last use.
public struct CacheFolder: Hashable, Sendable {
    /// The path of the folder, which is created with the first entry.
    public let path: String
    /// The limit on the size of all entries in bytes, without an entry that is being written.
    public let capacity: Int

    /// Creates a reference to a cache folder; nothing is written.
    public init(path: String = Self.usualPath, capacity: Int = Self.usualCapacity) {
        self.path = path
        self.capacity = capacity
    }

    /// The folder `viewport` in XDG_CACHE_HOME, or else in the home folder's `.cache`.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    public static var usualPath: String {
        // The specification requires that relative paths are ignored.
        if let home = ProcessEnvironment.variable("XDG_CACHE_HOME"), FilePath(home).isAbsolute {
            return home + "/viewport"
        }
        return (ProcessEnvironment.variable("HOME") ?? "/tmp") + "/.cache/viewport"
    }

    /// Ten gibibytes.
    public static let usualCapacity = 10 << 30

    /// The files of an entry.
    func files(of key: CacheKey, _ kind: CacheKind) -> EntryFiles {
        EntryFiles(path: "\(path)/\(key.name).\(kind.ending)")
    }
}

/// The files that belong to one entry.
struct EntryFiles: Hashable {
    /// Its bytes.
    let path: String

    /// The stamp that describes the bytes.
    var stamp: String { path + ".stamp" }
    /// The lock for writing or removing the entry.
    var lock: String { path + ".lock" }
    /// The entry while it is written; the lock protects it, so one name is enough.
    var part: String { path + ".part" }
    /// Temporary pixels while the entry is written.
    var rows: String { part + ".rows" }

    /// Removes the entry; the caller holds the lock.
    ///
    /// The stamp is removed first: without it the bytes are not trusted.
    func remove() {
        Folder.remove(stamp)
        Folder.remove(part)
        Folder.remove(rows)
        Folder.remove(path)
    }
}

/// A complete and current entry, which is not removed while this object exists.
package final class CacheEntry: Sendable {
    /// The file with its bytes.
    package let path: String
    let files: EntryFiles
    private let pin: FileLock

    init(_ files: EntryFiles, pin: FileLock) {
        path = files.path
        self.files = files
        self.pin = pin
    }

    /// Removes a damaged entry; current readers can continue.
    package func discard() { files.remove() }
}

/// Reading and writing entries.
extension CacheFolder {
    /// Returns the entry if it is complete and current; a damaged one is removed.
    package func entry(for key: CacheKey, _ kind: CacheKind) -> CacheEntry? {
        let files = files(of: key, kind)
        if let entry = validEntry(files, key, kind) { return entry }
        // Writers hold the lock until the entry is complete, so an incomplete one under the lock is damaged.
        if FileStatus(files.path) != nil, let lock = try? FileLock(files.lock, .alone) {
            withExtendedLifetime(lock) {
                if validEntry(files, key, kind) == nil { files.remove() }
                Folder.remove(files.lock)
            }
        }
        return nil
    }

    /// Returns the entry, which is written if it is missing.
    ///
    /// One of all processes writes it, and the others wait without blocking a thread.
    /// If the writer dies, another process takes over.
    ///
    /// - Parameter make: writes the entry to a path.
    /// - Throws: what `make` throws, `CacheError` where the folder cannot be written, or `CancellationError`.
    package func entry(
        for key: CacheKey, _ kind: CacheKind, make: @Sendable (String) async throws -> Void
    ) async throws -> CacheEntry {
        let files = files(of: key, kind)
        try reporting { () throws(FileError) in try Folder.make(path) }
        while true {
            if let entry = validEntry(files, key, kind) { return entry }
            try Task.checkCancellation()
            guard let lock = try reporting({ () throws(FileError) in try FileLock(files.lock, .alone) })
            else {
                // A blocking flock(2) cannot be cancelled.
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            defer { withExtendedLifetime(lock) { _ = Folder.remove(files.lock) } }
            // Another process may have written it between the first look and the lock.
            if let entry = validEntry(files, key, kind) { return entry }
            files.remove()
            do {
                try await make(files.part)
                try finish(files, key, kind)
            } catch {
                files.remove()
                throw error
            }
            guard let entry = validEntry(files, key, kind) else { throw CacheError.broken(file: key.source) }
            removeEarlier(than: key, kind)
            trim()
            return entry
        }
    }

    /// Writes bytes as an entry, unless another process is writing it.
    ///
    /// - Throws: `CacheError` where the folder cannot be written.
    package func store(_ bytes: [UInt8], for key: CacheKey, _ kind: CacheKind) throws {
        let files = files(of: key, kind)
        try reporting { () throws(FileError) in try Folder.make(path) }
        guard let lock = try reporting({ () throws(FileError) in try FileLock(files.lock, .alone) }) else {
            return
        }
        defer { withExtendedLifetime(lock) { _ = Folder.remove(files.lock) } }
        files.remove()
        try reporting { () throws(FileError) in try OutputFile.write(bytes, to: files.part) }
        try finish(files, key, kind)
        removeEarlier(than: key, kind)
        trim()
    }

    /// Publishes a written entry: syncs it to disk, renames it, then writes its stamp.
    private func finish(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) throws {
        try reporting { () throws(FileError) in
            // In this order, a crash leaves bytes without a stamp, which are ignored, but no stamp without its bytes.
            try Folder.synchronize(files.part)
            try Folder.move(files.part, to: files.path)
            guard let stamp = stamp(files, key, kind) else { throw .unwritable("it vanished") }
            try OutputFile.write(Array(stamp.utf8), to: files.stamp)
        }
    }

    private func validEntry(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) -> CacheEntry? {
        guard let pin = try? FileLock(files.path, .shared), let expected = stamp(files, key, kind),
            (try? InputFile.contents(files.stamp)) == Array(expected.utf8)
        else { return nil }
        Folder.touch(files.stamp)
        return CacheEntry(files, pin: pin)
    }

    /// Returns the stamp of an entry with these bytes.
    private func stamp(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) -> String? {
        guard let status = FileStatus(files.path), let sum = Checksum.sampling(files.path) else { return nil }
        return """
            viewport cache 1, \(kind.name) \(kind.version)
            \(status.size) \(status.modified) \(sum.hexadecimal)
            \(key.text)
            """
    }

    func reporting<R>(_ body: () throws(FileError) -> R) throws(CacheError) -> R {
        do {
            return try body()
        } catch {
            let reason: String =
                switch error {
                case .unwritable(let reason), .unreadable(let reason), .unavailable(let reason): reason
                case .noFolder(let folder): "there is no folder \(folder)"
                case .cancelled: "it was cancelled"
                case .missing, .empty, .folder, .exists, .kept, .changed: "something else is in its place"
                }
            throw CacheError.unwritable(path: path, reason: reason)
        }
    }
}

/// An entry in a list of the cache.
public struct CacheItem: Hashable, Codable, Sendable {
    /// The path of the source file.
    public var source: String { sourcePath.text }
    /// The kind of entry, such as "pyramid".
    public let kind: String
    package let bytes: Int
    /// The size on disk in bytes.
    public var fileSize: Int { bytes }
    /// The time of the last use, in nanoseconds since 1970.
    package let used: Int
    /// The time of the last use.
    public var lastUsed: Date { Date(timeIntervalSince1970: Double(used) / 1e9) }
    /// The path of the entry.
    public var path: String { entryPath.text }

    private let sourcePath: FilePath
    private let entryPath: FilePath

    init(source: String, kind: String, bytes: Int, used: Int, path: String) {
        (sourcePath, entryPath) = (FilePath(source), FilePath(path))
        (self.kind, self.bytes, self.used) = (kind, bytes, used)
    }

    private enum CodingKeys: String, CodingKey {
        case sourcePath = "source"
        case entryPath = "path"
        case bytes = "fileSize"
        case used = "lastUsedNanoseconds"
        case kind
    }
}

extension CacheItem: CustomStringConvertible {
    /// The source, the kind and the size: "scan.tif: pyramid, 1.2 GB".
    public var description: String { "\(sourcePath): \(kind), \(bytes.readableBytes)" }
}

/// The result of removing entries.
public struct CacheClearance: Hashable, Codable, Sendable {
    /// The number of entries that were removed.
    public var removed = 0
    /// Their size on disk in bytes.
    public var bytes = 0
    /// The number of entries that remain because a process reads them.
    public var inUse = 0
}

extension CacheClearance: CustomStringConvertible {
    /// The counts: "3 entries removed, 1.2 GB", and those in use.
    public var description: String {
        "\(removed) \(removed == 1 ? "entry" : "entries") removed, \(bytes.readableBytes)"
            + (inUse == 0 ? "" : ", \(inUse) in use")
    }
}

/// Listing and removing entries.
extension CacheFolder {
    /// Returns all entries, the most recently used first; entries are not verified here.
    public func items() -> [CacheItem] {
        Folder.names(in: path).compactMap { name in
            guard name.hasSuffix(".stamp") else { return nil }
            return item(EntryFiles(path: "\(path)/\(name.dropLast(".stamp".count))"))
        }.sorted { ($0.used, FilePath($0.path)) > ($1.used, FilePath($1.path)) }
    }

    /// Removes entries that were not used for some time, by default all, and files that dead processes left.
    ///
    /// - Parameter age: the minimum time since the last use.
    public func clear(unusedFor age: Duration = .zero) -> CacheClearance {
        let limit = Double(ProcessEnvironment.now) - age / .nanoseconds(1)
        var clearance = CacheClearance()
        for item in items() where Double(item.used) <= limit || age <= .zero {
            if remove(EntryFiles(path: item.path)) {
                clearance.removed += 1
                clearance.bytes += item.bytes
            } else {
                clearance.inUse += 1
            }
        }
        sweep()
        return clearance
    }

    /// Removes the least recently used entries until the others fit; entries in use remain.
    func trim() {
        sweep()
        let items = items()
        var total = items.reduce(0) { $0 + $1.bytes }
        for item in items.reversed() where total > capacity {
            if remove(EntryFiles(path: item.path)) { total -= item.bytes }
        }
    }

    /// Removes the entries of earlier states of a file.
    func removeEarlier(than key: CacheKey, _ kind: CacheKind) {
        let own = FilePath(files(of: key, kind).path)
        for item in items() where item.kind == kind.name {
            let path = FilePath(item.path)
            guard path.name.hasPrefix("\(key.pathHash)-"), path != own else { continue }
            _ = remove(EntryFiles(path: item.path))
        }
    }

    /// Removes an entry that is neither written nor read; returns whether it was removed.
    private func remove(_ files: EntryFiles) -> Bool {
        guard let lock = try? FileLock(files.lock, .alone) else { return false }
        return withExtendedLifetime(lock) {
            defer { Folder.remove(files.lock) }
            let isThere = FileStatus(files.path) != nil
            // Readers hold a shared lock on the bytes themselves, writers the lock file.
            let alone = try? FileLock(files.path, .aloneExisting)
            guard alone != nil || !isThere else { return false }
            return withExtendedLifetime(alone) {
                files.remove()
                return true
            }
        }
    }

    /// Removes files of incomplete entries that are not being written.
    private func sweep() {
        let names = Folder.names(in: path)
        let whole = Set(names.filter { $0.hasSuffix(".stamp") }.map { $0.dropLast(".stamp".count) })
        let all = Set(names.compactMap(Self.entryName))
        for name in all.subtracting(whole) { _ = remove(EntryFiles(path: "\(path)/\(name)")) }
        // Hidden temporary files of dead processes have no owner.
        for name in names where name.hasPrefix(".") && name.hasSuffix(".part") {
            guard let entry = Self.entryName(String(name.dropFirst())),
                let lock = try? FileLock("\(path)/\(entry).lock", .alone)
            else { continue }
            withExtendedLifetime(lock) {
                Folder.remove("\(path)/\(name)")
                Folder.remove("\(path)/\(entry).lock")
            }
        }
    }

    /// Returns the entry that a file belongs to; nil for foreign files.
    private static func entryName(_ name: String) -> Substring? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let halves = parts[0].split(separator: "-")
        guard parts.count >= 2, halves.count == 2,
            halves.allSatisfy({ $0.count == 16 && $0.allSatisfy(\.isHexDigit) })
        else { return nil }
        return name[..<parts[1].endIndex]
    }

    private func item(_ files: EntryFiles) -> CacheItem? {
        guard let stamp = FileStatus(files.stamp), let bytes = FileStatus(files.path)?.size,
            let text = try? InputFile.contents(files.stamp)
        else { return nil }
        // Five lines, the last of which is a path and may be several.
        let lines = String(decoding: text, as: UTF8.self).split(
            separator: "\n", maxSplits: 4, omittingEmptySubsequences: false)
        let kind = lines[0].split(separator: " ").dropFirst(3).first
        return CacheItem(
            source: lines.count == 5 ? String(lines[4]) : "", kind: kind.map(String.init) ?? "",
            bytes: bytes + stamp.size, used: stamp.modified, path: files.path)
    }
}
