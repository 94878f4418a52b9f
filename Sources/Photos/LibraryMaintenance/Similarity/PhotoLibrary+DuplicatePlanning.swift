public import AssetCatalog
internal import CatalogStorage
internal import Files
internal import ImageMetadata
public import WorkReporting

extension PhotoLibrary {
    /// Plans which duplicates are kept and which are moved to the trash; nothing is changed.
    ///
    /// The best file of a group is kept: the one with the most pixels, then the most bytes, then the earliest date; of equal
    /// ones the photo of a live photo, then the one with the shortest path. Further names of one file (hard links) are no
    /// copies, and a photo whose film the kept one lacks is left. Films of live photos go with their photos.
    ///
    /// - Parameters:
    ///   - criterion: what is compared, as by `duplicates`.
    ///   - progress: receives the comparisons that are done.
    /// - Throws: `LibraryError`; `CancellationError`.
    public func planDuplicates(
        _ criterion: DuplicateCriterion, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> DuplicatePlan {
        let groups = try await duplicates(criterion, progress: progress)
        let partners = try await self.partners(of: groups)
        let root = root
        return try await BackgroundQueue.run {
            let planner = DuplicatePlanner(root: root, partners: partners)
            return DuplicatePlan(
                groups.compactMap { group in
                    planner.files(of: group).map { DuplicatePlan.Group(criterion.comparison, $0) }
                })
        }
    }

    /// The other halves of the live photos in groups, by their identifiers.
    private func partners(of groups: [[Asset]]) async throws -> [Asset.ID: Asset] {
        let ids = groups.joined().compactMap(\.livePartner)
        let assets = try await assets(ids)
        return Dictionary(assets.map { ($0.id, $0) }) { $1 }
    }

    /// Stores that all of these assets are to be kept: groups of duplicates with no other member are not shown again.
    ///
    /// A group that gets a new member is shown again. `undo` forgets it.
    ///
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library.
    public func keepTogether(_ ids: [Asset.ID]) async throws {
        guard ids.count > 1 else { return }
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        try await storeKept([ids])
    }

    /// Stores groups to keep as one operation.
    func storeKept(_ groups: [[Asset.ID]]) async throws {
        try await write { catalog in
            let (count, unit) = (groups.count, groups.count == 1 ? "group" : "groups")
            let operation = try catalog.operations.begin("keep all of \(count) \(unit) of duplicates")
            for ids in groups {
                let mark = try catalog.keepTogether(ids)
                try catalog.operations.append([.kept(mark)], to: operation)
            }
        }
    }
}

extension DuplicateCriterion {
    var comparison: DuplicatePlan.Group.Comparison {
        switch self {
        case .bytes: .bytes
        case .pixels: .pixels
        case .appearance: .looks
        }
    }
}

extension Asset {
    /// Whether it is the better one of two duplicates.
    func isBetter(than other: Asset) -> Bool {
        if pixels != other.pixels { return pixels > other.pixels }
        if bytes != other.bytes { return bytes > other.bytes }
        let (date, its) = (date?.orderedInstant ?? Self.undated, other.date?.orderedInstant ?? Self.undated)
        if date != its { return date < its }
        let (fraction, itsFraction) = (self.date?.local.nanoseconds, other.date?.local.nanoseconds)
        if fraction != itsFraction { return fraction ?? 0 < itsFraction ?? 0 }
        if (livePartner == nil) != (other.livePartner == nil) { return livePartner != nil }
        let (length, its2) = (path.utf8.count, other.path.utf8.count)
        return length != its2 ? length < its2 : file < other.file
    }
}

/// Decides which files of a group are kept.
private struct DuplicatePlanner {
    let root: String
    let partners: [Asset.ID: Asset]

    /// Returns the files of a group, the best first; nil if none can go.
    func files(of group: [Asset]) -> [DuplicatePlan.File]? {
        // Films of live photos go with their photos.
        let own = group.filter { !$0.isVideo || $0.livePartner == nil }
        let ranked = own.sorted { $0.isBetter(than: $1) }
        var files: [DuplicatePlan.File] = []
        var kept: (asset: Asset, status: FileStatus)?
        for asset in ranked {
            let state = TrashableFile.state(of: "\(root)/\(asset.path)")
            guard let status = state.status, status.size == asset.bytes,
                status.modified == asset.modifiedNanoseconds
            else {
                let reason = state.reason ?? "was written since it was indexed"
                files.append(DuplicatePlan.File(asset, .leave, reason: reason))
                continue
            }
            guard let best = kept else {
                kept = (asset, status)
                files.append(DuplicatePlan.File(asset, .keep))
                continue
            }
            let reason =
                status.isSameFile(as: best.status)
                ? "is the same file as \(best.asset.path) under another name"
                : state.reason ?? filmReason(asset, best.asset)
            files.append(DuplicatePlan.File(asset, reason == nil ? .trash : .leave, reason: reason))
        }
        guard files.contains(where: { $0.action == .trash }) else { return nil }
        // The kept file first: it may not be the best if that is gone.
        return files.filter { $0.action == .keep } + files.filter { $0.action != .keep }
    }

    /// Why the film of a live photo prevents that its photo goes.
    private func filmReason(_ asset: Asset, _ kept: Asset) -> String? {
        guard let film = asset.livePartner.flatMap({ partners[$0] }), film.isVideo else { return nil }
        guard let its = kept.livePartner.flatMap({ partners[$0] }), its.sha256 == film.sha256 else {
            return "is a live photo whose film \(kept.path) has not"
        }
        return nil
    }
}

/// A file that may be moved to the trash.
enum TrashableFile {
    /// Returns the status of a file, nil if it is no regular file, and why it cannot go.
    static func state(of path: String) -> (status: FileStatus?, reason: String?) {
        if Folder.isLink(path) { return (nil, "is a symbolic link") }
        guard let moment = FileMoment(path) else { return (nil, "is gone") }
        guard moment.names == 1 else {
            return (
                moment.status, "has \(moment.names) names (hard links), so that removing one frees nothing"
            )
        }
        return (moment.status, nil)
    }
}
