package import Files
package import GRDB

/// Which files of its folder a library has, as the catalog remembers it.
package enum LibraryScope {
    private static let (setting, everything) = ("hidden", "included")

    package static func scope(_ database: Database) throws -> EntryScope {
        try CatalogSetting.value(setting, database) == everything ? .everything : .visible
    }

    package static func set(_ scope: EntryScope, _ database: Database) throws {
        try CatalogSetting.set(setting, scope == .everything ? everything : nil, database)
    }
}

extension PhotoLibrary {
    /// Which files of its folder the library has: by default neither hidden ones nor those of `SystemEntry`.
    package func scope() throws -> EntryScope { try readAndWait(LibraryScope.scope) }

    /// Sets which files the library has; the next index run of the whole library adds or removes the others.
    package func setScope(_ scope: EntryScope) throws {
        try writeAndWait { try LibraryScope.set(scope, $0) }
    }
}
