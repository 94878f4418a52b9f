internal import Assets
internal import GRDB

extension CatalogStore {
    /// The migrations to the current schema; a published migration never changes.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("assets, groups and what is counted of them") { database in
            try database.execute(sql: tables)
            try database.execute(sql: search)
            try database.execute(sql: tallies)
            try database.execute(sql: changes)
        }
        migrator.registerMigration("fingerprints of pixels") { try $0.execute(sql: fingerprints) }
        migrator.registerMigration("what was imported") { try $0.execute(sql: imports) }
        migrator.registerMigration("albums in order, hours and places") { database in
            try database.execute(sql: albumOrder)
            try database.execute(sql: calendar)
            try database.execute(sql: counted)
        }
        migrator.registerMigration("no dates from times of files", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: undating, arguments: [Asset.undated])
            try ChangeLog.trim(database)
        }
        migrator.registerMigration("countries of places", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: countries)
            try ChangeLog.trim(database)
        }
        migrator.registerMigration("ratings, labels, lenses and operations") { database in
            try database.execute(sql: ratings)
            try database.execute(sql: OperationLog.tables)
        }
        migrator.registerMigration("what was described by sidecars of a Takeout") {
            try $0.execute(sql: descriptions)
        }
        migrator.registerMigration("duplicates that are kept, unfinished operations") { database in
            try database.execute(sql: keptGroups)
            try database.execute(sql: OperationLog.finishing)
            try database.execute(sql: liveIndexes)
        }
        migrator.registerMigration("paths by their bytes", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: bytewise)
            try ChangeLog.trim(database)
        }
        migrator.registerMigration("faults of sidecars") { database in
            try database.execute(sql: sidecarFaults)
            try ChangeLog.trim(database)
        }
        migrator.registerMigration("checksums of sources") { try $0.execute(sql: sourceDigests) }
        migrator.registerMigration("the ledger of imports") { try $0.execute(sql: ImportLedger.tables) }
        migrator.registerMigration("shares") { try $0.execute(sql: Share.tables) }
        migrator.registerMigration("stacks", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: StackTables.all)
            try Stacking(database).update()
            try ChangeLog.trim(database)
        }
        migrator.registerMigration("annotations") { try $0.execute(sql: Annotation.tables) }
        migrator.registerMigration("other files by their sizes") {
            try $0.execute(sql: "CREATE INDEX otherByBytes ON other(bytes)")
        }
        migrator.registerMigration("files that are cut") {
            try $0.execute(sql: "ALTER TABLE asset ADD COLUMN damage TEXT")
        }
        return migrator
    }

    /// Assets, folders, places and albums.
    ///
    /// `instant` sorts by date; undated assets have the greatest. `hour` and `week` are keys by the asset's wall
    /// clock, from which the keys of years, months and days follow; NULL for undated assets. `other` holds files
    /// that are not photos or videos, and files that could not be read with the reason.
    private static let tables = """
        CREATE TABLE folder (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE);
        CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE asset (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            path TEXT NOT NULL UNIQUE, folder INTEGER NOT NULL REFERENCES folder(id),
            kinds INTEGER NOT NULL, format TEXT NOT NULL,
            width INTEGER, height INTEGER, duration REAL,
            date TEXT, utcOffset INTEGER, dateSource TEXT, zoneSource TEXT,
            instant INTEGER NOT NULL, fraction INTEGER NOT NULL, hour INTEGER, week INTEGER,
            latitude REAL, longitude REAL, altitude REAL, accuracy REAL, locationSource TEXT,
            place INTEGER REFERENCES place(id),
            make TEXT, model TEXT, title TEXT, caption TEXT, keywords TEXT,
            bytes INTEGER NOT NULL, modified INTEGER NOT NULL, inode INTEGER NOT NULL,
            sha256 BLOB NOT NULL,
            sidecar TEXT, sidecarBytes INTEGER, sidecarModified INTEGER,
            contentIdentifier TEXT, livePartner INTEGER, burst TEXT
        );
        CREATE INDEX assetByDate ON asset(instant, fraction, path, kinds, hour, week, place);
        CREATE INDEX assetByFolder ON asset(folder, instant, fraction, path, kinds, hour, week, place);
        CREATE INDEX assetByPlace ON asset(place, instant, fraction, path, kinds) WHERE place IS NOT NULL;
        CREATE INDEX assetByLocation ON asset(latitude, longitude) WHERE latitude IS NOT NULL;
        CREATE INDEX assetByFile ON asset(inode);
        CREATE INDEX assetByBytes ON asset(sha256);
        CREATE TABLE album (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, position INTEGER NOT NULL);
        INSERT INTO album VALUES (1, 'Picks', 0);
        CREATE TABLE albumAsset (
            album INTEGER NOT NULL REFERENCES album(id) ON DELETE CASCADE,
            asset INTEGER NOT NULL REFERENCES asset(id) ON DELETE CASCADE,
            position INTEGER NOT NULL, PRIMARY KEY (album, asset)) WITHOUT ROWID;
        CREATE INDEX albumAssetByAsset ON albumAsset(asset);
        CREATE TABLE other (
            path TEXT PRIMARY KEY, folder TEXT NOT NULL, bytes INTEGER NOT NULL, modified INTEGER NOT NULL,
            inode INTEGER NOT NULL, reason TEXT) WITHOUT ROWID;
        CREATE INDEX otherByFolder ON other(folder);
        """

    /// Removes dates that were modification times, of the file or in a PNG.
    ///
    /// The file's time is still in `modified`.
    private static let undating = """
        UPDATE asset SET date = NULL, utcOffset = NULL, dateSource = NULL, zoneSource = NULL, instant = ?,
            fraction = 0, hour = NULL, week = NULL
        WHERE dateSource IN ('FileModifyDate', 'PNG:ModifyDate')
        """

    /// Adds columns that older versions did not read; `reading` is the version that has read a file.
    private static let ratings = """
        ALTER TABLE asset ADD COLUMN lens TEXT;
        ALTER TABLE asset ADD COLUMN rating INTEGER;
        ALTER TABLE asset ADD COLUMN label TEXT;
        ALTER TABLE asset ADD COLUMN turn INTEGER;
        ALTER TABLE asset ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
        """

    /// Adds the faults of sidecars; photos with sidecars are read again, because some were not read, and none reported.
    private static let sidecarFaults = """
        ALTER TABLE asset ADD COLUMN sidecarFault TEXT;
        UPDATE asset SET reading = 0 WHERE sidecar IS NOT NULL;
        """

    /// Finds the halves of live photos without a look at all assets.
    private static let liveIndexes = """
        CREATE INDEX assetByLivePartner ON asset(livePartner) WHERE livePartner IS NOT NULL;
        CREATE INDEX assetByLiveIdentifier ON asset(contentIdentifier) WHERE contentIdentifier IS NOT NULL;
        """

    /// Corrects what was derived from paths as texts, which are equal in any form of accents, and have no "/" where a
    /// combining mark follows it.
    ///
    /// Files whose names begin with a mark were in a wrong folder, from which every other indexing removed them. Films with
    /// accents in their names may lack their photo: the next indexing reads them again and pairs them.
    private static let bytewise = """
        INSERT OR IGNORE INTO folder(path) SELECT \(folder(of: "asset")) FROM asset WHERE path GLOB '*/[^ -~]*';
        UPDATE asset SET folder = (SELECT id FROM folder WHERE folder.path = \(folder(of: "asset")))
            WHERE path GLOB '*/[^ -~]*';
        UPDATE other SET folder = \(folder(of: "other")) WHERE path GLOB '*/[^ -~]*';
        UPDATE asset SET reading = 0 WHERE kinds & 2 AND path GLOB '*[^ -~]*';
        """

    /// The path up to the last slash: the bytes that are not slashes are trimmed from its end.
    private static func folder(of row: String) -> String {
        "rtrim(rtrim(\(row).path, replace(\(row).path, '/', '')), '/')"
    }

    /// Adds country names to the search, and a table for settings of the library.
    private static let countries = """
        CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        ALTER TABLE place ADD COLUMN country TEXT;
        INSERT INTO search(search, rowid, path, title, caption, keywords, place, make, model)
            SELECT 'delete', * FROM assetText WHERE place IS NOT NULL;
        UPDATE place SET country = countryOf(name);
        DROP VIEW assetText;
        CREATE VIEW assetText AS
            SELECT asset.id, path, title, caption, keywords,
                place.name || ifnull(', ' || place.country, '') AS place, make, model
            FROM asset LEFT JOIN place ON place.id = asset.place;
        INSERT INTO search(rowid, path, title, caption, keywords, place, make, model)
            SELECT * FROM assetText WHERE place IS NOT NULL;
        """

    /// Full-text search; FTS5 reads the texts from the view, so that they are stored once.
    private static let search = """
        CREATE VIEW assetText AS
            SELECT asset.id, path, title, caption, keywords, place.name AS place, make, model
            FROM asset LEFT JOIN place ON place.id = asset.place;
        CREATE VIRTUAL TABLE search USING fts5(
            path, title, caption, keywords, place, make, model, content = 'assetText', content_rowid = 'id',
            tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
        CREATE TRIGGER searchInserted AFTER INSERT ON asset BEGIN
            INSERT INTO search(rowid, path, title, caption, keywords, place, make, model)
                SELECT * FROM assetText WHERE id = new.id;
        END;
        CREATE TRIGGER searchDeleted BEFORE DELETE ON asset BEGIN
            INSERT INTO search(search, rowid, path, title, caption, keywords, place, make, model)
                SELECT 'delete', * FROM assetText WHERE id = old.id;
        END;
        CREATE TRIGGER searchUpdating BEFORE UPDATE OF \(searched) ON asset WHEN \(differs(searched)) BEGIN
            INSERT INTO search(search, rowid, path, title, caption, keywords, place, make, model)
                SELECT 'delete', * FROM assetText WHERE id = old.id;
        END;
        CREATE TRIGGER searchUpdated AFTER UPDATE OF \(searched) ON asset WHEN \(differs(searched)) BEGIN
            INSERT INTO search(rowid, path, title, caption, keywords, place, make, model)
                SELECT * FROM assetText WHERE id = new.id;
        END;
        """

    private static let searched = "path, title, caption, keywords, place, make, model"
    private static let tallied = "hour, week, place, folder, kinds, bytes"

    /// The number of assets with each key by kinds, and their bytes.
    ///
    /// Entries of a grouping are read from it, regardless of the number of assets. The code -1 stands for assets
    /// without a key.
    private static let tallies = """
        CREATE TABLE tally (
            grouping TEXT NOT NULL, code INTEGER NOT NULL, kinds INTEGER NOT NULL,
            number INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (grouping, code, kinds)) WITHOUT ROWID;
        CREATE TRIGGER tallyInserted AFTER INSERT ON asset BEGIN \(adding("new")) END;
        CREATE TRIGGER tallyDeleted AFTER DELETE ON asset BEGIN \(subtracting("old")) END;
        CREATE TRIGGER tallyUpdated AFTER UPDATE OF \(tallied) ON asset WHEN \(differs(tallied)) BEGIN
            \(adding("new")) \(subtracting("old"))
        END;
        """

    private static func keys(_ row: String) -> [(grouping: String, key: String)] {
        [
            ("hour", "ifnull(\(row).hour, -1)"), ("week", "ifnull(\(row).week, -1)"),
            ("place", "ifnull(\(row).place, -1)"), ("folder", "\(row).folder"),
        ]
    }

    private static func adding(_ row: String) -> String {
        let rows = keys(row).map { "('\($0.grouping)', \($0.key), \(row).kinds, 1, \(row).bytes)" }
        return """
            INSERT INTO tally VALUES \(rows.joined(separator: ", ")) ON CONFLICT DO UPDATE
                SET number = number + 1, bytes = bytes + excluded.bytes;
            """
    }

    private static func subtracting(_ row: String) -> String {
        keys(row).map { grouping, key in
            let condition = "grouping = '\(grouping)' AND code = \(key) AND kinds = \(row).kinds"
            return """
                UPDATE tally SET number = number - 1, bytes = bytes - \(row).bytes WHERE \(condition);
                DELETE FROM tally WHERE \(condition) AND number = 0;
                """
        }.joined(separator: "\n")
    }

    /// The log of changes, for notifications in this and other processes.
    ///
    /// Rows without an asset mean that groups changed. The oldest rows are dropped.
    private static let changes = """
        CREATE TABLE change (sequence INTEGER PRIMARY KEY AUTOINCREMENT, asset INTEGER, what TEXT);
        CREATE TRIGGER assetInserted AFTER INSERT ON asset BEGIN
            INSERT INTO change(asset, what) VALUES (new.id, 'inserted');
        END;
        CREATE TRIGGER assetUpdated AFTER UPDATE ON asset BEGIN
            INSERT INTO change(asset, what) VALUES (new.id, 'updated');
        END;
        CREATE TRIGGER assetDeleted AFTER DELETE ON asset BEGIN
            INSERT INTO change(asset, what) VALUES (old.id, 'removed');
        END;
        \(noticed("album", "INSERT", "UPDATE", "DELETE"))
        \(noticed("albumAsset", "INSERT", "UPDATE", "DELETE"))
        \(noticed("folder", "INSERT", "DELETE"))
        \(noticed("place", "UPDATE"))
        """

    private static func noticed(_ table: String, _ events: String...) -> String {
        events.map { event in
            """
            CREATE TRIGGER \(table)\(event) AFTER \(event) ON \(table) BEGIN
                INSERT INTO change(asset) VALUES (NULL);
            END;
            """
        }.joined(separator: "\n")
    }

    /// The condition that one of the columns of a row has changed.
    static func differs(_ columns: String) -> String {
        columns.split(separator: ", ").map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    }
}

/// Tables that answer queries of albums, and of dates and places together, in time independent of their size.
extension CatalogStore {
    /// The assets of albums by date, with the columns that collections need.
    static let albumOrder = """
        CREATE TABLE albumOrder (
            album INTEGER NOT NULL, instant INTEGER NOT NULL, fraction INTEGER NOT NULL, path TEXT NOT NULL,
            id INTEGER NOT NULL, kinds INTEGER NOT NULL, hour INTEGER, week INTEGER, place INTEGER,
            bytes INTEGER NOT NULL, PRIMARY KEY (album, instant, fraction, path)) WITHOUT ROWID;
        CREATE TRIGGER albumOrderInserted AFTER INSERT ON albumAsset BEGIN
            INSERT INTO albumOrder SELECT new.album, \(ordered) FROM asset WHERE id = new.asset;
        END;
        CREATE TRIGGER albumOrderDeleted AFTER DELETE ON albumAsset BEGIN
            DELETE FROM albumOrder WHERE album = old.album
                AND (instant, fraction, path) = (SELECT instant, fraction, path FROM asset WHERE id = old.asset);
        END;
        CREATE TRIGGER albumOrderUpdated AFTER UPDATE OF \(ordered) ON asset WHEN \(differs(ordered)) BEGIN
            \(leaving)
            INSERT INTO albumOrder SELECT albumAsset.album, \(ordered) FROM albumAsset
                JOIN asset ON asset.id = albumAsset.asset WHERE asset.id = new.id;
        END;
        CREATE TRIGGER albumOrderAssetDeleted BEFORE DELETE ON asset BEGIN \(leaving) END;
        """

    /// The columns of `albumOrder` that are copied from the asset.
    package static let ordered = "instant, fraction, path, id, kinds, hour, week, place, bytes"

    private static let leaving = """
        DELETE FROM albumOrder
            WHERE instant = old.instant AND fraction = old.fraction AND path = old.path
            AND album IN (SELECT album FROM albumAsset WHERE asset = old.id);
        """

    /// The number of assets by album, hour, place and kinds, and their bytes; the whole library is album 0.
    ///
    /// The place and the hour -1 stand for assets without one.
    static let calendar = """
        CREATE TABLE calendar (
            album INTEGER NOT NULL, place INTEGER NOT NULL, hour INTEGER NOT NULL, kinds INTEGER NOT NULL,
            number INTEGER NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (album, place, hour, kinds)) WITHOUT ROWID;
        CREATE TRIGGER calendarInserted AFTER INSERT ON asset BEGIN \(adding("0", "new")) END;
        CREATE TRIGGER calendarDeleted AFTER DELETE ON asset BEGIN \(subtracting("0", "old")) END;
        CREATE TRIGGER calendarUpdated AFTER UPDATE OF \(noted) ON asset WHEN \(differs(noted)) BEGIN
            \(adding("0", "new")) \(subtracting("0", "old"))
        END;
        CREATE TRIGGER calendarAlbumInserted AFTER INSERT ON albumOrder BEGIN
            \(adding("new.album", "new"))
        END;
        CREATE TRIGGER calendarAlbumDeleted AFTER DELETE ON albumOrder BEGIN
            \(subtracting("old.album", "old"))
        END;
        """

    private static let noted = "place, hour, kinds, bytes"

    private static func adding(_ album: String, _ row: String) -> String {
        """
        INSERT INTO calendar
            VALUES (\(album), ifnull(\(row).place, -1), ifnull(\(row).hour, -1), \(row).kinds, 1, \(row).bytes)
            ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes;
        """
    }

    private static func subtracting(_ album: String, _ row: String) -> String {
        let condition = """
            album = \(album) AND place = ifnull(\(row).place, -1) AND hour = ifnull(\(row).hour, -1)
            AND kinds = \(row).kinds
            """
        return """
            UPDATE calendar SET number = number - 1, bytes = bytes - \(row).bytes WHERE \(condition);
            DELETE FROM calendar WHERE \(condition) AND number = 0;
            """
    }

    /// Fills both tables for existing libraries.
    static let counted = """
        INSERT INTO calendar
            SELECT 0, ifnull(place, -1), ifnull(hour, -1), kinds, count(*), sum(bytes) FROM asset GROUP BY 2, 3, 4;
        INSERT INTO albumOrder
            SELECT albumAsset.album, \(ordered) FROM albumAsset JOIN asset ON asset.id = albumAsset.asset;
        """
}

/// Tables of the modules above, which read and write them.
extension CatalogStore {
    /// Digests of pixels, keyed by the digest of the file, so that they stay valid when the file is moved.
    private static let fingerprints = """
        CREATE TABLE fingerprint (
            sha256 BLOB PRIMARY KEY, pixels BLOB NOT NULL, difference INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX fingerprintByPixels ON fingerprint(pixels);
        """

    /// Imported sources, so that a repeated import does not read them again.
    private static let imports = """
        CREATE TABLE imported (
            source TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified INTEGER NOT NULL, path TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// The files whose values from a Takeout were written, so that a repeated import does not undo later edits.
    private static let descriptions = """
        CREATE TABLE described (source TEXT PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID;
        """

    /// The checksums of files outside of the library, by their identity; entries of archives by the position of their
    /// header, others have -1.
    private static let sourceDigests = """
        CREATE TABLE sourceDigest (
            device INTEGER NOT NULL, inode INTEGER NOT NULL, entry INTEGER NOT NULL, bytes INTEGER NOT NULL,
            modified INTEGER NOT NULL, changed INTEGER NOT NULL, sha256 BLOB NOT NULL,
            PRIMARY KEY (device, inode, entry)) WITHOUT ROWID;
        """

    /// The groups of duplicates of which all members are to be kept.
    private static let keptGroups = """
        CREATE TABLE keptTogether (
            mark INTEGER NOT NULL, asset INTEGER NOT NULL, PRIMARY KEY (mark, asset)) WITHOUT ROWID;
        """
}
