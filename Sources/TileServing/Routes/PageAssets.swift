/// A file that pages are made of.
package struct PageAsset: Sendable {
    package var bytes: [UInt8]
    package var mediaType: String
    /// Names these bytes, in quotes.
    package var etag: String

    package init(bytes: [UInt8], mediaType: String, etag: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.etag = etag
    }
}

/// The files of the pages: the seam between the server and what browsers show.
///
/// `viewer.html` is a template: {{title}}, {{base}}, {{identifier}} and {{navigation}} are filled in.
package protocol PageAssets: Sendable {
    func asset(named name: String) -> PageAsset?
}
