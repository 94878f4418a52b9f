internal import Basics
internal import Files

/// A folder of things that can be made again: bounded, shared by processes, and never half-written.
///
/// An entry is two files: its bytes, and a stamp that says what they were made from and what they must look
/// like. The stamp comes last and is compared whole, so that an entry which is cut, written over, stale or of
/// another version is as good as none. The time of the stamp is the time of the last use.
public struct CacheFolder: Sendable {
    /// Where it is; made when the first entry is.
    public let path: String
    /// The bytes that all entries together may have, without one that is being made.
    public let capacity: Int

    /// Makes a cache folder; nothing is written yet.
    public init(path: String = Self.usualPath, capacity: Int = Self.usualCapacity) {
        self.path = path
        self.capacity = capacity
    }

    /// The folder `viewport` in XDG_CACHE_HOME, or else in the home folder's `.cache`.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    public static var usualPath: String {
        // A path that is not absolute has to be ignored, says the specification.
        if let home = ProcessEnvironment.variable("XDG_CACHE_HOME"), home.hasPrefix("/") {
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

    /// Says what the bytes must be.
    var stamp: String { path + ".stamp" }
    /// Held by whoever makes or removes the entry.
    var lock: String { path + ".lock" }
    /// What is being made; only who holds the lock writes it, so one name is enough.
    var part: String { path + ".part" }
    /// Pixels of what is being made.
    var rows: String { part + ".rows" }

    /// Removes the entry; call it under the lock.
    ///
    /// The stamp goes first: without it nothing is trusted.
    func remove() {
        Folder.remove(stamp)
        Folder.remove(part)
        Folder.remove(rows)
        Folder.remove(path)
    }
}

/// An entry that is whole and up to date; nobody removes it while this lives.
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

    /// Removes an entry that proved to be damaged; whoever reads it now may go on.
    package func discard() { files.remove() }
}

/// Finding and making entries.
extension CacheFolder {
    /// The entry, if it is there, whole and up to date; one that is damaged is removed.
    package func entry(for key: CacheKey, _ kind: CacheKind) -> CacheEntry? {
        let files = files(of: key, kind)
        if let entry = validEntry(files, key, kind) { return entry }
        // Who makes an entry holds its lock until it is whole; under the lock what is there is damaged.
        if FileStatus(files.path) != nil, let lock = try? FileLock(files.lock, .alone) {
            withExtendedLifetime(lock) {
                if validEntry(files, key, kind) == nil { files.remove() }
                Folder.remove(files.lock)
            }
        }
        return nil
    }

    /// The entry, made if it is not there.
    ///
    /// Of all processes that want it one makes it and the others wait for that one, without blocking a thread.
    /// When the one that makes it dies, another takes over.
    ///
    /// - Parameter make: writes the entry to the path that it is given.
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
                // flock(2) can wait too, but only by blocking a thread that cannot be cancelled.
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            defer { withExtendedLifetime(lock) { _ = Folder.remove(files.lock) } }
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

    /// Keeps bytes as an entry, unless another process is about to.
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

    /// Makes what was written an entry: on disk first, then under its name, then with its stamp.
    private func finish(_ files: EntryFiles, _ key: CacheKey, _ kind: CacheKind) throws {
        try reporting { () throws(FileError) in
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

    /// What the stamp of an entry with these bytes must say.
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
                case .unwritable(let reason), .unreadable(let reason): reason
                case .noFolder(let folder): "there is no folder \(folder)"
                case .missing, .empty, .folder, .exists, .kept, .changed: "something else is in its place"
                }
            throw CacheError.unwritable(path: path, reason: reason)
        }
    }
}

/// An entry as it is listed.
public struct CacheItem: Equatable, Sendable {
    /// The file that it was made from.
    public let source: String
    /// What it is: "pyramid".
    public let kind: String
    /// Bytes on disk.
    public let bytes: Int
    /// When it was last used, in nanoseconds since 1970.
    public let used: Int
    /// The file of the entry.
    public let path: String
}

/// What was removed, and what was not because somebody reads it.
public struct CacheClearance: Equatable, Sendable {
    /// The entries that were removed.
    public var removed = 0
    /// The bytes of these on disk.
    public var bytes = 0
    /// The entries that stayed, as a process reads them.
    public var inUse = 0
}

/// Looking at all entries, and removing some.
extension CacheFolder {
    /// All entries, the last used first; they are checked when they are used, not here.
    public func items() -> [CacheItem] {
        Folder.names(in: path).compactMap { name in
            guard name.hasSuffix(".stamp") else { return nil }
            return item(EntryFiles(path: "\(path)/\(name.dropLast(".stamp".count))"))
        }.sorted { ($0.used, $0.path) > ($1.used, $1.path) }
    }

    /// Removes entries that were not used for a time, all if none is given, and what dead processes left.
    ///
    /// - Parameter seconds: how long an entry must not have been used to be removed.
    public func clear(unusedFor seconds: Double = 0) -> CacheClearance {
        let limit = Double(ProcessEnvironment.now) - seconds * 1e9
        var clearance = CacheClearance()
        for item in items() where Double(item.used) <= limit || seconds <= 0 {
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

    /// Removes the longest unused entries until the others fit; those that are in use stay.
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
        let own = files(of: key, kind).path
        for item in items() where item.path.hasPrefix("\(path)/\(key.pathHash)-") && item.path != own {
            guard item.kind == kind.name else { continue }
            _ = remove(EntryFiles(path: item.path))
        }
    }

    /// Removes an entry that nobody makes or reads; whether it went.
    private func remove(_ files: EntryFiles) -> Bool {
        guard let lock = try? FileLock(files.lock, .alone) else { return false }
        return withExtendedLifetime(lock) {
            defer { Folder.remove(files.lock) }
            let isThere = FileStatus(files.path) != nil
            let alone = try? FileLock(files.path, .aloneExisting)
            guard alone != nil || !isThere else { return false }
            return withExtendedLifetime(alone) {
                files.remove()
                return true
            }
        }
    }

    /// Removes files of entries that are not whole and that nobody is making.
    private func sweep() {
        let names = Folder.names(in: path)
        let whole = Set(names.filter { $0.hasSuffix(".stamp") }.map { $0.dropLast(".stamp".count) })
        let all = Set(names.compactMap(Self.entryName))
        for name in all.subtracting(whole) { _ = remove(EntryFiles(path: "\(path)/\(name)")) }
        // What a process that died was writing in a hidden temporary file is nobody's.
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

    /// The entry that a file belongs to; nil for files that are not ours.
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
