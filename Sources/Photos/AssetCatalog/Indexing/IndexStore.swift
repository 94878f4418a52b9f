internal import CatalogStorage
package import Files
internal import ImageMetadata

/// The SHA-256 of a file in hexadecimal digits, and the state in which the file has it.
package struct KnownDigest: Equatable, Sendable {
    package var status: FileStatus
    package var sha256: String

    package init(status: FileStatus, sha256: String) {
        (self.status, self.sha256) = (status, sha256)
    }
}

/// Writes the results of an index run into the catalog and counts them.
struct IndexStore {
    private let library: PhotoLibrary
    private let dateCompletion: DateCompletion
    private let digests: [FilePath: KnownDigest]

    private(set) var report = IndexReport()
    /// The assets whose files are gone, with their old paths.
    private var missing: [Asset.ID: FilePath] = [:]
    /// Files that are not assets and are gone.
    private var forgotten: [FilePath] = []
    /// The folders with changed assets.
    private var touched: Set<Int64> = []
    /// The greatest identifier before this run.
    private var newest: Asset.ID = 0
    /// The last asset with each digest up to which all files are where they were.
    private var present: [String: Asset.ID] = [:]

    init(library: PhotoLibrary, dateCompletion: DateCompletion, digests: [FilePath: KnownDigest]) {
        self.library = library
        self.dateCompletion = dateCompletion
        self.digests = digests
    }

    /// Records the greatest identifier before anything is written.
    mutating func begin() throws {
        newest = try library.readAndWait { try $0.newestID() }
    }

    mutating func noteUnchanged(_ count: Int) { report.unchanged += count }

    mutating func noteSidecar() { report.sidecars += 1 }

    mutating func noteSystemEntries(_ count: Int) { report.systemEntries += count }

    mutating func noteLink(_ path: FilePath, _ reason: String) {
        report.links.append(IndexReport.Failure(path: path.text, reason: reason))
    }

    mutating func noteOther(_ path: FilePath) { report.others.append(path) }

    mutating func noteFailure(_ path: FilePath, _ reason: String) {
        report.failures.append(IndexReport.Failure(path: path.text, reason: reason))
    }

    /// Records an asset whose sidecar could not be read.
    mutating func noteSidecarFault(_ path: FilePath, _ reason: String) {
        report.sidecarFaults.append(IndexReport.Failure(path: path.text, reason: reason))
    }

    mutating func noteMissing(_ file: CatalogedFile) {
        if let asset = file.asset { missing[asset] = file.path } else { forgotten.append(file.path) }
    }

    /// Adds the digests of files that were moved or were just read, so that they are not read again.
    func recall(_ files: [ScannedFile]) throws -> [ScannedFile] {
        try library.readAndWait { catalog in
            try files.map { file in
                guard !file.isDoubtful else { return file }
                var file = file
                if let known = digests[file.path], known.status == file.status {
                    file.sha256 = known.sha256
                } else {
                    file.sha256 = try catalog.digest(of: file.status)
                }
                return file
            }
        }
    }

    /// Writes the readings in one transaction.
    mutating func write(_ readings: some Sequence<(ScannedFile, FileReading)>) throws {
        try library.writeAndWait { catalog in
            for (file, reading) in readings {
                let known = try catalog.asset(at: file.path)
                switch reading {
                case .asset(let asset, let record): try store(asset, record, known, catalog)
                case .other:
                    if let known {
                        try catalog.remove(known.id)
                        report.removed += 1
                    }
                    try catalog.rememberOther(file, nil)
                    report.others.append(file.path)
                case .failure(let reason):
                    // An asset that was known stays: its albums are not lost by a file that is broken for a while.
                    try catalog.rememberOther(file, reason)
                    report.failures.append(.init(path: file.path.text, reason: reason))
                }
            }
            try catalog.trimChanges()
        }
    }

    private mutating func store(_ asset: Asset, _ record: FileRecord, _ known: Asset?, _ catalog: Catalog)
        throws
    {
        try catalog.forgetOther(asset.file)
        if let fault = record.sidecarFault { noteSidecarFault(asset.file, fault) }
        if let fault = record.positionFault {
            report.positionFaults.append(IndexReport.Failure(path: asset.path, reason: fault))
        }
        if let former = try former(of: asset, record, catalog) {
            if let known { try detach(known, catalog) }
            try replace(former, by: asset, record, catalog)
            report.moved += 1
        } else if let known {
            try replace(known, by: asset, record, catalog)
            report.updated += 1
        } else {
            try catalog.insert(asset, record)
            report.inserted += 1
        }
        touched.insert(try catalog.folder(asset.folder))
    }

    /// Returns the asset with the same bytes whose file is gone from its path: the file was moved.
    private mutating func former(
        of asset: Asset, _ record: FileRecord, _ catalog: Catalog
    ) throws -> Asset? {
        let equal = try catalog.assets(
            equalTo: asset, inode: record.inode, after: present[asset.sha256] ?? 0)
        if let former = equal.first(where: { FileStatus(library.path(of: $0)) == nil }) { return former }
        // Thousands of copies are looked at once, not once for each other.
        if let last = equal.map(\.id).max() { present[asset.sha256] = last }
        return nil
    }

    /// Updates an asset from its file; data from other sources is kept.
    private func replace(_ old: Asset, by asset: Asset, _ record: FileRecord, _ catalog: Catalog) throws {
        var asset = asset
        asset.id = old.id
        if asset.date == nil, old.date?.source == .fileTime, dateCompletion.undatedBy == nil {
            asset.date = old.date
        }
        asset.date?.keepAssumedZone(of: old.date)
        if asset.location == nil, old.location?.source == .track { asset.location = old.location }
        if asset.location == old.location { asset.place = old.place }
        asset.kinds.formUnion(old.kinds.intersection(.behind))
        try catalog.update(asset, record)
    }

    /// Detaches an asset from its path, to which another file was moved; it is removed unless its file is found.
    private mutating func detach(_ asset: Asset, _ catalog: Catalog) throws {
        let path = FilePath("/missing/\(asset.id)")
        try catalog.move(asset.id, to: path)
        missing[asset.id] = path
        present[asset.sha256] = nil
    }

    /// Removes the assets whose files are gone, unless a file of the same bytes has appeared in this run.
    ///
    /// - Parameters:
    ///   - count: the number of assets in one transaction.
    ///   - didWrite: called after each transaction.
    mutating func removeMissing(
        _ count: Int, didWrite: () throws -> Void
    ) throws {
        var rest = missing.sorted { $0.key < $1.key }[...]
        while !rest.isEmpty {
            try removeMissing(rest.prefix(count))
            rest = rest.dropFirst(count)
            try didWrite()
        }
    }

    private mutating func removeMissing(
        _ part: some Sequence<(key: Asset.ID, value: FilePath)>
    ) throws {
        try library.writeAndWait { catalog in
            for (id, path) in part {
                // An asset with another path was found again.
                guard let asset = try catalog.assets([id]).first, asset.file == path else { continue }
                if try !reappear(asset, catalog) {
                    try catalog.remove(id)
                    report.removed += 1
                }
            }
            try catalog.trimChanges()
        }
    }

    /// Assigns the file of a new asset with the same bytes to a missing one: names were swapped.
    private mutating func reappear(_ missing: Asset, _ catalog: Catalog) throws -> Bool {
        guard let (new, record) = try catalog.twin(of: missing.id, after: newest) else { return false }
        try catalog.remove(new.id)
        try replace(missing, by: new, record, catalog)
        report.inserted -= 1
        report.moved += 1
        return true
    }

    /// Pairs live photos, makes stacks, and removes records of folders and files that are gone.
    func finish() throws {
        try library.writeAndWait { catalog in
            for path in forgotten { try catalog.forgetOther(path) }
            try catalog.finishIndexing(touched: touched)
        }
    }
}

extension CaptureDate {
    /// Keeps a time zone that was assumed before, unless the date has changed.
    fileprivate mutating func keepAssumedZone(of old: CaptureDate?) {
        guard offset == nil, let old, case .assumed = old.zoneSource, old.local == local else { return }
        (offset, zoneSource) = (old.offset, old.zoneSource)
    }
}
