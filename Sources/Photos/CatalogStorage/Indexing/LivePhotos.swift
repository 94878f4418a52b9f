internal import Assets
internal import Files
internal import GRDB
internal import ImageMetadata

/// The names by which the film of a live photo is known.
enum LivePhotoName {
    /// The paths without extension that the photo of a film can have: its own, that without the mark of Apple's export
    /// "IMG_1_HEVC.MOV", and the whole name of a motion photo's film.
    static func photos(of film: FilePath) -> [FilePath] {
        let base = film.withoutExtension
        let plain = base.text.uppercased().hasSuffix("_HEVC") ? FilePath(String(base.text.dropLast(5))) : nil
        return [film == base || MotionFilm.isNamed(film.name) ? film : nil, base, plain].compactMap(\.self)
    }
}

/// The photo and the video that were taken together.
enum LivePhotos {
    /// The maximum difference of the dates of two files of one name, in seconds.
    private static let tolerance = 3

    /// Pairs photos and videos of a folder by their common identifier, else by name and date.
    static func pair(in folder: Int64, _ database: Database) throws {
        let rows = try candidates(in: folder, database)
        let assets = rows.map { (asset: Asset($0), identifier: $0["contentIdentifier"] as String?) }
        var partners: [Asset.ID: Asset.ID] = [:]
        let videos = assets.filter(\.asset.isVideo)
        guard !videos.isEmpty || assets.contains(where: { $0.asset.livePartner != nil }) else { return }
        let photos = assets.filter(\.asset.isPhoto)
        let byIdentifier = Dictionary(
            photos.compactMap { photo in photo.identifier.map { ($0, photo.asset) } }
        ) {
            first, _ in first
        }
        let byName = Dictionary(grouping: photos) { $0.asset.file.withoutExtension }
        func named(_ video: Asset) -> [(asset: Asset, identifier: String?)] {
            LivePhotoName.photos(of: video.file).lazy.flatMap { byName[$0] ?? [] }
        }
        for (video, identifier) in videos {
            let photo =
                identifier.flatMap { byIdentifier[$0] }
                ?? named(video).first { photo in
                    // Two identifiers that differ are of two live photos, whatever their names are.
                    let differ = identifier != nil && photo.identifier != nil
                    return !differ
                        && (MotionFilm.isNamed(video.file, of: photo.asset.file)
                            || isSameMoment(photo.asset, video))
                }?.asset
            guard let photo, partners[photo.id] == nil else { continue }
            partners[photo.id] = video.id
            partners[video.id] = photo.id
        }
        for (asset, _) in assets where asset.livePartner != partners[asset.id] {
            try database.execute(
                sql: "UPDATE asset SET livePartner = ? WHERE id = ?",
                arguments: [partners[asset.id], asset.id])
        }
    }

    /// Returns the rows that may be halves of live photos: a folder may have millions of others.
    private static func candidates(in folder: Int64, _ database: Database) throws -> [Row] {
        let videos = try Row.fetchAll(
            database, sql: "SELECT id, path, contentIdentifier FROM asset WHERE folder = ? AND kinds & ?",
            arguments: [folder, AssetKinds.video.rawValue])
        // The unary plus keeps SQLite from the index by folder.
        var ids = Set(
            try Int64.fetchAll(
                database, sql: "SELECT id FROM asset WHERE livePartner IS NOT NULL AND +folder = ?",
                arguments: [folder]))
        let byName = try database.cachedStatement(
            sql: "SELECT id FROM asset WHERE path >= ?1 || '.' AND path < ?1 || '/' AND +folder = ?2")
        let byIdentifier = try database.cachedStatement(
            sql: "SELECT id FROM asset WHERE contentIdentifier = ? AND +folder = ?")
        for video in videos {
            let path: String = video[1]
            ids.insert(video[0])
            for base in LivePhotoName.photos(of: FilePath(path)) {
                ids.formUnion(try Int64.fetchAll(byName, arguments: [base.text, folder]))
            }
            if let identifier = video[2] as String? {
                ids.formUnion(try Int64.fetchAll(byIdentifier, arguments: [identifier, folder]))
            }
        }
        let find = try database.cachedStatement(
            sql: "SELECT asset.*, NULL AS placeName FROM asset WHERE id = ?")
        return try ids.compactMap { try Row.fetchOne(find, arguments: [$0]) }
            .sorted { FilePath($0["path"] as String) < FilePath($1["path"] as String) }
    }

    /// Whether two dates are equal, by local time if a zone is unknown.
    private static func isSameMoment(_ photo: Asset, _ video: Asset) -> Bool {
        guard let a = photo.date, let b = video.date, !a.source.isGuess, !b.source.isGuess else {
            return false
        }
        if let first = a.instant, let second = b.instant { return abs(first - second) <= tolerance }
        return abs(a.local.wholeSeconds - b.local.wholeSeconds) <= tolerance
    }
}
