internal import GRDB

/// The catalog of a library in one state: what a read or a write of ``CatalogStore`` is given.
///
/// It ends with the closure that got it. All SQL is behind its methods, and those of the parts that it has: whoever keeps
/// photos says what happens to them in words of the subject, and several of these calls are one transaction.
package struct Catalog {
    let database: Database

    init(_ database: Database) { self.database = database }
}
