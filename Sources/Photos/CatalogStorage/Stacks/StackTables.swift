internal import Assets

/// The tables of stacks.
///
/// `asset.stack` is the cover of the asset's stack: of a cover, itself; NULL outside of stacks. The others of a stack have the
/// kind `behind`, too, so that the counts of entries tell them. `restacking` has the folders and days around which stacks have to
/// be made again; triggers fill it, so that nothing is missed if a process is killed.
enum StackTables {
    static let all = """
        ALTER TABLE asset ADD COLUMN stack INTEGER;
        CREATE INDEX assetByStack ON asset(stack) WHERE stack IS NOT NULL;
        CREATE INDEX assetByBurst ON asset(burst) WHERE burst IS NOT NULL;
        CREATE TABLE stackCover (asset INTEGER PRIMARY KEY REFERENCES asset(id) ON DELETE CASCADE);
        CREATE TABLE restacking (folder INTEGER NOT NULL, day INTEGER NOT NULL, PRIMARY KEY (folder, day)) WITHOUT ROWID;
        CREATE TRIGGER stackInserted AFTER INSERT ON asset WHEN \(isStackable("new")) BEGIN \(noting("new")) END;
        CREATE TRIGGER stackUpdated AFTER UPDATE OF \(read) ON asset WHEN \(CatalogStore.differs(read)) BEGIN
            \(noting("new")) \(noting("old"))
        END;
        CREATE TRIGGER stackDeleted AFTER DELETE ON asset WHEN old.stack IS NOT NULL BEGIN
            UPDATE asset SET stack = NULL, kinds = kinds & ~\(AssetKinds.behind.rawValue) WHERE stack = old.id;
            \(noting("old"))
        END;
        INSERT OR IGNORE INTO restacking SELECT DISTINCT folder, instant / \(day) FROM asset WHERE \(isStackable("asset"));
        """

    /// The columns by which stacks are made.
    private static let read = "path, folder, kinds, format, date, dateSource, make, model, burst, rating"
    /// The seconds of a day.
    static let day = 86_400

    private static func noting(_ row: String) -> String {
        "INSERT OR IGNORE INTO restacking VALUES (\(row).folder, \(row).instant / \(day));"
    }

    /// Whether a row can be in a stack: photos whose capture time is known.
    static func isStackable(_ row: String) -> String {
        """
        \(row).kinds & \(AssetKinds.photo.rawValue) AND length(\(row).date) > 10 AND \(row).dateSource <> 'FileTime'
        """
    }
}
