package import Foundation
package import ViewportGeometry

/// A named part of a photo.
///
/// It belongs to the bytes of the file: it stays with a file that is moved, and its copies share it.
package struct Annotation: Identifiable, Equatable, Sendable {
    package let id: Int64
    /// The checksum of the file, in hexadecimal digits.
    package let sha256: String
    /// The part of the upright picture, before the turn of a sidecar; a point is its pixel.
    package var rect: PixelRect<StoredGrid>
    package var name: String
    /// When it was made, and when it was changed last, in whole seconds.
    package let created: Date
    package let modified: Date
    /// Grows with each change.
    package let version: Int

    /// Creates an annotation that is not in a catalog yet.
    package init(
        _ rect: PixelRect<StoredGrid>, name: String, created: Date, modified: Date, version: Int
    ) {
        self.init(
            id: 0, sha256: "", rect, name: name, created: created, modified: modified, version: version)
    }

    package init(
        id: Int64, sha256: String, _ rect: PixelRect<StoredGrid>, name: String, created: Date, modified: Date,
        version: Int
    ) {
        (self.id, self.sha256) = (id, sha256)
        (self.rect, self.name) = (rect, name)
        (self.created, self.modified, self.version) = (created, modified, version)
    }
}
