/// A catalog of version 0.1.0 in SQL: its schema, which must not be edited, and some rows.
///
/// Triggers create the rows of the tallies, the calendar, the album order and the search.
enum StoredCatalog {
    static let form = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        CREATE TABLE folder (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE);
        CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, country TEXT);
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
        CREATE TABLE album (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, position INTEGER NOT NULL);
        CREATE TABLE albumAsset (
            album INTEGER NOT NULL REFERENCES album(id) ON DELETE CASCADE,
            asset INTEGER NOT NULL REFERENCES asset(id) ON DELETE CASCADE,
            position INTEGER NOT NULL, PRIMARY KEY (album, asset)) WITHOUT ROWID;
        CREATE TABLE other (
            path TEXT PRIMARY KEY, folder TEXT NOT NULL, bytes INTEGER NOT NULL, modified INTEGER NOT NULL,
            inode INTEGER NOT NULL, reason TEXT) WITHOUT ROWID;
        CREATE VIRTUAL TABLE search USING fts5(
            path, title, caption, keywords, place, make, model, content = 'assetText', content_rowid = 'id',
            tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
        CREATE TABLE tally (
            grouping TEXT NOT NULL, code INTEGER NOT NULL, kinds INTEGER NOT NULL,
            number INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (grouping, code, kinds)) WITHOUT ROWID;
        CREATE TABLE change (sequence INTEGER PRIMARY KEY AUTOINCREMENT, asset INTEGER, what TEXT);
        CREATE TABLE fingerprint (
            sha256 BLOB PRIMARY KEY, pixels BLOB NOT NULL, difference INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE imported (
            source TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified INTEGER NOT NULL, path TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE albumOrder (
            album INTEGER NOT NULL, instant INTEGER NOT NULL, fraction INTEGER NOT NULL, path TEXT NOT NULL,
            id INTEGER NOT NULL, kinds INTEGER NOT NULL, hour INTEGER, week INTEGER, place INTEGER,
            bytes INTEGER NOT NULL, PRIMARY KEY (album, instant, fraction, path)) WITHOUT ROWID;
        CREATE TABLE calendar (
            album INTEGER NOT NULL, place INTEGER NOT NULL, hour INTEGER NOT NULL, kinds INTEGER NOT NULL,
            number INTEGER NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (album, place, hour, kinds)) WITHOUT ROWID;
        CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        CREATE VIEW assetText AS
            SELECT asset.id, path, title, caption, keywords,
                place.name || ifnull(', ' || place.country, '') AS place, make, model
            FROM asset LEFT JOIN place ON place.id = asset.place;
        CREATE INDEX assetByDate ON asset(instant, fraction, path, kinds, hour, week, place);
        CREATE INDEX assetByFolder ON asset(folder, instant, fraction, path, kinds, hour, week, place);
        CREATE INDEX assetByPlace ON asset(place, instant, fraction, path, kinds) WHERE place IS NOT NULL;
        CREATE INDEX assetByLocation ON asset(latitude, longitude) WHERE latitude IS NOT NULL;
        CREATE INDEX assetByFile ON asset(inode);
        CREATE INDEX assetByBytes ON asset(sha256);
        CREATE INDEX albumAssetByAsset ON albumAsset(asset);
        CREATE INDEX otherByFolder ON other(folder);
        CREATE INDEX fingerprintByPixels ON fingerprint(pixels);
        CREATE TRIGGER searchInserted AFTER INSERT ON asset BEGIN
            INSERT INTO search(rowid, path, title, caption, keywords, place, make, model)
                SELECT * FROM assetText WHERE id = new.id;
        END;
        CREATE TRIGGER searchDeleted BEFORE DELETE ON asset BEGIN
            INSERT INTO search(search, rowid, path, title, caption, keywords, place, make, model)
                SELECT 'delete', * FROM assetText WHERE id = old.id;
        END;
        CREATE TRIGGER searchUpdating BEFORE UPDATE OF path, title, caption, keywords, place, make, model ON
            asset WHEN old.path IS NOT new.path OR old.title IS NOT new.title OR old.caption IS NOT new.caption
            OR old.keywords IS NOT new.keywords OR old.place IS NOT new.place OR old.make IS NOT new.make OR
            old.model IS NOT new.model BEGIN
            INSERT INTO search(search, rowid, path, title, caption, keywords, place, make, model)
                SELECT 'delete', * FROM assetText WHERE id = old.id;
        END;
        CREATE TRIGGER searchUpdated AFTER UPDATE OF path, title, caption, keywords, place, make, model ON asset
            WHEN old.path IS NOT new.path OR old.title IS NOT new.title OR old.caption IS NOT new.caption OR
            old.keywords IS NOT new.keywords OR old.place IS NOT new.place OR old.make IS NOT new.make OR
            old.model IS NOT new.model BEGIN
            INSERT INTO search(rowid, path, title, caption, keywords, place, make, model)
                SELECT * FROM assetText WHERE id = new.id;
        END;
        CREATE TRIGGER tallyInserted AFTER INSERT ON asset BEGIN INSERT INTO tally VALUES ('hour',
            ifnull(new.hour, -1), new.kinds, 1, new.bytes), ('week', ifnull(new.week, -1), new.kinds, 1,
            new.bytes), ('place', ifnull(new.place, -1), new.kinds, 1, new.bytes), ('folder', new.folder,
            new.kinds, 1, new.bytes) ON CONFLICT DO UPDATE
            SET number = number + 1, bytes = bytes + excluded.bytes; END;
        CREATE TRIGGER tallyDeleted AFTER DELETE ON asset BEGIN UPDATE tally SET number = number - 1, bytes =
            bytes - old.bytes WHERE grouping = 'hour' AND code = ifnull(old.hour, -1) AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'hour' AND code = ifnull(old.hour, -1) AND kinds = old.kinds AND
            number = 0;
        UPDATE tally SET number = number - 1, bytes = bytes - old.bytes WHERE grouping = 'week' AND code =
            ifnull(old.week, -1) AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'week' AND code = ifnull(old.week, -1) AND kinds = old.kinds AND
            number = 0;
        UPDATE tally SET number = number - 1, bytes = bytes - old.bytes WHERE grouping = 'place' AND code =
            ifnull(old.place, -1) AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'place' AND code = ifnull(old.place, -1) AND kinds = old.kinds AND
            number = 0;
        UPDATE tally SET number = number - 1, bytes = bytes - old.bytes WHERE grouping = 'folder' AND code =
            old.folder AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'folder' AND code = old.folder AND kinds = old.kinds AND number = 0; END;
        CREATE TRIGGER tallyUpdated AFTER UPDATE OF hour, week, place, folder, kinds, bytes ON asset WHEN
            old.hour IS NOT new.hour OR old.week IS NOT new.week OR old.place IS NOT new.place OR old.folder IS
            NOT new.folder OR old.kinds IS NOT new.kinds OR old.bytes IS NOT new.bytes BEGIN
            INSERT INTO tally VALUES ('hour', ifnull(new.hour, -1), new.kinds, 1, new.bytes), ('week',
            ifnull(new.week, -1), new.kinds, 1, new.bytes), ('place', ifnull(new.place, -1), new.kinds, 1,
            new.bytes), ('folder', new.folder, new.kinds, 1, new.bytes) ON CONFLICT DO UPDATE
            SET number = number + 1, bytes = bytes + excluded.bytes; UPDATE tally SET number = number - 1, bytes
            = bytes - old.bytes WHERE grouping = 'hour' AND code = ifnull(old.hour, -1) AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'hour' AND code = ifnull(old.hour, -1) AND kinds = old.kinds AND
            number = 0;
        UPDATE tally SET number = number - 1, bytes = bytes - old.bytes WHERE grouping = 'week' AND code =
            ifnull(old.week, -1) AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'week' AND code = ifnull(old.week, -1) AND kinds = old.kinds AND
            number = 0;
        UPDATE tally SET number = number - 1, bytes = bytes - old.bytes WHERE grouping = 'place' AND code =
            ifnull(old.place, -1) AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'place' AND code = ifnull(old.place, -1) AND kinds = old.kinds AND
            number = 0;
        UPDATE tally SET number = number - 1, bytes = bytes - old.bytes WHERE grouping = 'folder' AND code =
            old.folder AND kinds = old.kinds;
        DELETE FROM tally WHERE grouping = 'folder' AND code = old.folder AND kinds = old.kinds AND number = 0;
        END;
        CREATE TRIGGER assetInserted AFTER INSERT ON asset BEGIN
            INSERT INTO change(asset, what) VALUES (new.id, 'inserted');
        END;
        CREATE TRIGGER assetUpdated AFTER UPDATE ON asset BEGIN
            INSERT INTO change(asset, what) VALUES (new.id, 'updated');
        END;
        CREATE TRIGGER assetDeleted AFTER DELETE ON asset BEGIN
            INSERT INTO change(asset, what) VALUES (old.id, 'removed');
        END;
        CREATE TRIGGER albumINSERT AFTER INSERT ON album BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER albumUPDATE AFTER UPDATE ON album BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER albumDELETE AFTER DELETE ON album BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER albumAssetINSERT AFTER INSERT ON albumAsset BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER albumAssetUPDATE AFTER UPDATE ON albumAsset BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER albumAssetDELETE AFTER DELETE ON albumAsset BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER folderINSERT AFTER INSERT ON folder BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER folderDELETE AFTER DELETE ON folder BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER placeUPDATE AFTER UPDATE ON place BEGIN
            INSERT INTO change(asset) VALUES (NULL);
        END;
        CREATE TRIGGER albumOrderInserted AFTER INSERT ON albumAsset BEGIN
            INSERT INTO albumOrder SELECT new.album, instant, fraction, path, id, kinds, hour, week, place, bytes
            FROM asset WHERE id = new.asset;
        END;
        CREATE TRIGGER albumOrderDeleted AFTER DELETE ON albumAsset BEGIN
            DELETE FROM albumOrder WHERE album = old.album
                AND (instant, fraction, path) = (SELECT instant, fraction, path FROM asset WHERE id = old.asset);
        END;
        CREATE TRIGGER albumOrderUpdated AFTER UPDATE OF instant, fraction, path, id, kinds, hour, week, place,
            bytes ON asset WHEN old.instant IS NOT new.instant OR old.fraction IS NOT new.fraction OR old.path IS
            NOT new.path OR old.id IS NOT new.id OR old.kinds IS NOT new.kinds OR old.hour IS NOT new.hour OR
            old.week IS NOT new.week OR old.place IS NOT new.place OR old.bytes IS NOT new.bytes BEGIN
            DELETE FROM albumOrder
            WHERE instant = old.instant AND fraction = old.fraction AND path = old.path
            AND album IN (SELECT album FROM albumAsset WHERE asset = old.id);
            INSERT INTO albumOrder SELECT albumAsset.album, instant, fraction, path, id, kinds, hour, week,
            place, bytes FROM albumAsset
                JOIN asset ON asset.id = albumAsset.asset WHERE asset.id = new.id;
        END;
        CREATE TRIGGER albumOrderAssetDeleted BEFORE DELETE ON asset BEGIN DELETE FROM albumOrder
            WHERE instant = old.instant AND fraction = old.fraction AND path = old.path
            AND album IN (SELECT album FROM albumAsset WHERE asset = old.id); END;
        CREATE TRIGGER calendarInserted AFTER INSERT ON asset BEGIN INSERT INTO calendar
            VALUES (0, ifnull(new.place, -1), ifnull(new.hour, -1), new.kinds, 1, new.bytes)
            ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes; END;
        CREATE TRIGGER calendarDeleted AFTER DELETE ON asset BEGIN UPDATE calendar SET number = number - 1, bytes
            = bytes - old.bytes WHERE album = 0 AND place = ifnull(old.place, -1) AND hour = ifnull(old.hour, -1)
        AND kinds = old.kinds;
        DELETE FROM calendar WHERE album = 0 AND place = ifnull(old.place, -1) AND hour = ifnull(old.hour, -1)
        AND kinds = old.kinds AND number = 0; END;
        CREATE TRIGGER calendarUpdated AFTER UPDATE OF place, hour, kinds, bytes ON asset WHEN old.place IS NOT
            new.place OR old.hour IS NOT new.hour OR old.kinds IS NOT new.kinds OR old.bytes IS NOT new.bytes BEGIN
            INSERT INTO calendar
            VALUES (0, ifnull(new.place, -1), ifnull(new.hour, -1), new.kinds, 1, new.bytes)
            ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes; UPDATE calendar SET
            number = number - 1, bytes = bytes - old.bytes WHERE album = 0 AND place = ifnull(old.place, -1) AND
            hour = ifnull(old.hour, -1)
        AND kinds = old.kinds;
        DELETE FROM calendar WHERE album = 0 AND place = ifnull(old.place, -1) AND hour = ifnull(old.hour, -1)
        AND kinds = old.kinds AND number = 0;
        END;
        CREATE TRIGGER calendarAlbumInserted AFTER INSERT ON albumOrder BEGIN
            INSERT INTO calendar
            VALUES (new.album, ifnull(new.place, -1), ifnull(new.hour, -1), new.kinds, 1, new.bytes)
            ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER calendarAlbumDeleted AFTER DELETE ON albumOrder BEGIN
            UPDATE calendar SET number = number - 1, bytes = bytes - old.bytes WHERE album = old.album AND place
            = ifnull(old.place, -1) AND hour = ifnull(old.hour, -1)
        AND kinds = old.kinds;
        DELETE FROM calendar WHERE album = old.album AND place = ifnull(old.place, -1) AND hour =
            ifnull(old.hour, -1)
        AND kinds = old.kinds AND number = 0;
        END;
        """

    static let rows = """
        INSERT INTO grdb_migrations VALUES
            ('assets, groups and what is counted of them'),
            ('fingerprints of pixels'),
            ('what was imported'),
            ('albums in order, hours and places'),
            ('no dates from times of files'),
            ('countries of places');
        INSERT INTO folder VALUES (1, ''), (2, 'sea/2014');
        INSERT INTO place(id, name, country) VALUES (1, 'Nyon, Vaud, CH', 'Switzerland');
        INSERT INTO asset(id, path, folder, kinds, format, width, height, date, utcOffset, dateSource, zoneSource,
            instant, fraction, hour, week, latitude, longitude, altitude, accuracy, locationSource, place, make,
            model, title, caption, keywords, bytes, modified, inode, sha256, sidecar, sidecarBytes,
            sidecarModified, contentIdentifier, livePartner, burst)
        VALUES (1, 'sea/2014/a.jpg', 2, 5, 'jpeg', 4032, 3024, '2014-05-25T10:00:00.25', 120,
            'SubSecDateTimeOriginal', 'tag:OffsetTimeOriginal', 1401004800, 250000000, 2014052510, 20140519,
            46.38, 6.24, 380.5, 5, 'EXIF', 1, 'Apple', 'iPhone 5s', 'The lake', 'Before rain', 'water' || char(10)
            || 'clouds', 2000001, 1401004801123456789, 77, x'0000000000000000000000000000000000000000000000000000000000000001', 'sea/2014/a.jpg.xmp', 300,
            1401004802000000000, 'live-1', 2, 'burst-1');
        INSERT INTO asset(id, path, folder, kinds, format, width, height, duration, date, dateSource, instant,
            fraction, hour, week, bytes, modified, inode, sha256, contentIdentifier, livePartner)
        VALUES (2, 'sea/2014/a.mov', 2, 2, 'mov', 1920, 1080, 2.75, '2014-05-25T10:00:01', 'CreateDate',
            1401012001, 0, 2014052510, 20140519, 3000002, 1401004803000000000, 78, zeroblob(31) || x'02',
            'live-1', 1);
        INSERT INTO asset(id, path, folder, kinds, format, date, dateSource, instant, fraction, hour, week, bytes,
            modified, inode, sha256)
        VALUES (5, 'scan.png', 1, 25, 'png', '1899-12-31', 'FileName', -2208988800, 0, 1899123100, 18991225, 5,
            -1, 79, zeroblob(31) || x'05');
        INSERT INTO asset(id, path, folder, kinds, format, instant, fraction, bytes, modified, inode, sha256)
        VALUES (9, 'undated.jpg', 1, 5, 'jpeg', 9223372036854775807, 0, 7, 1, 80, zeroblob(31) || x'09');
        INSERT INTO album VALUES (1, 'Picks', 0), (2, 'Sea', 1);
        INSERT INTO albumAsset VALUES (1, 5, 1), (2, 2, 1), (2, 1, 2);
        INSERT INTO other VALUES ('notes.txt', '', 3, 4, 5, NULL);
        INSERT INTO fingerprint VALUES (zeroblob(31) || x'01', zeroblob(32), 42);
        INSERT INTO imported VALUES ('/card/a.jpg', 2000001, 6, 'sea/2014/a.jpg');
        INSERT INTO setting VALUES ('towns', 12345);
        """
}
