internal import Basics
internal import Containers
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
        let upright = file.orientation.upright(crop.rect, in: file.storedSize)
        segments.describe(
            (crop.rect.width, crop.rect.height), file.orientation,
            segments.segments.contains(where: \.isXMP)
                ? file.panoramaChange(
                    showing: Rect(
                        x: Double(upright.x), y: Double(upright.y), width: Double(upright.width),
                        height: Double(upright.height)), size: upright.size) : .kept)
        if file.orientation != .up, !segments.segments.contains(where: \.isExif) {
            segments.insert([Self.exif(file.orientation)])
        }
        jpeg = segments.bytes
        storedRect = crop.rect
        self.rect = upright
    }

    /// Returns an EXIF segment that contains only an orientation.
    ///
    /// Source: CIPA DC-008, 4.6.4.
    private static func exif(_ orientation: Orientation) -> JPEGFile.Segment {
        let tag = TIFFValue(tag: 0x0112, type: 3, [orientation.rawValue], .big)
        let block = Array("Exif\0\0".utf8) + TIFFWriter(.big).block([tag])
        return JPEGFile.Segment(marker: 0xE1, body: block)
    }
}

// Not `Codable`: its bytes are a file.
extension LosslessCrop: CustomStringConvertible {
    /// The part and the size of the file: "896,576,2064,1552, 1.2 MB".
    public var description: String { "\(rect), \(jpeg.count.readableBytes)" }
}
