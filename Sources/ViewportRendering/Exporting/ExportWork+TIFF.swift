internal import Files
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

extension ExportWork {
    /// Reads the image once into a file of its pixels, then lets libvips write the tiled TIFF from that.
    ///
    /// The pixels lie on disk meanwhile: turned upright they are needed in another order than they come in.
    func writeTIFF(_ progress: @escaping @Sendable (Double) throws -> Void) throws -> ExportReport {
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
        try spool.save(
            folder.path(of: OutputPaths.mainName), with: "tiffsave", arguments, format: .tif
        ) { try tell.tell($0, of: 1) }
        spool.remove()
        let pyramid = TiledPyramid(size: size, tileSize: options.tileSize, overlap: 0, depth: .oneTile)
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount, cutTiles: 0,
            bytes: folder.size(of: OutputPaths.mainName))
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
