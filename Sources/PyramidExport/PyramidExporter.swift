internal import Files
internal import Synchronization
package import TilePyramid
internal import ViewportGeometry
package import ViewportRendering
internal import Vips

/// Writes an image as a pyramid of tiles, in one pass over the file.
///
/// Memory follows the width of the image: about two rows of tiles of each level are held. Nothing is seen under
/// the final name before everything is there.
package struct PyramidExporter: Sendable {
    package var options: ExportOptions

    package init(options: ExportOptions) {
        self.options = options
    }

    /// Exports an image on the calling thread, which it blocks.
    ///
    /// - Parameters:
    ///   - output: the name as it was given; Deep Zoom's `.dzi` may be left out.
    ///   - progress: told the share that is done, from 0 to 1, on any thread; what it throws stops the export.
    /// - Throws: `RenderingError`, `FileError`, or what `progress` throws.
    package func export(
        _ file: ImageFile, to output: String, progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport {
        let paths = OutputPaths(output, options.layout, input: file.path, replaces: options.replaces)
        try paths.check()
        let threads = VipsLibrary.concurrency
        // Each tile is one thread's work; dividing it further only costs.
        VipsLibrary.setConcurrency(1)
        defer { VipsLibrary.setConcurrency(threads) }
        let folder = try OutputFolder(beside: paths.main)
        defer { folder.discard() }
        let source = try ConvertedRows(
            file, background: options.format.pictureFormat.hasAlpha ? nil : options.background)
        let work = ExportWork(
            options: options, file: file, source: source, folder: folder,
            cutter: source.isUnchanged ? usableCutter(file) : nil)
        var report: ExportReport?
        try file.opened.checkedRows {
            report = try work.run(archived: OutputFile.name(of: paths.main), progress)
        }
        guard let report else { throw CancellationError() }
        try paths.publish(from: folder)
        return report
    }

    /// What cuts tiles of full resolution out of the file, where what it cuts is what is asked for.
    private func usableCutter(_ file: ImageFile) -> (any TileCutter)? {
        let isAsked = options.format == .jpg && options.quality == nil && options.layout != .tif
        guard isAsked, options.overlap == 0 else { return nil }
        return StoredTiles(file)?.cutter(forTiles: options.tileSize)
    }
}

/// How a pyramid is exported.
package struct ExportOptions: Sendable {
    package var layout: PyramidLayout
    /// The side of a tile without its overlap.
    package var tileSize: Int
    /// How far tiles reach into their neighbors; Deep Zoom alone has that.
    package var overlap: Int
    package var format = TileFormat.jpg
    /// 1 to 100 for jpg and webp; nil for the format's usual one, and for JPEG tiles that may be cut as they are.
    package var quality: Int?
    /// What is seen through the image where the format cannot be transparent.
    package var background = Color.white
    /// Whether smaller levels are resampled from the file, as servers and `render` do, and not from one another.
    package var isExact = false
    /// Whether a pyramid that this program did not make goes once the new one is whole.
    package var replaces = false
    /// The address that an `info.json` gives for the image.
    package var id = ""

    package init(_ layout: PyramidLayout) {
        self.layout = layout
        tileSize = layout.standardTileSize
        overlap = layout.standardOverlap
    }
}

/// What an export made.
package struct ExportReport: Sendable {
    /// The sizes of the levels, from full resolution down.
    package var levels: [TileGrid]
    /// The files of tiles, or the tiles in a TIFF.
    package var tiles: Int
    /// How many of them were cut out of the file without decoding.
    package var cutTiles: Int
    /// The bytes of all files.
    package var bytes: Int
}

/// How the files of an exported pyramid are named and described.
package enum PyramidLayout: String, CaseIterable, Sendable {
    /// Deep Zoom: `NAME.dzi` and `NAME_files/`.
    case dz
    /// A folder that is a level-0 image of the IIIF Image API 3.0.
    case iiif
    /// A folder in Zoomify's layout.
    case zoomify
    /// One tiled TIFF with all levels.
    case tif
    /// Deep Zoom in a ZIP archive, stored: an SZI.
    case zip

    /// The side of a tile unless another is asked for: what `vips dzsave` and `vips tiffsave` take.
    package var standardTileSize: Int {
        switch self {
        case .dz, .zip: 254
        case .iiif: 512
        case .zoomify, .tif: 256
        }
    }

    /// How far tiles reach into their neighbors unless something else is asked for.
    package var standardOverlap: Int { self == .dz || self == .zip ? 1 : 0 }
}

/// What the tiles of an exported pyramid are written as.
package enum TileFormat: String, CaseIterable, Sendable {
    case jpg, png, webp

    /// The same as a picture's format.
    package var pictureFormat: PictureFormat {
        switch self {
        case .jpg: .jpg
        case .png: .png
        case .webp: .webp
        }
    }

    /// The longest side that its files can have.
    ///
    /// Source: libjpeg's and libwebp's headers, PNG's third edition.
    var longestSide: Int {
        switch self {
        case .jpg: 65500
        case .png: 0x7FFF_FFFF
        case .webp: 16383
        }
    }
}
