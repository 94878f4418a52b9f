/// EXIF, XMP and IPTC of a file as blocks, in the form in which other files contain them.
package struct MetadataBlocks: Equatable, Sendable {
    /// From the byte-order mark on.
    ///
    /// Of formats that consist of directories, such as TIFF and raw files, it is made of the tags that describe the
    /// picture: those of the pixels' storage and maker notes, whose offsets count from the start of the file, are left out.
    package var exif: [UInt8]?
    /// A packet; that of a JPEG with its further parts.
    package var xmp: [UInt8]?
    /// The record, without Photoshop's resources around it.
    package var iptc: [UInt8]?

    package init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        (self.exif, self.xmp, self.iptc) = (exif, xmp, iptc)
    }
}
