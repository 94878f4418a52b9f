internal import Files

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
    public var removed = 0
    public var bytes = 0
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
        for item in items() where item.path.hasPrefix("\(path)/\(key.place)-") && item.path != own {
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
