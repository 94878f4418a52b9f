/// A small picture of an asset as an encoded file.
package struct AssetThumbnail: Equatable, Sendable {
    /// The name of its size and shape.
    package var form: String
    package var bytes: [UInt8]

    package init(form: String, bytes: [UInt8]) { (self.form, self.bytes) = (form, bytes) }
}
