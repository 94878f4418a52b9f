internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// The pixels of a contact sheet while it is drawn: white, sRGB of 8 bits.
struct SheetCanvas {
    let width: Int
    let height: Int
    private var bytes: [UInt8]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bytes = Array(repeating: 255, count: width * height * 3)
    }

    /// Lays a picture into the middle of a square; what shines through is white.
    mutating func draw(_ picture: Picture?, in place: (x: Int, y: Int), _ side: Int) {
        guard let picture, picture.depth == 8 else { return }
        let (columns, rows) = (min(picture.size.width, side), min(picture.size.height, side))
        let (left, top) = (place.x + (side - columns) / 2, place.y + (side - rows) / 2)
        let colors = picture.hasAlpha ? picture.bands - 1 : picture.bands
        for y in 0..<rows {
            for x in 0..<columns {
                let from = (y * picture.size.width + x) * picture.bands
                let to = ((top + y) * width + left + x) * 3
                let alpha = picture.hasAlpha ? Int(picture.bytes[from + colors]) : 255
                for band in 0..<3 {
                    let value = Int(picture.bytes[from + (colors < 3 ? 0 : band)])
                    bytes[to + band] = UInt8((value * alpha + 255 * (255 - alpha) + 127) / 255)
                }
            }
        }
    }

    /// Writes a line of dark text, cut where it does not fit; nothing where libvips has no fonts.
    mutating func write(_ text: String, x: Int, y: Int, width room: Int, size: Int) {
        guard let mask = Self.mask(text, size), let pixels = try? mask.pixels().copied() else { return }
        for row in 0..<min(mask.height, height - y) {
            for column in 0..<min(mask.width, room, width - x) {
                let to = ((y + row) * width + x + column) * 3
                let ink = Int(pixels[row * mask.width + column]) * 4 / 5
                for band in 0..<3 { bytes[to + band] = UInt8(255 - ink) }
            }
        }
    }

    /// How much of each pixel a text covers.
    private static func mask(_ text: String, _ size: Int) -> VipsImage? {
        guard !text.isEmpty, let operation = try? VipsOperation("text") else { return nil }
        // The text is Pango's markup.
        let plain = String(text.map { $0 == "<" || $0 == ">" || $0 == "&" || $0.isNewline ? " " : $0 })
        guard (try? operation.set("text", .string(plain))) != nil,
            (try? operation.set("font", .string("sans \(size)"))) != nil,
            let image = try? operation.image(), image.bands == 1
        else { return nil }
        return image
    }

    var picture: Picture { Picture(width: width, height: height, rgb: bytes) }
}
