/// What is asked of albums, and of dates and places together, is answered from these, however much there is.
extension Catalog {
    /// The assets of albums in the order of their dates, with what collections ask of them.
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

    /// What `albumOrder` has of an asset.
    static let ordered = "instant, fraction, path, id, kinds, hour, week, place, bytes"

    private static let leaving = """
        DELETE FROM albumOrder
            WHERE instant = old.instant AND fraction = old.fraction AND path = old.path
            AND album IN (SELECT album FROM albumAsset WHERE asset = old.id);
        """

    /// How many assets of which kinds there are of each hour and place, and their bytes: in every album, and in the
    /// library, which has the number 0.
    ///
    /// The place and the hour -1 are those of assets that have none.
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

    /// Brings in what libraries have that were made before.
    static let counted = """
        INSERT INTO calendar
            SELECT 0, ifnull(place, -1), ifnull(hour, -1), kinds, count(*), sum(bytes) FROM asset GROUP BY 2, 3, 4;
        INSERT INTO albumOrder
            SELECT albumAsset.album, \(ordered) FROM albumAsset JOIN asset ON asset.id = albumAsset.asset;
        """
}
