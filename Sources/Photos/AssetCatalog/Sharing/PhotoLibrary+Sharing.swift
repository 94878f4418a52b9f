internal import CatalogStorage
package import Foundation

extension PhotoLibrary {
    /// Makes a link to an album or to assets.
    ///
    /// - Throws: `LibraryError`, of the kind `notFound` if there is no such album or asset.
    package func share(
        _ content: Share.Content, title: String, until expires: Date, includingOriginals: Bool = false
    ) async throws -> Share {
        try await write {
            try $0.share(content, title: title, until: expires, includingOriginals: includingOriginals)
        }
    }

    /// Returns all shares, ended ones among them, the first one first.
    package func shares() async throws -> [Share] { try await read { try $0.shares() } }

    /// Returns the share of a link, which may have ended; nil if the library has made no such link, or it was revoked.
    package func share(token: String) async throws -> Share? { try await read { try $0.share(token: token) } }

    /// Ends a link; returns whether there was one.
    package func revokeShare(_ id: Share.ID) async throws -> Bool {
        try await write { try $0.revokeShare(id) }
    }

    /// Returns the assets of a share, the first ones first, those without a date at the end.
    package func assets(of share: Share) async throws -> [Asset] {
        try await read { try $0.assets(of: share) }
    }

    /// Returns an asset of a share; nil if the share does not have it.
    package func asset(_ id: Asset.ID, of share: Share) async throws -> Asset? {
        try await read { try $0.asset(id, of: share) }
    }
}
