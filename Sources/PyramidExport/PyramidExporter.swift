internal import Basics
internal import Files
internal import Synchronization
package import TilePyramid
internal import ViewportGeometry
public import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
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

    /// Makes an exporter.
    public init(options: ExportOptions) {
        self.options = options
    }

    /// Exports an image without blocking the calling thread.
    ///
    /// - Parameters:
    ///   - output: the path of the file or folder; the `.dzi` of Deep Zoom may be left out.
    ///   - progress: gets the share that is done, from 0 to 1, on any thread.
    /// - Throws: `ExportError`, `RenderingError`, or `CancellationError` soon after the task is cancelled; nothing
    ///   is left behind then.
    @discardableResult
    public func export(
        _ file: ImageFile, to output: String, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> ExportReport {
        // Progress comes from threads that know no task.
        let isCancelled = CancellationFlag()
        do {
            return try await withTaskCancellationHandler {
                try await BlockingExecutor.background.run {
                    try exportSynchronously(file, to: output) { share in
                        guard !isCancelled.value.load(ordering: .relaxed) else { throw CancellationError() }
                        progress(share)
                    }
                }
            } onCancel: {
                isCancelled.value.store(true, ordering: .relaxed)
            }
        } catch let error as FileError {
            throw ExportError.unwritable(path: output, reason: "\(error)")
        }
    }

    /// Exports an image on the calling thread, which it blocks.
    ///
    /// - Parameter progress: gets the share that is done, from 0 to 1, on any thread; what it throws stops the
    ///   export.
    /// - Throws: `ExportError.invalid`, `RenderingError`, `FileError`, or what `progress` throws.
    package func exportSynchronously(
        _ file: ImageFile, to output: String, progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport {
        try options.check()
        let paths = OutputPaths(
            output, options.layout, input: file.opened.hasPath ? file.path : nil, replaces: options.replaces)
        try paths.check()
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

/// Cancels an export from outside of its task.
private final class CancellationFlag: Sendable {
    let value = Atomic(false)
}

/// Why a pyramid could not be exported.
public enum ExportError: Error, Equatable, Sendable {
    /// An option is outside of what the layout or the format can have.
    case invalid(option: String, reason: String)
    /// The output cannot be written, or would replace what must stay.
    case unwritable(path: String, reason: String)
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
public struct ExportOptions: Sendable {
    /// How the files are named and described.
    public var layout: PyramidLayout
    /// The side of a tile without its overlap.
    public var tileSize: Int
    /// How far tiles reach into their neighbors; Deep Zoom alone has that.
    public var overlap: Int
    /// What tiles are encoded as.
    public var format = TileFormat.jpg
    /// 1 to 100 for jpg and webp; nil for the format's usual one, and for JPEG tiles that may be cut as they are.
    public var quality: Int?
    /// What is seen through the image where the format cannot be transparent.
    public var background = Color.white
    /// Whether smaller levels are resampled from the file, as servers and `render` do, and not from one another.
    public var isExact = false
    /// Whether a pyramid that this program did not make goes once the new one is whole.
    public var replaces = false
    /// The address that an `info.json` gives for the image.
    public var id = ""

    /// The usual options of a layout.
    public init(_ layout: PyramidLayout) {
        self.layout = layout
        tileSize = layout.standardTileSize
        overlap = layout.standardOverlap
    }

    /// Refuses what would trap or make no pyramid.
    func check() throws(ExportError) {
        guard (1...8192).contains(tileSize), layout != .tif || tileSize % 16 == 0 else {
            throw .invalid(option: "tileSize", reason: "has to be 1 to 8192, and a multiple of 16 in a TIFF")
        }
        guard (0...8192).contains(overlap), overlap == 0 || layout == .dz || layout == .zip else {
            throw .invalid(option: "overlap", reason: "has to be 0 to 8192 in Deep Zoom, and 0 elsewhere")
        }
        guard (1...100).contains(quality ?? 1) else {
            throw .invalid(option: "quality", reason: "has to be 1 to 100")
        }
        guard layout != .tif || format != .webp else {
            throw .invalid(option: "format", reason: "has to be jpg or png in a TIFF")
        }
    }
}

/// What an export made.
public struct ExportReport: Sendable {
    /// The grids of the levels, from full resolution down.
    package var levels: [TileGrid]
    /// The sizes of the levels in upright pixels, from full resolution down.
    public var levelSizes: [PixelSize<UprightGrid>] { levels.map(\.size) }
    /// The files of tiles, or the tiles in a TIFF.
    public var tiles: Int
    /// How many of them were cut out of the file without decoding.
    public var cutTiles: Int
    /// The bytes of all files.
    public var bytes: Int
}

/// How the files of an exported pyramid are named and described.
public enum PyramidLayout: String, CaseIterable, Sendable {
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
    public var standardTileSize: Int {
        switch self {
        case .dz, .zip: 254
        case .iiif: 512
        case .zoomify, .tif: 256
        }
    }

    /// How far tiles reach into their neighbors unless something else is asked for.
    public var standardOverlap: Int { self == .dz || self == .zip ? 1 : 0 }
}

/// What the tiles of an exported pyramid are written as.
public enum TileFormat: String, CaseIterable, Sendable {
    /// JPEG.
    case jpg
    /// PNG.
    case png
    /// WebP.
    case webp

    /// The same as a picture's format.
    public var pictureFormat: PictureFormat {
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
