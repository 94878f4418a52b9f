#if Server
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
        func number(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
        var offset = 2
        while offset + 10 <= bytes.count, bytes[offset] == 0xFF {
            let marker = bytes[offset + 1]
            // Start of frame, except the markers of tables (C4, C8, CC).
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                (height, width) = (number(offset + 5), number(offset + 7))
                channels = Int(bytes[offset + 9])
                guard width > 0, height > 0 else { return nil }
                return
            }
            offset += 2 + number(offset + 2)
        }
        return nil
    }
}
#endif
