internal import Resampling
package import ViewportGeometry
internal import Vips

extension Picture {
    /// The part of a size that libvips finds the most interesting, by its name of how: "entropy", "attention".
    ///
    /// - Throws: `RenderingError.cannotEncode` where libvips cannot look at it.
    package func mostInteresting(
        _ size: PixelSize<OutputGrid>, by interest: String
    ) throws(RenderingError) -> PixelRect<OutputGrid> {
        let (width, height) = (min(size.width, self.size.width), min(size.height, self.size.height))
        do {
            let place = try image().interestingPlace(width: width, height: height, by: interest)
            return PixelRect(x: place.x, y: place.y, width: width, height: height)
        } catch {
            throw .library(detail: error.log)
        }
    }

    /// A part of the picture.
    package func cropped(to rect: PixelRect<OutputGrid>) -> Picture {
        precondition(PixelRect(size).contains(rect), "a part of a picture lies in it")
        let pixelBytes = bands * depth / 8
        var part = RowCollector(byteCount: rect.size.area * pixelBytes)
        for y in rect.y..<rect.maxY {
            let start = (y * size.width + rect.x) * pixelBytes
            bytes.withRow(start..<(start + rect.width * pixelBytes)) { part.push($0) }
        }
        return Picture(
            size: rect.size, bands: bands, depth: depth, hasAlpha: hasAlpha, profile: profile,
            interpretation: interpretation, bytes: part.pixels)
    }
}
