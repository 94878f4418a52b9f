internal import Basics
internal import Files
internal import JPEGIndexing
public import ViewportGeometry

/// A part of a JPEG as a separate file, made by copying compressed data without decoding it.
public struct LosslessCrop: Sendable {
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
        let crop = try Self.crop(stored, of: file, metadata)
        var segments = JPEGSegments(crop.jpeg)
        segments.describe((crop.rect.width, crop.rect.height), file.orientation)
        if file.orientation != .up, !segments.segments.contains(where: \.isExif) {
            segments.insert([Self.exif(file.orientation)])
        }
        jpeg = segments.file
        storedRect = crop.rect
        self.rect = file.orientation.upright(crop.rect, in: file.storedSize)
    }

    private static func crop(
        _ rect: PixelRect<StoredGrid>, of file: ImageFile, _ metadata: MetadataChoice
    ) throws(RenderingError) -> JPEGCrop {
        try file.opened.checked { () throws(RenderingError) -> JPEGCrop in
            do throws(JPEGIndexError) {
                let header = try JPEGHeader(file.opened)
                let jpeg = file.source.capabilities.jpeg
                let scanned =
                    jpeg?.scanned ?? ScannedJPEG(file.opened, header, threads: Processors.count)
                let index = if let saved = jpeg?.savedIndex { saved } else { try scanned.index(downTo: rect) }
                return try JPEGRegionReader(header: header, index: index).losslessCrop(rect, of: file.opened)
                {
                    _ in metadata == .all
                }
            } catch {
                throw RenderingError.notLossless(file: file.path, reason: error.description)
            }
        }
    }

    /// Returns an EXIF segment that contains only an orientation.
    ///
    /// Source: CIPA DC-008, 4.6.4.
    private static func exif(_ orientation: Orientation) -> JPEGSegments.Segment {
        let tag: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
        let block = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + tag + [0, 0, 0, 0]
        return JPEGSegments.Segment(marker: 0xE1, body: block)
    }
}
