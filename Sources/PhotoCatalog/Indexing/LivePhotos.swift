internal import GRDB
internal import ImageMetadata

/// The photo and the video that were taken together.
enum LivePhotos {
    /// The maximum difference of the dates of two files of one name, in seconds.
    private static let tolerance = 3

    /// Pairs photos and videos of a folder by their common identifier, else by name and date.
    static func pair(in folder: Int64, _ database: Database) throws {
        let rows = try Row.fetchAll(
            database, sql: "SELECT asset.*, NULL AS placeName FROM asset WHERE folder = ? ORDER BY path",
            arguments: [folder])
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
        let byName = Dictionary(grouping: photos.map(\.asset)) { Sidecars.base(of: $0.name) }
        for (video, identifier) in videos {
            let photo =
                identifier.flatMap { byIdentifier[$0] }
                ?? byName[Sidecars.base(of: video.name)]?.first { isSameMoment($0, video) }
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

    /// Whether two dates are equal, by local time if a zone is unknown.
    private static func isSameMoment(_ photo: Asset, _ video: Asset) -> Bool {
        guard let a = photo.date, let b = video.date, !a.source.isGuess, !b.source.isGuess else {
            return false
        }
        if let first = a.instant, let second = b.instant { return abs(first - second) <= tolerance }
        return abs(a.local.wholeSeconds - b.local.wholeSeconds) <= tolerance
    }
}
