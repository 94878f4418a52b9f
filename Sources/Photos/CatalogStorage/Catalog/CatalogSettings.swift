package import Assets
package import Files
internal import GRDB

/// The settings of a library, by their names.
package struct CatalogSettings {
    let database: Database

    /// The names, as the catalog has them.
    package enum Name: String, Sendable {
        /// Whether files in different folders can be one stack.
        case stacks
        /// Which files of its folder the library has.
        case hidden
        /// Words behind the names of edited copies that are in no table.
        case editedWords
        /// The version of the rules by which stacks were made.
        case stackRules
        /// The folder of sidecars.
        case sidecars
        /// The identifier of the library in the mark of that folder.
        case sidecarsLibrary
    }

    /// Those that users and imports have chosen for the library, wherever it lies, and that nothing else knows.
    private static let chosen = [Name.stacks, .hidden, .editedWords]

    package func value(_ name: Name) throws -> String? {
        try String.fetchOne(
            database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.rawValue])
    }

    /// Stores a value; nil removes it.
    package func set(_ name: Name, _ value: String?) throws {
        guard let value else {
            return try database.execute(
                sql: "DELETE FROM setting WHERE name = ?", arguments: [name.rawValue])
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO setting(name, value) VALUES (?, ?)",
            arguments: [name.rawValue, value])
    }

    /// Reads the choices from a catalog that is rebuilt.
    func choices() throws -> [Name: String] {
        var choices: [Name: String] = [:]
        for name in Self.chosen { choices[name] = try value(name) }
        return choices
    }
}

extension Catalog {
    package var settings: CatalogSettings { CatalogSettings(database: database) }

    /// Words of edited copies that imports have found.
    package func editedWords() throws -> EditedWords {
        EditedWords(stored: try settings.value(.editedWords))
    }

    private static var everything: String { "included" }

    /// Which files of its folder the library has.
    package func scope() throws -> EntryScope {
        try settings.value(.hidden) == Self.everything ? .everything : .visible
    }

    package func setScope(_ scope: EntryScope) throws {
        try settings.set(.hidden, scope == .everything ? Self.everything : nil)
    }
}
