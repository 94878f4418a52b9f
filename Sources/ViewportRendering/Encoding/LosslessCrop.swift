internal import Files
internal import JPEGIndex
public import ViewportGeometry

/// A part of a JPEG as a file of its own, whose compressed data is copied: nothing is decoded, nothing is lost.
public struct LosslessCrop: Sendable {
    /// The file; its EXIF says how it is turned, where the original's does.
    public let jpeg: [UInt8]
    /// What it shows, in image points: what was asked for, widened to whole blocks.
    public let rect: PixelRect<UprightGrid>
    /// The pixels that it holds, as stored.
    public let storedRect: PixelRect<StoredGrid>

    /// Cuts `rect` out of a file.
    ///
    /// - Throws: `RenderingError.outside`, and `.notLossless` where the file is no JPEG whose blocks can be
    ///   found (progressive, arithmetic-coded, broken …).
    public init(_ rect: PixelRect<UprightGrid>, of file: ImageFile) throws(RenderingError) {
        guard let wanted = rect.intersection(PixelRect(file.uprightSize)) else {
            throw .outside(file: file.path, size: file.uprightSize)
        }
        let stored = file.orientation.stored(wanted, in: file.storedSize)
        let crop = try Self.crop(stored, of: file)
        jpeg = file.orientation == .up ? crop.jpeg : Self.oriented(crop.jpeg, file.orientation)
        storedRect = crop.rect
        self.rect = file.orientation.upright(crop.rect, in: file.storedSize)
    }

    private static func crop(
        _ rect: PixelRect<StoredGrid>, of file: ImageFile
    ) throws(RenderingError) -> JPEGCrop {
        try file.opened.checked { () throws(RenderingError) -> JPEGCrop in
            do throws(JPEGIndexError) {
                let header = try JPEGHeader(file.opened)
                let index: JPEGIndex
                if let saved = (file.source as? JPEGRegionSource)?.savedIndex {
                    index = saved
                } else {
                    index = try JPEGIndex(file.opened, header: header, downTo: rect, at: .full)
                }
                return try JPEGRegionReader(header: header, index: index).losslessCrop(rect, of: file.opened)
                {
                    // Colours need their profile; the camera's data would tell of the whole picture.
                    $0.marker == 0xE2
                }
            } catch {
                throw RenderingError.notLossless(file: file.path, reason: error.description)
            }
        }
    }

    /// A JPEG with an EXIF block of nothing but an orientation.
    ///
    /// Source: CIPA DC-008, 4.6.4.
    private static func oriented(_ jpeg: [UInt8], _ orientation: Orientation) -> [UInt8] {
        let tag: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
        let block = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + tag + [0, 0, 0, 0]
        return Array(jpeg[..<2]) + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + jpeg[2...]
    }
}
