internal import Files
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
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
        // Each tile is one thread's work; dividing it further only costs. A TIFF is libvips' work as a whole.
        if options.layout != .tif { VipsLibrary.setConcurrency(1) }
        defer { VipsLibrary.setConcurrency(threads) }
        let folder = try OutputFolder(beside: paths.main)
        defer { folder.discard() }
        let source = try SourceRows(
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
