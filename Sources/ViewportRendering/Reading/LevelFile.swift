package import Files
package import TilePyramid
package import Vips

/// One level of an image in a TIFF of its own, as caches keep it.
package enum LevelFile {
    /// Opens such a file for reading.
    package static func reader(
        of file: OpenFile, as level: PyramidLevel
    ) throws -> any LevelReader {
        let loader = LoaderFile(
            file: file, loader: "VipsForeignLoadTiffFile", format: .tiff, options: OpenOptions())
        return LoaderLevel(
            file: file, level: level, image: try loader.header().readable(), isSequential: false)
    }

    /// The libvips image that a reader reads; nil where its pixels come from elsewhere.
    package static func image(of reader: any LevelReader) -> VipsImage? { (reader as? LoaderLevel)?.image }
}
