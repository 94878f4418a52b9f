package import Assets
internal import Basics
internal import Foundation
internal import GRDB
internal import ImageMetadata
internal import Places
internal import ViewportGeometry

extension Asset {
    /// The selection that `init(_:)` reads.
    static let selection = """
        SELECT asset.*, place.name AS placeName,
            (SELECT count(*) FROM asset AS member WHERE member.stack = asset.stack) AS stackCount
        FROM asset LEFT JOIN place ON place.id = asset.place
        """

    init(_ row: Row) {
        self.init(
            id: row["id"], path: row["path"], kinds: AssetKinds(rawValue: row["kinds"]),
            format: FileFormat(rawValue: row["format"]) ?? .jpeg,
            bytes: row["bytes"], modifiedNanoseconds: row["modified"],
            sha256: (row["sha256"] as Data).hexadecimal)
        if let width = row["width"] as Int?, let height = row["height"] as Int? {
            size = PixelSize(width: width, height: height)
        }
        seconds = row["duration"]
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
        lens = row["lens"]
        rating = row["rating"]
        label = row["label"]
        turn = (row["turn"] as Int?).flatMap { Orientation(rawValue: $0) } ?? .up
        title = row["title"]
        caption = row["caption"]
        keywords = (row["keywords"] as String?)?.split(separator: "\n").map(String.init) ?? []
        sidecar = row["sidecar"]
        livePartner = row["livePartner"]
        burst = row["burst"]
        stack = row["stack"]
        if stack != nil { stackCount = row["stackCount"] }
    }
}

extension FileRecord {
    init(_ row: Row) {
        self.init(
            inode: row["inode"], sidecarBytes: row["sidecarBytes"], sidecarModified: row["sidecarModified"])
        (contentIdentifier, sidecarFault) = (row["contentIdentifier"], row["sidecarFault"])
        damage = row["damage"]
    }
}

/// The properties by which the catalog recognizes the file of an asset.
package struct FileRecord: Equatable, Sendable {
    /// The version of what is read; files that an earlier version has read are read again.
    package static let reading = 4

    package var inode: Int64 = 0
    package var sidecarBytes: Int?
    package var sidecarModified: Int?
    /// Equal for the photo and the video of a live photo.
    package var contentIdentifier: String?
    /// Why the sidecar was not read, as the end of a sentence about the asset.
    package var sidecarFault: String?
    /// What is missing of the file.
    package var damage: String?
    /// Why a stated position does not count; it is reported once, and not stored.
    package var positionFault: String?

    package init(inode: Int64 = 0, sidecarBytes: Int? = nil, sidecarModified: Int? = nil) {
        (self.inode, self.sidecarBytes, self.sidecarModified) = (inode, sidecarBytes, sidecarModified)
    }
}

extension Asset {
    private static let columns = [
        "path", "folder", "kinds", "format", "width", "height", "duration", "date", "utcOffset", "dateSource",
        "zoneSource", "instant", "fraction", "hour", "week", "latitude", "longitude", "altitude", "accuracy",
        "locationSource", "place", "make", "model", "title", "caption", "keywords", "bytes", "modified",
        "inode",
        "sha256", "sidecar", "sidecarBytes", "sidecarModified", "contentIdentifier", "burst", "lens",
        "rating",
        "label", "turn", "reading", "sidecarFault", "damage",
    ]

    private static let insertion = """
        INSERT INTO asset(\(columns.joined(separator: ", ")), id)
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")), nullif(?, 0))
        """
    private static let update =
        "UPDATE asset SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"

    /// Inserts a row and returns its identifier, which is new if the asset's is 0.
    @discardableResult
    func insert(_ file: FileRecord = FileRecord(), _ database: Database) throws -> ID {
        try noteMissingPlace(database)
        let statement = try database.cachedStatement(sql: Self.insertion)
        try statement.execute(arguments: values(file, database))
        return database.lastInsertedRowID
    }

    /// Updates all columns except the partner of a live photo.
    func update(_ file: FileRecord, _ database: Database) throws {
        try noteMissingPlace(database)
        let statement = try database.cachedStatement(sql: Self.update)
        try statement.execute(arguments: values(file, database))
    }

    /// Requests that places are named again if this asset has none.
    private func noteMissingPlace(_ database: Database) throws {
        if location != nil, place == nil { try Catalog(database).forgetTowns() }
    }

    private func values(_ file: FileRecord, _ database: Database) throws -> StatementArguments {
        let values: [(any DatabaseValueConvertible)?] = [
            path, try Self.folder(folder, database), kinds.rawValue, format.rawValue, size?.width,
            size?.height,
            seconds, date?.storedText, date?.offset?.minutes, date?.source.rawValue, date?.zoneSource?.stored,
            date?.orderedInstant ?? Self.undated, date?.local.nanoseconds ?? 0, date?.hourKey,
            date?.weekKey, location?.latitude, location?.longitude, location?.altitude,
            location?.accuracy,
            location?.source.rawValue, try place.map { try Self.place($0, database) }, make, model, title,
            caption,
            keywords.isEmpty ? nil : keywords.joined(separator: "\n"), bytes, modifiedNanoseconds, file.inode,
            Data([UInt8](hexadecimal: sha256) ?? []), sidecar, file.sidecarBytes, file.sidecarModified,
            file.contentIdentifier, burst, lens, rating, label, turn == .up ? nil : turn.rawValue,
            FileRecord.reading, file.sidecarFault, file.damage,
            id,
        ]
        return StatementArguments(values)
    }

    /// Returns the row of a folder, which is inserted if it is missing.
    static func folder(_ path: String, _ database: Database) throws -> Int64 {
        let find = try database.cachedStatement(sql: "SELECT id FROM folder WHERE path = ?")
        if let id = try Int64.fetchOne(find, arguments: [path]) { return id }
        try database.execute(sql: "INSERT INTO folder(path) VALUES (?)", arguments: [path])
        return database.lastInsertedRowID
    }

    /// Returns the row of a place, which is inserted if it is missing.
    static func place(_ name: String, _ database: Database) throws -> Int64 {
        let find = try database.cachedStatement(sql: "SELECT id FROM place WHERE name = ?")
        if let id = try Int64.fetchOne(find, arguments: [name]) { return id }
        try database.execute(
            sql: "INSERT INTO place(name, country) VALUES (?, ?)",
            arguments: [name, Country(ofPlace: name)?.names])
        return database.lastInsertedRowID
    }
}

/// Dates are stored as "2014-05-25T10:00:00.25", without what is unknown: "2014-05-25T10:00", "2014-05-25", "2014-05",
/// "2014".
extension CaptureDate {
    init?(_ row: Row) {
        guard let text = row["date"] as String?, let local = WallClock(stored: text),
            let source = (row["dateSource"] as String?).flatMap(DateSource.init(rawValue:))
        else { return nil }
        self.init(
            local: local, precision: DatePrecision.allCases.first { $0.length == text.utf8.count } ?? .second,
            offset: (row["utcOffset"] as Int?).flatMap { UTCOffset(minutes: $0) }, source: source,
            zoneSource: (row["zoneSource"] as String?).map { ZoneSource(stored: $0) })
    }
}

extension WallClock {
    init?(stored text: String) {
        func number(_ range: Range<Int>) -> Int? {
            guard utf8.count >= range.upperBound else { return nil }
            return utf8[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        let utf8 = Array(text.utf8)
        guard let year = number(0..<4) else { return nil }
        self.init(
            year: year, month: number(5..<7) ?? 1, day: number(8..<10) ?? 1, hour: number(11..<13) ?? 0,
            minute: number(14..<16) ?? 0,
            second: number(17..<19) ?? 0, fraction: String(decoding: utf8.dropFirst(20), as: UTF8.self))
    }
}

extension ZoneSource {
    package init(stored text: String) {
        let name = String(text.drop { $0 != ":" }.dropFirst())
        switch text.prefix(while: { $0 != ":" }) {
        case "tag": self = .tag(name)
        case "text": self = .inText
        case "assumed": self = .assumed(name)
        default: self = .definition
        }
    }
}
