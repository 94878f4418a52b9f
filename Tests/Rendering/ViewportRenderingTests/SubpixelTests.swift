import Foundation
import Testing
import ViewportGeometry

@testable import ViewportRendering

/// Slow pans, measured in the pictures.
@Suite("A subpixel viewport")
struct SubpixelTests {
    static let size = PixelSize<OutputGrid>(width: 160, height: 120)

    /// A smooth picture: waves of 23 to 61 pixels in both directions.
    static let waves: Picture = {
        let (width, height) = (900, 700)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width {
                let (x, y) = (Double(x), Double(y))
                let wave =
                    sin(x / 23 * 2 * .pi) + sin(y / 29 * 2 * .pi) + sin((x + y) / 61 * 2 * .pi)
                    + cos((x - y) / 43 * 2 * .pi)
                bytes.append(UInt8((127.5 + 28 * wave).rounded()))
            }
        }
        return try! Picture(
            bytes: bytes, size: PixelSize(width: width, height: height), format: PixelFormat(.gray))
    }()

    static func file(_ format: PictureFormat) throws -> ImageFile {
        try ImageFile(
            bytes: PictureEncoder(format, quality: format == .jpg ? 98 : nil).encodeSynchronously(waves))
    }

    static func rendered(
        _ x: Double, _ y: Double, _ zoom: Double, of file: ImageFile, isSubpixel: Bool = true
    ) throws -> [Double] {
        let rect = Rect<ImageSpace>(
            x: x, y: y, width: Double(size.width) / zoom, height: Double(size.height) / zoom)
        let viewport = Viewport(imageRect: rect, size: size, isSubpixel: isSubpixel)
        return try ViewportRenderer().renderSynchronously(viewport, of: file).picture.bytes.map(Double.init)
    }

    /// Returns the displacement of the content between two pictures, by least squares of the gradient.
    static func displacement(_ a: [Double], _ b: [Double]) -> (x: Double, y: Double) {
        var (xx, xy, yy, xt, yt) = (0.0, 0.0, 0.0, 0.0, 0.0)
        let width = size.width
        for y in 1..<(size.height - 1) {
            for x in 1..<(width - 1) {
                let at = y * width + x
                let dx = (a[at + 1] - a[at - 1] + b[at + 1] - b[at - 1]) / 4
                let dy = (a[at + width] - a[at - width] + b[at + width] - b[at - width]) / 4
                let dt = a[at] - b[at]
                xx += dx * dx
                xy += dx * dy
                yy += dy * dy
                xt += dx * dt
                yt += dy * dt
            }
        }
        let determinant = xx * yy - xy * xy
        return ((yy * xt - xy * yt) / determinant, (xx * yt - xy * xt) / determinant)
    }

    /// Formats and zooms, from far below 1 to far above.
    static let zooms: [(PictureFormat, Double)] = [
        (.jpg, 0.23), (.jpg, 0.5), (.jpg, 0.8), (.jpg, 1), (.jpg, 1.7), (.jpg, 8), (.jpg, 11.3), (.png, 0.4),
        (.png, 1),
    ]

    @Test("pans by the same fraction of a pixel from frame to frame", arguments: zooms)
    func pan(_ format: PictureFormat, _ zoom: Double) throws {
        let file = try Self.file(format)
        // In pixels of the picture.
        let step = (x: 0.13, y: -0.07)
        var previous: [Double]?
        for frame in 0...12 {
            let (x, y) = (40.3 + Double(frame) * step.x / zoom, 30.8 + Double(frame) * step.y / zoom)
            let picture = try Self.rendered(x, y, zoom, of: file)
            if let previous {
                let moved = Self.displacement(previous, picture)
                // Content moves against the viewport.
                #expect(
                    abs(moved.x + step.x) < 0.05 && abs(moved.y + step.y) < 0.05, "frame \(frame): \(moved)")
            }
            previous = picture
        }
    }

    @Test("differs from others, which move in steps at zoom 1 and from zoom 8", arguments: [1.0, 8])
    func steps(_ zoom: Double) throws {
        let file = try Self.file(.png)
        let pictures = try (0...8).map { frame in
            try Self.rendered(40.3 + Double(frame) * 0.13 / zoom, 30, zoom, of: file, isSubpixel: false)
        }
        let moves = zip(pictures, pictures.dropFirst()).map { Self.displacement($0, $1).x }
        #expect(moves.contains { abs($0 + 0.13) > 0.1 }, "\(moves)")
    }

    @Test("of whole pixels at zoom 1 has the same bytes as any other", arguments: [PictureFormat.jpg, .png])
    func whole(_ format: PictureFormat) throws {
        let file = try Self.file(format)
        for (x, y) in [(0, 0), (17, 3), (740, 580), (-20, 600)] as [(Double, Double)] {
            let pixels = try Self.rendered(x, y, 1, of: file)
            #expect(try Self.rendered(x, y, 1, of: file, isSubpixel: false) == pixels)
        }
        let shifted = try Self.rendered(17.5, 3, 1, of: file)
        #expect(try shifted != Self.rendered(17, 3, 1, of: file))
        #expect(try shifted != Self.rendered(18, 3, 1, of: file))
    }
}
