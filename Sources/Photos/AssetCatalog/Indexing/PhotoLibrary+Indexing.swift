internal import Basics
internal import CatalogStorage
package import Files
public import ImageMetadata
public import WorkReporting

extension PhotoLibrary {
    /// Updates the catalog from the files.
    ///
    /// Files with unchanged size and modification time are not read, also in a copy of the library. A file that was
    /// moved or renamed keeps its asset. Hidden files and folders are skipped, as is what systems and network storage keep beside
    /// photos, and of symbolic links only those to files are followed that the library does not have under their own names. If the task is cancelled or the process killed,
    /// finished work is kept and the next run continues from there.
    ///
    /// - Parameters:
    ///   - paths: folders and files, absolute or below the root; the whole library by default. Assets whose files are
    ///     gone at a path are removed.
    ///   - zone: the time zone of dates without one; such files are read again.
    ///   - usesFileTime: whether assets without a date get the modification time of their file; false removes such
    ///     dates, nil keeps them and leaves new assets undated.
    ///   - progress: receives the number of files compared so far, on a background thread, once per folder.
    /// - Throws: `LibraryError`, of the kind `busy` while another process or task indexes the library;
    ///   `CancellationError`: what was indexed before is kept.
    @discardableResult
    public func index(
        _ paths: [String] = [""], assuming zone: AssumedZone? = nil, usesFileTime: Bool? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> IndexReport {
        try await index(paths, assuming: zone, undatedBy: UndatedRule(usesFileTime), progress: progress)
    }

    /// Updates the catalog from the files, with the rule for undated assets, and makes thumbnails.
    ///
    /// - Parameters:
    ///   - digests: those of files that were just read, which are not read again for them.
    ///   - scope: which files the library has from now on; nil for those that it has now.
    ///   - thumbnails: what makes the thumbnails that are missing; nil makes none.
    @discardableResult
    package func index(
        _ paths: [String] = [""], assuming zone: AssumedZone? = nil, undatedBy: UndatedRule?,
        scope: EntryScope? = nil, digests: [FilePath: KnownDigest] = [:],
        thumbnails: ThumbnailPlan? = nil, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> IndexReport {
        let reporter = ProgressReporter(.files, progress)
        let dateCompletion = DateCompletion(zone: zone, undatedBy: undatedBy)
        let report = try await BackgroundQueue.run(cancellably: { flag in
            let lock = try Self.lockIndexing(self.catalogPath)
            defer { withExtendedLifetime(lock) {} }
            if let scope { try self.setScope(scope) }
            func index(_ thumbnails: ThumbnailRun?) throws -> IndexReport {
                try IndexRun(
                    library: self, dateCompletion: dateCompletion, digests: digests, thumbnails: thumbnails,
                    flag: flag,
                    progress: { reporter.report($0) }
                ).index(paths)
            }
            guard let thumbnails else { return try index(nil) }
            return try ThumbnailRun.with(thumbnails, catalog: self.catalogPath, flag) { try index($0) }
        })
        reporter.finish()
        return report
    }

    /// Locks out other processes and tasks that index or repair the same library.
    package static func lockIndexing(_ catalogPath: String) throws -> FileLock {
        do {
            if let lock = try FileLock(catalogPath + LibraryFolder.lockSuffix, .alone) { return lock }
        } catch {
            throw LibraryError.inaccessible(catalog: catalogPath, error)
        }
        throw LibraryError(.indexing(catalog: catalogPath))
    }

    /// Indexes paths as soon as no other process or task does.
    package func indexWhenFree(
        _ paths: [String], assuming zone: AssumedZone? = nil, undatedBy: UndatedRule? = nil,
        digests: [FilePath: KnownDigest] = [:],
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> IndexReport {
        try await LibraryError.whenFree(LibraryError.isIndexing) {
            try await index(
                paths, assuming: zone, undatedBy: undatedBy, digests: digests, progress: progress)
        }
    }
}

/// The result of indexing.
public struct IndexReport: Hashable, Codable, Sendable {
    /// A file that could not be read, written or verified.
    public struct Failure: Hashable, Codable, Sendable {
        /// The file, whose bytes decide whether it is another's.
        package var file: FilePath
        /// The reason, as the end of a sentence.
        public var reason: String
        /// Whether the catalog is out of date, so that indexing the file helps.
        package var needsIndexing = false

        package init(path: String, reason: String, needsIndexing: Bool = false) {
            file = FilePath(path)
            self.reason = reason
            self.needsIndexing = needsIndexing
        }

        /// The path, below the library's root if the file is in the library.
        public var path: String {
            get { file.text }
            set { file = FilePath(newValue) }
        }

        private enum CodingKeys: String, CodingKey {
            case file = "path"
            case reason, needsIndexing
        }
    }

    /// The number of new assets.
    public var inserted = 0
    /// The number of assets whose files have changed.
    public var updated = 0
    /// The number of files that were moved or renamed and kept their asset.
    package var moved = 0
    /// The number of assets whose files are gone.
    public var removed = 0
    /// The number of assets whose files are unchanged.
    package var unchanged = 0
    /// The number of sidecars: XMP, AAE and THM of photos and videos.
    package internal(set) var sidecars = 0
    /// The number of files and folders that systems and network storage keep beside photos, which are left out.
    public internal(set) var systemEntries = 0
    /// The paths below the root of files that are neither photos nor videos.
    package var others: [FilePath] = []
    /// The photos and videos that could not be read.
    public var failures: [Failure] = []
    /// The symbolic links that were not followed, with the reason.
    public package(set) var links: [Failure] = []
    /// The photos and videos whose sidecars could not be read, and which were indexed without them.
    public internal(set) var sidecarFaults: [Failure] = []
    /// The photos and videos that were read whose stated position does not count, with the reason.
    package internal(set) var positionFaults: [Failure] = []
    /// The thumbnails; nil if none were to be made.
    package internal(set) var thumbnails: ThumbnailReport?

    /// The number of others by file extension in lower case.
    package var otherKinds: [String: Int] {
        others.reduce(into: [:]) { $0[FileExtension.of($1), default: 0] += 1 }
    }

    package init(
        inserted: Int = 0, updated: Int = 0, moved: Int = 0, removed: Int = 0, unchanged: Int = 0,
        others: [FilePath] = [], failures: [Failure] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.moved = moved
        self.removed = removed
        self.unchanged = unchanged
        self.others = others
        self.failures = failures
    }
}

/// The source of dates for assets without a date in their files or names.
package enum UndatedRule: String, CaseIterable, Sendable {
    /// None: they are undated, also if `fileTime` has dated them before.
    case nothing
    /// The modification time of the file; `CaptureDate.source` records it.
    case fileTime = "file-time"
}

extension UndatedRule {
    package init?(_ usesFileTime: Bool?) {
        guard let usesFileTime else { return nil }
        self = usesFileTime ? .fileTime : .nothing
    }
}

/// How incomplete dates of files are completed.
package struct DateCompletion: Sendable {
    /// The zone of dates without one.
    var zone: AssumedZone?
    /// Nil keeps the dates that assets have.
    var undatedBy: UndatedRule?

    package init(zone: AssumedZone? = nil, undatedBy: UndatedRule? = nil) {
        (self.zone, self.undatedBy) = (zone, undatedBy)
    }

    /// Returns the date of a file without one; nil if it stays undated.
    package func date(fileTime nanoseconds: Int) -> CaptureDate? {
        // The least and the greatest value mean times out of range.
        guard undatedBy == .fileTime, nanoseconds > .min, nanoseconds < .max else { return nil }
        return CaptureDate(fileTime: nanoseconds / 1_000_000_000)
    }
}

extension IndexReport: CustomStringConvertible {
    /// The counts, without those that are 0: "12 inserted, 3 updated, 1 removed, 2 failed".
    public var description: String {
        [
            (updated, "updated"), (moved, "moved"), (removed, "removed"), (unchanged, "unchanged"),
            (failures.count, "failed"),
        ].listed(after: "\(inserted) inserted")
    }
}

extension IndexReport.Failure: CustomStringConvertible {
    /// "2014/a.jpg: is empty".
    public var description: String { "\(file): \(reason)" }
}
