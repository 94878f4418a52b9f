internal import CatalogStorage
package import ViewportGeometry

extension PhotoLibrary {
    /// Returns the annotations of an asset, the first one first.
    package func annotations(of asset: Asset) async throws -> [Annotation] {
        try await read { try $0.annotations(of: asset) }
    }

    /// Returns all assets with annotations, by their paths, and the annotations of each.
    package func annotations() async throws -> [(asset: Asset, annotations: [Annotation])] {
        try await read { try $0.annotations() }
    }

    /// Adds an annotation.
    ///
    /// - Throws: `LibraryError`.
    package func annotate(
        _ asset: Asset, _ rect: PixelRect<StoredGrid>, name: String
    ) async throws -> Annotation {
        try await write { try $0.annotate(asset, rect, name: name) }
    }

    /// Changes an annotation of an asset, or removes it.
    ///
    /// - Parameters:
    ///   - version: the version that is known to who changes it.
    ///   - change: changes the part and the name, and returns whether the annotation stays.
    /// - Returns: the annotation with its new version; nil if it was removed.
    /// - Throws: `LibraryError`, of the kind `notFound` if there is none, and `busy` if somebody else has changed it.
    package func changeAnnotation(
        _ id: Annotation.ID, of asset: Asset, version: Int,
        _ change: @escaping @Sendable (inout Annotation) -> Bool
    ) async throws -> Annotation? {
        try await write { try $0.changeAnnotation(id, of: asset, version: version, change) }
    }
}
