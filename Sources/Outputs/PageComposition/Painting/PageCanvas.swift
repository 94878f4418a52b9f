internal import ViewportGeometry
internal import ViewportRendering

/// The pixels of a page while it is painted: sRGB of 8 bits, with alpha if the background needs it.
struct PageCanvas {
    let size: PixelSize<OutputGrid>
    private let bands: Int
    private var bytes: [UInt8]

    init(size: PixelSize<OutputGrid>, background: Color) {
        self.size = size
        bands = background.alpha < 1 ? 4 : 3
        let pixel = Array(background.bytes.prefix(bands))
        bytes = [UInt8](repeating: pixel[0], count: size.area * bands)
        guard Set(pixel).count > 1 else { return }
        for at in bytes.indices { bytes[at] = pixel[at % bands] }
    }

    /// Paints a color over a rectangle.
    mutating func fill(_ rect: PixelRect<OutputGrid>, with color: Color) {
        let ink = color.bytes
        paint(rect) { _, _ in (ink[0], ink[1], ink[2], ink[3]) }
    }

    /// Paints a color where a mask, with its corner at a point, has coverage.
    mutating func fill(mask: [UInt8], width: Int, height: Int, x: Int, y: Int, with color: Color) {
        let ink = color.bytes
        let opacity = Int(ink[3])
        paint(PixelRect(x: x, y: y, width: width, height: height)) { column, row in
            let alpha = (Int(mask[(row - y) * width + column - x]) * opacity + 127) / 255
            return (ink[0], ink[1], ink[2], UInt8(alpha))
        }
    }

    /// Paints a picture with its corner at a point.
    mutating func draw(_ picture: Picture, x: Int, y: Int) {
        let (width, height, bands) = (picture.size.width, picture.size.height, picture.bands)
        let colors = picture.hasAlpha ? bands - 1 : bands
        let (green, blue) = colors < 3 ? (0, 0) : (1, 2)
        let samples = picture.bytes
        let hasAlpha = picture.hasAlpha
        paint(PixelRect(x: x, y: y, width: width, height: height)) { column, row in
            let pixel = ((row - y) * width + column - x) * bands
            return (
                samples[pixel], samples[pixel + green], samples[pixel + blue],
                hasAlpha ? samples[pixel + colors] : 255
            )
        }
    }

    /// Composes colors with alpha over the part of a rectangle that is on the page.
    @inline(__always)
    private mutating func paint(
        _ rect: PixelRect<OutputGrid>, _ color: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8)
    ) {
        let columns = max(0, rect.x)..<max(0, rect.x, min(size.width, rect.maxX))
        let rows = max(0, rect.y)..<max(0, rect.y, min(size.height, rect.maxY))
        for y in rows {
            var at = (y * size.width + columns.lowerBound) * bands
            for x in columns {
                let (red, green, blue, alpha) = color(x, y)
                if alpha == 255 {
                    (bytes[at], bytes[at + 1], bytes[at + 2]) = (red, green, blue)
                    if bands == 4 { bytes[at + 3] = 255 }
                } else if alpha > 0 {
                    blend((red, green, blue), Int(alpha), at)
                }
                at += bands
            }
        }
    }

    /// Composes a color over a pixel; alpha is straight.
    private mutating func blend(_ color: (UInt8, UInt8, UInt8), _ alpha: Int, _ at: Int) {
        let below = bands == 4 ? Int(bytes[at + 3]) : 255
        // In units of 1/255^2.
        let rest = below * (255 - alpha)
        let whole = alpha * 255 + rest
        func mix(_ above: UInt8, _ under: UInt8) -> UInt8 {
            UInt8((Int(above) * alpha * 255 + Int(under) * rest + whole / 2) / whole)
        }
        bytes[at] = mix(color.0, bytes[at])
        bytes[at + 1] = mix(color.1, bytes[at + 1])
        bytes[at + 2] = mix(color.2, bytes[at + 2])
        if bands == 4 { bytes[at + 3] = UInt8((whole + 127) / 255) }
    }

    /// The finished picture.
    var picture: Picture { Picture(size: size, bytes: bytes, hasAlpha: bands == 4) }
}
