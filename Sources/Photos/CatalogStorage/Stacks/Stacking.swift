package import Assets
internal import Files
internal import GRDB
internal import ImageMetadata

/// Makes stacks: files of one shot, and shots of one burst, that are one item.
///
/// The rules, all of which look at photos with a known capture time in one folder, unless the library joins folders:
///
/// - One shot: names that are equal without extension and marks of versions (raw and JPEG, HEIC and JPEG, "IMG_E1234" and
///   "IMG_1234", "a-edited" and "a", also with words that imports have found, "a~2" and "a", the files of a "PXL_" name), times on the camera's clock that are at most a
///   second apart, four for a "PXL_" name, and no two different cameras.
/// - One burst: the same identifier of a burst, in metadata or by the name, and no two different cameras.
///
/// The cover is the file that was chosen; else, of those that are not rejected, an edited copy, the one that the camera has
/// named so, HEIC before JPEG before others before raw files, the best rated, the first.
///
/// Two queries group rows by shot and by burst; times and cameras divide the groups. Parts with a common file are then
/// joined, as the raw file and the JPEG of one shot in a burst.
///
/// Triggers note the folder and the day of each change of a file (`StackTables`), so that a killed process misses none.
/// `update` makes the stacks there again. Of few such places it reads only the days around the changes.
///
/// The rules have a version, by which existing libraries make their stacks again. Version 2 came when a second was too
/// short for the raw files of Pixel phones, and bursts that only names tell were single pictures.
package struct Stacking {
    let database: Database

    init(_ database: Database) { self.database = database }

    private var settings: CatalogSettings { CatalogSettings(database: database) }

    /// The greatest difference of the times of one shot, in seconds.
    private static let tolerance = 1
    /// The greatest difference of the times of one Pixel name, whose raw file is written later, in seconds.
    private static let pixelTolerance = 4
    /// The version of the rules: where it is another one than that of the catalog, all stacks are made again.
    private static let rules = "2"
    /// The greatest time between two shots of a burst, in seconds.
    private static let pause = 60
    /// The most places of which the surroundings alone are looked at.
    private static let fewPlaces = 64
    private static let across = "across-folders"

    /// Whether files in different folders can be one stack.
    package func joinsFolders() throws -> Bool {
        try settings.value(.stacks) == Self.across
    }

    /// Sets whether files in different folders can be one stack, and makes all stacks again if that changes.
    package func setJoinsFolders(_ joins: Bool) throws {
        guard try joinsFolders() != joins else { return }
        try settings.set(.stacks, joins ? Self.across : nil)
        try requestAll()
        try update()
    }

    /// Adds words of edited copies that are in no table, and makes all stacks again if some are new.
    package func learn(_ words: [String]) throws {
        let known = try Catalog(database).editedWords()
        let all = known.adding(words)
        guard all != known else { return }
        try settings.set(.editedWords, all.stored)
        try requestAll()
        try update()
    }

    /// The assets that were chosen as the covers of their stacks.
    package func chosenCovers() throws -> Set<Asset.ID> {
        try Set(Int64.fetchAll(database, sql: "SELECT asset FROM stackCover"))
    }

    /// Makes an asset the cover of its stack.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if there is no such asset.
    package func choose(_ cover: Asset.ID) throws {
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT stack, folder, instant FROM asset WHERE id = ?", arguments: [cover])
        else { throw LibraryError(.noAsset(cover)) }
        try database.execute(
            sql: "DELETE FROM stackCover WHERE asset IN (SELECT id FROM asset WHERE stack = ?)",
            arguments: [row[0] as Int64?])
        try database.execute(sql: "INSERT OR IGNORE INTO stackCover VALUES (?)", arguments: [cover])
        try database.execute(
            sql: "INSERT OR IGNORE INTO restacking VALUES (?, ? / \(StackTables.day))",
            arguments: [row[1] as Int64, row[2] as Int64])
        try update()
    }

    /// Makes the stacks again where files have changed.
    package func update() throws {
        try followRules()
        let places = try Int.fetchOne(database, sql: "SELECT count(*) FROM restacking") ?? 0
        guard places > 0 else { return }
        let scope = Scope(
            joinsFolders: try joinsFolders(), isNear: places <= Self.fewPlaces)
        let desired = try stacks(scope)
        let isTouched: (Asset.ID) -> Bool
        if scope.isNear {
            let ids = try Set(
                Int64.fetchAll(database, sql: "SELECT id FROM asset WHERE \(scope.condition(days: 2))"))
            isTouched = { id in ids.contains(id) || desired[id].map(ids.contains) ?? false }
        } else {
            isTouched = { _ in true }
        }
        var changes = desired.filter { isTouched($0.key) }.mapValues { $0 as Asset.ID? }
        // Unary plus: SQLite is to go by folders and days, not through the index of all stacks.
        let known = try Row.fetchCursor(
            database,
            sql: "SELECT id, stack FROM asset WHERE +stack IS NOT NULL AND \(scope.condition(days: 2))")
        while let row = try known.next() {
            let id: Asset.ID = row[0]
            if desired[id] == row[1] {
                changes[id] = nil
            } else if desired[id] == nil {
                changes[id] = .some(nil)
            }
        }
        let write = try database.cachedStatement(
            sql: """
                UPDATE asset SET stack = ?1, kinds = CASE WHEN ?1 <> ?2 THEN kinds | ?3 ELSE kinds & ~?3 END
                WHERE id = ?2
                """)
        for (id, cover) in changes.sorted(by: { $0.key < $1.key }) {
            try write.execute(arguments: [cover, id, AssetKinds.behind.rawValue])
        }
        // Last: the triggers have noted the places of these changes, too.
        try database.execute(sql: "DELETE FROM restacking")
    }

    /// Requests that all stacks are made again where other rules have made them.
    private func followRules() throws {
        guard try settings.value(.stackRules) != Self.rules else { return }
        try requestAll()
        try settings.set(.stackRules, Self.rules)
    }

    private func requestAll() throws {
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO restacking SELECT DISTINCT folder, instant / \(StackTables.day) FROM asset
                WHERE \(StackTables.isStackable("asset")) OR stack IS NOT NULL
                """)
    }

    /// The assets that are looked at.
    private struct Scope {
        var joinsFolders: Bool
        /// Whether only the days around the changes are, instead of whole folders.
        var isNear: Bool

        /// What stacks have in common besides their key, as columns for GROUP BY.
        var place: String { joinsFolders ? "" : "folder, " }

        /// - Parameter days: the days around a change; a stack is shorter than two, with differences of time zones.
        func condition(days: Int) -> String {
            guard isNear else { return joinsFolders ? "TRUE" : "folder IN (SELECT folder FROM restacking)" }
            let isThere = joinsFolders ? "" : "near.folder = restacking.folder AND "
            let (day, first, last) = (StackTables.day, days, days + 1)
            // CROSS JOIN: SQLite keeps this order, and so begins with the few rows of `restacking`.
            return """
                id IN (SELECT near.id FROM restacking CROSS JOIN asset AS near
                    ON \(isThere)near.instant BETWEEN (day - \(first)) * \(day) AND (day + \(last)) * \(day))
                """
        }
    }

    /// A photo that may be in a stack.
    private struct Member {
        var id: Asset.ID
        var path: FilePath
        /// Seconds and nanoseconds of the camera's clock.
        var time: (seconds: Int, nanoseconds: Int)
        var camera: String
        var rank: Int

        init?(_ row: Row, _ words: EditedWords) {
            guard let date = (row["date"] as String?).flatMap(WallClock.init(stored:)) else { return nil }
            (id, path) = (row["id"], FilePath(row["path"] as String))
            time = (date.wholeSeconds, date.nanoseconds)
            camera = [row["make"] as String?, row["model"]].map { ($0 ?? "").lowercased() }
                .joined(separator: "\n")
            rank = Self.rank(
                ShotName(path, words), FileFormat(rawValue: row["format"]) ?? .jpeg, row["rating"])
        }

        var hasCamera: Bool { camera.utf8.count > 1 }

        /// The lowest is the cover.
        private static func rank(_ name: ShotName, _ format: FileFormat, _ rating: Int?) -> Int {
            let kind =
                if name.isEdited { 0 } else if name.isCover { 1 } else if format.isRaw {
                    5
                } else if format == .heif {
                    2
                } else if format == .jpeg { 3 } else { 4 }
            return (rating == -1 ? 100 : 0) + kind * 10 - max(0, rating ?? 0)
        }

        static func precedes(_ a: Self, _ b: Self) -> Bool {
            (a.rank, a.time.seconds, a.time.nanoseconds, a.path) < (
                b.rank, b.time.seconds, b.time.nanoseconds, b.path
            )
        }
    }

    /// Returns the cover of each asset in a stack.
    private func stacks(_ scope: Scope) throws -> [Asset.ID: Asset.ID] {
        var joined = Joined()
        var members: [Asset.ID: Member] = [:]
        let words = try Catalog(database).editedWords()
        // Two days more than are changed: stacks at their border are made of all of their files.
        let isCandidate = "\(StackTables.isStackable("asset")) AND \(scope.condition(days: 4))"
        let requests: [(gap: Int, sql: String, arguments: StatementArguments)] = [
            (
                Self.tolerance,
                """
                SELECT group_concat(id) FROM asset WHERE \(isCandidate) GROUP BY \(scope.place)shotOf(path, ?)
                """, [words.stored]
            ),
            (
                Self.pause,
                """
                SELECT group_concat(id) FROM asset WHERE burst IS NOT NULL AND \(isCandidate)
                GROUP BY \(scope.place)burst
                """, []
            ),
        ]
        let find = try database.makeStatement(
            sql: "SELECT id, path, date, make, model, format, rating FROM asset WHERE id = ?")
        for (gap, sql, arguments) in requests {
            let groups = try String.fetchCursor(
                database, sql: "\(sql) HAVING count(*) > 1", arguments: arguments)
            while let list = try groups.next() {
                let found = try list.split(separator: ",").compactMap { Int64($0) }.compactMap {
                    try Row.fetchOne(find, arguments: [$0]).flatMap { Member($0, words) }
                }
                for stack in Self.divided(found, gap: gap) {
                    for member in stack { members[member.id] = member }
                    joined.join(stack.map(\.id))
                }
            }
        }
        let chosen = try members.isEmpty ? [] : chosenCovers()
        var covers: [Asset.ID: Asset.ID] = [:]
        for ids in joined.groups {
            let stack = ids.compactMap { members[$0] }
            let candidates = stack.filter { chosen.contains($0.id) }
            guard let cover = (candidates.isEmpty ? stack : candidates).min(by: Member.precedes) else {
                continue
            }
            for id in ids { covers[id] = cover.id }
        }
        return covers
    }

    /// Divides files with one key by their times and cameras; returns the parts with two or more files.
    private static func divided(_ members: [Member], gap: Int) -> [[Member]] {
        var parts: [[Member]] = []
        for member in members.sorted(by: { ($0.time.seconds, $0.path) < ($1.time.seconds, $1.path) }) {
            let gap = member.path.name.hasPrefix("PXL_") ? max(gap, pixelTolerance) : gap
            let index = parts.lastIndex { part in
                guard let last = part.last, member.time.seconds - last.time.seconds <= gap else {
                    return false
                }
                let known = part.first(where: \.hasCamera)
                return known == nil || !member.hasCamera || known?.camera == member.camera
            }
            if let index { parts[index].append(member) } else { parts.append([member]) }
        }
        return parts.filter { $0.count > 1 }
    }

    /// Sets of assets that are joined step by step.
    private struct Joined {
        private var parents: [Asset.ID: Asset.ID] = [:]

        mutating func join(_ ids: [Asset.ID]) {
            guard let first = ids.first else { return }
            let root = root(of: first)
            for id in ids { parents[self.root(of: id)] = root }
        }

        private mutating func root(of id: Asset.ID) -> Asset.ID {
            var root = id
            while let parent = parents[root], parent != root { root = parent }
            var step = id
            while let parent = parents[step], parent != root {
                parents[step] = root
                step = parent
            }
            parents[root] = root
            return root
        }

        var groups: [[Asset.ID]] {
            mutating get {
                Array(Dictionary(grouping: parents.keys.sorted()) { root(of: $0) }.values)
            }
        }
    }
}

extension Stacking {
    /// The SQL function that returns the name of the shot of a path, with the stored form of the words that the library knows.
    static let shotOf = DatabaseFunction("shotOf", argumentCount: 2, pure: true) { values in
        let words = EditedWords(stored: String.fromDatabaseValue(values[1]))
        return String.fromDatabaseValue(values[0]).map { ShotName(FilePath($0), words).shot }
    }
}

extension Catalog {
    package var stacks: Stacking { Stacking(database) }

    /// Returns the assets of stacks by their covers, the cover first, then by date and path.
    package func stacks(of covers: [Asset.ID]) throws -> [Asset.ID: [Asset]] {
        let find = try database.cachedStatement(
            sql: "SELECT id FROM asset WHERE stack = ?1 ORDER BY id <> ?1, instant, fraction, path")
        var stacks: [Asset.ID: [Asset]] = [:]
        for cover in covers {
            let ids = try Int64.fetchAll(find, arguments: [cover])
            if !ids.isEmpty { stacks[cover] = try assets(ids) }
        }
        return stacks
    }

    /// Returns assets with those behind the covers among them, each behind its cover.
    package func withStacks(_ ids: [Asset.ID]) throws -> [Asset.ID] {
        var others: [Asset.ID: [Asset.ID]] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT stack, id FROM asset WHERE stack <> id ORDER BY stack, instant, fraction, path")
        while let row = try rows.next() { others[row[0], default: []].append(row[1]) }
        guard !others.isEmpty else { return ids }
        var seen = Set(ids)
        return ids.flatMap { id in [id] + (others[id] ?? []).filter { seen.insert($0).inserted } }
    }

    /// Returns the covers of all stacks behind one of them, in the order of their identifiers.
    package func stackCovers(after id: Asset.ID, limit: Int) throws -> [Asset.ID] {
        try Int64.fetchAll(
            database, sql: "SELECT DISTINCT stack FROM asset WHERE stack > ? ORDER BY stack LIMIT ?",
            arguments: [id, limit])
    }
}
