internal import Containers
package import ImageMetadata
package import ViewportGeometry

extension ImageFile {
    /// Returns the tags of GeoTIFF and GDAL for an upright picture of a part of this file; nil where the file is no TIFF, or
    /// states none.
    ///
    /// - Parameters:
    ///   - rect: the part of the upright and turned image.
    ///   - isUnchanged: whether samples have the values of the file, of which one may stand for no data.
    package func geoTags(
        showing rect: Rect<ImageSpace>, as size: PixelSize<OutputGrid>, isUnchanged: Bool
    ) -> GeoTags? {
        guard format == .tiff, page == 0, rect.width > 0, rect.height > 0, size.area > 0,
            let directory = TIFFBlock(tiff: FileBytes(opened))?.main, var tags = GeoTags(directory)
        else { return nil }
        // Other samples than bytes are mapped to what is seen.
        let areBytes = directory.ints(258).allSatisfy { $0 == 8 } && (directory.int(339) ?? 1) == 1
        if !isUnchanged || !areBytes { tags.noData = nil }
        guard tags.isPlaced || tags.noData != nil else { return nil }
        let whole = uprightSize
        let (across, down) = (rect.width / Double(size.width), rect.height / Double(size.height))
        // Upright points by the point of the picture, then turned and mirrored to those of the stored pixels.
        var columns = (constant: rect.minX, across: across, down: 0.0)
        var rows = (constant: rect.minY, across: 0.0, down: down)
        if orientation.flipsX { columns = (Double(whole.width) - rect.minX, -across, 0) }
        if orientation.flipsY { rows = (Double(whole.height) - rect.minY, 0, -down) }
        return tags.moved(
            by: orientation.transposes
                ? GeoTags.PixelMap(x: rows, y: columns) : GeoTags.PixelMap(x: columns, y: rows))
    }
}
