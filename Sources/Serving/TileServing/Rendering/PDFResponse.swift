#if Server
internal import Basics
internal import Containers
internal import NIOCore
internal import PDFWriting
internal import TilePyramid
internal import ViewportGeometry

/// A PDF of one page that holds a JPEG; a pixel is a point of 1/72 inch.
enum PDFResponse {
    /// The name extension of the format.
    static let format = "pdf"

    /// Returns the request for the JPEG of a PDF; nil for other formats.
    static func image(of picture: IIIFPicture) -> IIIFPicture? {
        guard picture.format == format else { return nil }
        var image = picture
        image.format = "jpg"
        image.canonicalPath = picture.canonicalPath.dropLast(format.count) + "jpg"
        return image
    }

    /// Returns the document with a JPEG; nil if the bytes are not a JPEG of gray or color.
    static func document(_ jpeg: ByteBuffer) -> ByteBuffer? {
        let bytes = Array(jpeg.readableBytesView)
        guard let frame = JPEGFrame(bytes), frame.channels == 1 || frame.channels == 3 else { return nil }
        let size = Size<ViewSpace>(width: Double(frame.width), height: Double(frame.height))
        var page = PDFPage(size: size)
        page.draw(
            PDFImage(
                .init(width: frame.width, height: frame.height, channels: frame.channels, .jpeg, bytes)),
            in: Rect(origin: .zero, size: size))
        return ByteBuffer(bytes: page.file)
    }
}

/// The size of a JPEG.
///
/// Source: ITU-T T.81, B.2.2.
private struct JPEGFrame {
    var width: Int
    var height: Int
    var channels: Int

    init?(_ bytes: [UInt8]) {
        var segments = JPEGSegments(bytes, gaps: .refused)
        // Bytes in memory can always be read.
        while let segment = (try? segments.next()) ?? nil {
            guard segment.isFrame else { continue }
            let start = segment.body.lowerBound
            guard let height = bytes.uint16(at: start + 1), let width = bytes.uint16(at: start + 3),
                let channels = bytes.uint8(at: start + 5), width > 0, height > 0
            else { return nil }
            (self.width, self.height, self.channels) = (width, height, channels)
            return
        }
        return nil
    }
}
#endif
