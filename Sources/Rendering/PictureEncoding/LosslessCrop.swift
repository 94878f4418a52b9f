internal import Basics
internal import Containers
internal import ImageMetadata
public import ImageReading
internal import JPEGIndexing
public import Pictures
public import ViewportGeometry

/// A part of a JPEG as a separate file, made by copying compressed data without decoding it.
public struct LosslessCrop: Hashable, Sendable {
    /// The file; its EXIF has the orientation of the original.
    public let jpeg: [UInt8]
    /// The part that it shows, in image points: the requested one, widened to whole blocks.
    public let rect: PixelRect<UprightGrid>
    /// Whether content credentials (C2PA) were left out, which bind the pixels of the whole file.
    package let losesCredentials: Bool
    /// The pixels that it contains, as stored.
    public let storedRect: PixelRect<StoredGrid>

    /// Cuts `rect` out of a file.
    ///
    /// - Parameter metadata: whether EXIF, XMP, IPTC, the color profile and comments are copied. EXIF and XMP are then
    ///   adapted to the new size, and the preview of the whole picture is removed. Otherwise only the orientation
    ///   is written.
    /// - Throws: `RenderingError.outside`, and `.notLossless` where the file is not a JPEG whose blocks can be
    ///   found (progressive, arithmetic-coded, broken …).
    public init(
        _ rect: PixelRect<UprightGrid>, of file: ImageFile, metadata: MetadataChoice = .all
    ) throws(RenderingError) {
        guard let wanted = rect.intersection(PixelRect(file.uprightSize)) else {
            throw .outside(file: file.path, size: file.uprightSize)
        }
        let stored = file.orientation.stored(wanted, in: file.storedSize)
        let crop = try file.copyingBlocks(stored, keepsMetadata: metadata == .all)
        var segments = JPEGFile(crop.jpeg)
        losesCredentials = segments.removeContentCredentials()
        segments.describe(file.change(copying: crop.rect))
        if !segments.segments.contains(where: \.isExif),
            let exif = SharedMetadata(orientation: file.orientation, jpeg: crop.rect.size).exif
        {
            segments.insert([JPEGFile.Segment(exif: exif)])
        }
        jpeg = segments.bytes
        storedRect = crop.rect
        self.rect = file.orientation.upright(crop.rect, in: file.storedSize)
    }
}

// Not `Codable`: its bytes are a file.
extension LosslessCrop: CustomStringConvertible {
    /// The part and the size of the file: "896,576,2064,1552, 1.2 MB".
    public var description: String { "\(rect), \(jpeg.count.readableBytes)" }
}
