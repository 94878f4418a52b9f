package import GRDB

/// The settings of a library, by their names.
package enum CatalogSetting {
    /// Those that users and imports have chosen for the library, wherever it lies, and that nothing else knows.
    private static let chosen = ["stacks", "hidden", "editedWords"]

    static func value(_ name: String, _ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
    }

    /// Stores a value; nil removes it.
    static func set(_ name: String, _ value: String?, _ database: Database) throws {
        guard let value else {
            return try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name])
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO setting(name, value) VALUES (?, ?)", arguments: [name, value])
    }

    /// Reads the choices from a catalog that is rebuilt.
    package static func choices(_ database: Database) throws -> [String: String] {
        var choices: [String: String] = [:]
        for name in chosen { choices[name] = try value(name, database) }
        return choices
    }

    package static func store(_ choices: [String: String], _ database: Database) throws {
        for (name, value) in choices { try set(name, value, database) }
    }
}
