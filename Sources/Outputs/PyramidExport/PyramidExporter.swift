internal import Basics
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
package import TilePyramid
internal import ViewportGeometry
public import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
public import WorkReporting
#endif

/// Writes an image as a pyramid of tiles, in one pass over the file.
///
/// Memory follows the width of the image: about two rows of tiles of each level are held. The output appears
/// atomically, under its final name when all of it is written.
///
/// ```swift
/// let options = ExportOptions(.dz)
/// let report = try await PyramidExporter(options: options).export(ImageFile(path: "photo.jpg"), to: "photo.dzi")
/// ```
public struct PyramidExporter: Sendable {
    /// How the pyramid is laid out and encoded.
    public var options: ExportOptions

    /// Creates an exporter.
    public init(options: ExportOptions) {
        self.options = options
    }

    /// Exports an image without blocking the calling thread.
    ///
    /// - Parameters:
    ///   - output: the path of the file or folder; the `.dzi` of Deep Zoom may be left out. The extension of another
    ///     layout is refused, unless a slash at its end says that it is a folder's.
    ///   - progress: receives the share that is done, on any thread.
    /// - Throws: `ExportError`, `RenderingError`, or `CancellationError` soon after the task is cancelled; nothing
    ///   is left behind then.
    @discardableResult
    public func export(
        _ file: ImageFile, to output: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ExportReport {
        // Progress is reported on threads without a task.
        let isCancelled = CancellationFlag()
        let reporter = ProgressReporter(.thousandths, of: 1000, progress)
        do {
            let report = try await withTaskCancellationHandler {
                try await BlockingExecutor.background.run {
                    try exportSynchronously(file, to: output) { share in
                        guard !isCancelled.isRaised else { throw CancellationError() }
                        reporter.report(fraction: share)
                    }
                }
            } onCancel: {
                isCancelled.raise()
            }
            reporter.finish()
            return report
        } catch let error as FileError {
            throw ExportError.unwritable(path: output, reason: "\(error)")
        }
    }

    /// Exports an image on the calling thread, which is blocked.
    ///
    /// - Parameter progress: receives the share that is done, from 0 to 1, on any thread; throwing stops the
    ///   export.
    /// - Throws: `ExportError.invalid`, `RenderingError`, `FileError`, or what `progress` throws.
    package func exportSynchronously(
        _ file: ImageFile, to output: String, progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport {
        try options.check()
        try options.layout.check(output)
        let paths = OutputPaths(
            output, options.layout, input: file.opened.hasPath ? file.path : nil, replaces: options.replaces)
        try paths.check()
        let folder = try OutputFolder(beside: paths.main)
        defer { folder.discard() }
        var report: ExportReport?
        try file.opened.checkedRows {
            guard options.layout != .cube else {
                report = try CubeWork(options, file, in: folder).run(progress)
                return
            }
            report =
                try jpegTIFF(file, in: folder, progress)
                ?? work(file, in: folder).run(archived: OutputFile.name(of: paths.main), progress)
        }
        guard let report else { throw CancellationError() }
        try paths.publish(from: folder)
        return report
    }

    /// Writes a TIFF of the blocks of a JPEG; nil where pixels have to be turned or converted.
    private func jpegTIFF(
        _ file: ImageFile, in folder: OutputFolder, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport? {
        guard options.layout == .tif, options.format == .jpg,
            let blocks = StoredBlocks(file, side: options.tileSize)
        else { return nil }
        let pyramid = TiledPyramid(
            size: file.uprightSize, tileSize: options.tileSize, overlap: 0, depth: .oneTile)
        do {
            return try JPEGPyramid.write(
                blocks, pyramid, quality: options.quality,
                TIFFStatements(of: file, options, isUnchanged: options.quality == nil), to: folder, progress)
        } catch let error as JPEGEncodingError {
            throw RenderingError.cannotEncode(format: "tif", detail: "\(error)")
        } catch let error where error is JPEGIndexError || error is JPEGDecodingError {
            // Damaged data is left to libvips, which decides how much of it is shown.
            return nil
        }
    }

    private func work(_ file: ImageFile, in folder: OutputFolder) throws -> ExportWork {
        let source = try ConvertedRows(
            file, background: options.format.pictureFormat.hasAlpha ? nil : options.background)
        let cutter = source.isUnchanged ? usableCutter(file) : nil
        return ExportWork(
            options: options, file: file, source: source,
            half: try cutter == nil ? nil : half(of: file, source), folder: folder, cutter: cutter)
    }

    /// Returns the rows of a JPEG at 1/2, as libjpeg decodes it; nil where they are not exactly level 1.
    private func half(of file: ImageFile, _ source: ConvertedRows) throws -> ConvertedRows? {
        let levels = file.pyramid.levels
        guard file.source.capabilities.blocks != nil, levels.count > 1, source.size.width % 2 == 0,
            source.size.height % 2 == 0
        else { return nil }
        let half = try ConvertedRows(file, background: nil, level: 1)
        return 2 * half.size.width == source.size.width && 2 * half.size.height == source.size.height
            ? half : nil
    }

    /// Returns the cutter for tiles of full resolution, where stored tiles satisfy the options.
    private func usableCutter(_ file: ImageFile) -> (any TileCutter)? {
        let isAsked = options.format == .jpg && options.quality == nil && options.layout != .tif
        guard isAsked, options.overlap == 0 else { return nil }
        return StoredTiles(file, side: options.tileSize)?.cutter(forTiles: options.tileSize)
    }
}

/// Why a pyramid could not be exported.
public enum ExportError: Error, Equatable, Sendable {
    /// An option has a value that the layout or the format does not support.
    case invalid(option: String, reason: String)
    /// The output cannot be written, or would replace files that must not be replaced.
    case unwritable(path: String, reason: String)
}

extension ExportError {
    var reason: String {
        switch self {
        case .invalid(_, let reason), .unwritable(_, let reason): reason
        }
    }
}

extension ExportError: LocalizedError, CustomStringConvertible {
    /// The same as `description`.
    public var errorDescription: String? { description }

    /// One sentence, in English.
    public var description: String {
        switch self {
        case .invalid(let option, let reason): "the pyramid cannot be exported: \(option) \(reason)"
        case .unwritable(let path, let reason): "\(path): \(reason)"
        }
    }
}

/// How a pyramid is exported.
public struct ExportOptions: Hashable, Codable, Sendable {
    /// How the files are named and described.
    public var layout: PyramidLayout
    /// The side of a tile without its overlap.
    public var tileSize: Int
    /// The pixels that tiles share with their neighbors; supported by Deep Zoom only.
    public var overlap: Int
    /// The format of the tiles.
    public var format = TileFormat.jpg
    /// The quality of jpg and webp, 1 to 100; nil for the default, and to allow tiles that are cut out of a JPEG.
    public var quality: Int?
    /// The background of transparent images in formats without transparency.
    public var background = Color.white
    /// Whether every level is resampled from the file, as by servers and `render`, instead of from the previous level.
    public var isExact = false
    /// Whether the tiles of a TIFF have their size before them and their last bytes behind them, by which GDAL reads the parts of a
    /// cloud-optimized GeoTIFF with fewer requests.
    public var framesTiles = false
    /// Whether a pyramid that this program did not write is replaced once the new one is complete.
    public var replaces = false
    /// Whether an image of 2:1 that does not state to be a panorama is taken for the whole sphere, by a cube.
    public var assumesPanorama = false
    /// The URL under which the folder of a IIIF image will be served, without a slash at its end.
    ///
    /// It is the `id` in `info.json`, required for `iiif`, and of no use elsewhere.
    public var id = ""

    /// Creates the default options of a layout.
    public init(_ layout: PyramidLayout) {
        self.layout = layout
        tileSize = layout.standardTileSize
        overlap = layout.standardOverlap
    }

    /// Whether many parts of the image are read, instead of all rows once.
    package var readsParts: Bool { isExact || layout == .cube }

    /// Rejects invalid options.
    func check() throws(ExportError) {
        guard (1...8192).contains(tileSize), layout != .tif || tileSize % 16 == 0 else {
            throw .invalid(option: "tileSize", reason: "must be 1 to 8192, and a multiple of 16 in a TIFF")
        }
        guard (0...8192).contains(overlap), overlap == 0 || layout == .dz || layout == .zip else {
            throw .invalid(option: "overlap", reason: "must be 0 to 8192 in Deep Zoom, and 0 elsewhere")
        }
        guard (1...100).contains(quality ?? 1) else {
            throw .invalid(option: "quality", reason: "must be 1 to 100")
        }
        guard layout != .iiif || !id.isEmpty && !id.hasSuffix("/") else {
            throw .invalid(
                option: "id",
                reason: "must be the address of the image, without a slash at its end")
        }
        guard layout != .tif || format != .webp else {
            throw .invalid(option: "format", reason: "must be jpg or png in a TIFF")
        }
        guard layout == .tif || !framesTiles else {
            throw .invalid(option: "framesTiles", reason: "must be false outside of a TIFF")
        }
        guard layout != .cube || !isExact else {
            throw .invalid(option: "isExact", reason: "must be false for a cube, whose levels are halved")
        }
    }
}

extension ExportOptions {
    /// Decodes options; those that are missing have the defaults of the layout.
    ///
    /// Throws `DecodingError` where an option has a value that the layout or the format does not support.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(PyramidLayout.self, forKey: .layout))
        try values.read(&tileSize, .tileSize)
        try values.read(&overlap, .overlap)
        try values.read(&format, .format)
        try values.read(&quality, .quality)
        try values.read(&background, .background)
        try values.read(&isExact, .isExact)
        try values.read(&framesTiles, .framesTiles)
        try values.read(&replaces, .replaces)
        try values.read(&assumesPanorama, .assumesPanorama)
        try values.read(&id, .id)
        do throws(ExportError) { try check() } catch { throw decoder.invalid("\(error)") }
    }
}

/// The result of an export.
public struct ExportReport: Hashable, Codable, Sendable {
    /// The grids of the levels, from full resolution down.
    package var levels: [TileGrid]
    /// The sizes of the levels in upright pixels, from full resolution down.
    public var levelSizes: [PixelSize<UprightGrid>] { levels.map(\.size) }
    /// The number of tiles, of all faces of a cube.
    public var tiles: Int
    /// The number of tiles that were cut out of the file without decoding.
    public var cutTiles: Int
    package var bytes: Int
    /// The size of all files in bytes.
    public var fileSize: Int { bytes }
}

extension ExportReport: CustomStringConvertible {
    /// The counts and the size: "13 levels, 5461 tiles, 4096 of them cut, 12.3 MB".
    public var description: String {
        "\(levels.count.counted("level")), \(tiles.counted("tile"))"
            + (cutTiles == 0 ? "" : ", \(cutTiles) of them cut") + ", \(bytes.readableBytes)"
    }
}

/// How the files of an exported pyramid are named and described.
public enum PyramidLayout: String, CaseIterable, Codable, Sendable {
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
    /// A folder with the six faces of the cube around a panorama, in Pannellum's multi-resolution layout.
    case cube

    /// The default side of a tile, as in `vips dzsave` and `vips tiffsave`.
    public var standardTileSize: Int {
        switch self {
        case .dz, .zip: 254
        case .iiif, .cube: 512
        case .zoomify, .tif: 256
        }
    }

    /// The default overlap.
    public var standardOverlap: Int { self == .dz || self == .zip ? 1 : 0 }
}

extension PyramidLayout {
    /// Creates the layout of files with an extension, in any case; nil if there is none.
    package init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "dzi": self = .dz
        case "tif", "tiff": self = .tif
        case "zip", "szi": self = .zip
        default: return nil
        }
    }

    /// Whether it is a folder with its descriptor in it.
    var isFolderOfTiles: Bool { self == .iiif || self == .zoomify || self == .cube }

    /// Rejects a name with the extension of another layout, which the output would not be.
    func check(_ output: String) throws(ExportError) {
        let ending = FilePath(output).names.last?.fileExtension?.text ?? ""
        guard let named = Self(fileExtension: ending), named != self else { return }
        let isFolder = output.hasSuffix("/") || Folder.isFolder(output, followingLinks: true)
        guard !isFolder || !isFolderOfTiles else { return }
        throw .unwritable(
            path: output,
            reason: "the extension .\(ending) is for the layout \(named), and this one is \(self)")
    }
}

/// The format of the tiles of an exported pyramid.
public enum TileFormat: String, CaseIterable, Codable, Sendable {
    /// JPEG.
    case jpg
    /// PNG.
    case png
    /// WebP.
    case webp

    /// The corresponding picture format.
    public var pictureFormat: PictureFormat {
        switch self {
        case .jpg: .jpg
        case .png: .png
        case .webp: .webp
        }
    }

    /// The longest side of a picture in the format.
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
