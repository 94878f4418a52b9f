internal import Files
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

extension ExportWork {
    /// Lets libvips write the tiled TIFF, from the image itself where its rows come in the order of the picture.
    func writeTIFF(_ progress: @escaping @Sendable (Double) throws -> Void) throws -> ExportReport {
        let output = folder.path(of: OutputPaths.mainName)
        // Turned about, pixels are needed in another order than they come in.
        let keepsRows = file.orientation == .up || file.orientation == .upMirrored
        if keepsRows, let image = try source.image() {
            try writeTIFF(image, to: output, progress)
        } else {
            try writeSpooledTIFF(to: output, progress)
        }
        let pyramid = TiledPyramid(size: size, tileSize: options.tileSize, overlap: 0, depth: .oneTile)
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount, cutTiles: 0,
            bytes: folder.size(of: OutputPaths.mainName))
    }

    /// Reads, converts and writes in one pass of libvips.
    private func writeTIFF(
        _ image: VipsImage, to output: String, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        do {
            try image.turned(file.orientation).save(
                output, with: "tiffsave", arguments, progress: progress)
        } catch let error as SavingError {
            throw error.naming(file.path, .tif)
        }
    }

    /// Reads the image into a file of its pixels, and writes from that.
    private func writeSpooledTIFF(
        to output: String, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        let tell = ExportProgress(weights: [1, 3], progress)
        let path = folder.path(of: "level-0")
        let rows = try RowFile(path)
        var count = 0
        try source.read { row in
            try rows.append(row)
            count += 1
            if count % 64 == 0 { try tell.tell(Double(count) / Double(source.size.height), of: 0) }
        }
        try rows.flush()
        let spool = Spool(
            path: path, size: source.size, samples: source.samples, orientation: file.orientation)
        try spool.save(output, with: "tiffsave", arguments, format: .tif) { try tell.tell($0, of: 1) }
        spool.remove()
    }

    private var arguments: [String: VipsArgument] {
        var arguments: [String: VipsArgument] = [
            "tile": .bool(true), "pyramid": .bool(true), "tile_width": .int(options.tileSize),
            "tile_height": .int(options.tileSize),
        ]
        if options.format == .jpg {
            arguments["compression"] = .name("jpeg")
            arguments["Q"] = .int(options.quality ?? 75)
        } else {
            arguments["compression"] = .name("deflate")
            arguments["predictor"] = .name("horizontal")
        }
        // A classic TIFF ends at 4 GiB. All levels have a third more pixels than the first, and data that does
        // not compress grows a little.
        let most = source.size.area.multipliedReportingOverflow(by: source.samples.bands * 3 / 2 + 1)
        if most.overflow || most.partialValue > Int(UInt32.max) { arguments["bigtiff"] = .bool(true) }
        return arguments
    }
}
