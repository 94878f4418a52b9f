internal import GRDB
internal import ImageMetadata
internal import ViewportGeometry

extension Asset {
    /// What a row has to be selected with.
    static let selection =
        "SELECT asset.*, place.name AS placeName FROM asset LEFT JOIN place ON place.id = asset.place"

    /// The instant of undated assets: they come last.
    static let undated = Int.max

    init(_ row: Row) {
        self.init(
            id: row["id"], path: row["path"], kinds: AssetKinds(rawValue: row["kinds"]),
            format: FileFormat(rawValue: row["format"]) ?? .jpeg,
            bytes: row["bytes"], modified: row["modified"], sha256: Hexadecimal.text(row["sha256"]))
        if let width = row["width"] as Int?, let height = row["height"] as Int? {
            size = PixelSize(width: width, height: height)
        }
        duration = row["duration"]
        date = CaptureDate(row)
        if let latitude = row["latitude"] as Double?, let longitude = row["longitude"] as Double? {
            location = Location(
                latitude: latitude, longitude: longitude, altitude: row["altitude"],
                accuracy: row["accuracy"],
                source: (row["locationSource"] as String?).flatMap(LocationSource.init(rawValue:)) ?? .exif)
        }
        place = row["placeName"]
        make = row["make"]
        model = row["model"]
        title = row["title"]
        caption = row["caption"]
        keywords = (row["keywords"] as String?)?.split(separator: "\n").map(String.init) ?? []
        sidecar = row["sidecar"]
        livePartner = row["livePartner"]
        burst = row["burst"]
    }
}

extension FileRecord {
    init(_ row: Row) {
        self.init(
            inode: row["inode"], sidecarBytes: row["sidecarBytes"], sidecarModified: row["sidecarModified"],
            contentIdentifier: row["contentIdentifier"])
    }
}
