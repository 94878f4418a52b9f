internal import CatalogStorage
package import Files

extension PhotoLibrary {
    /// Which files of its folder the library has: by default neither hidden ones nor those of `SystemEntry`.
    package func scope() throws -> EntryScope { try readAndWait { try $0.scope() } }

    /// Sets which files the library has; the next index run of the whole library adds or removes the others.
    package func setScope(_ scope: EntryScope) throws { try writeAndWait { try $0.setScope(scope) } }
}
