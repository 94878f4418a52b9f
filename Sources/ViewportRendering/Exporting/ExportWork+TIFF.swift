internal import Files
internal import TilePyramid
internal import ViewportGeometry

extension ExportWork {
    /// Writes all levels as one tiled TIFF, in one pass over the image.
    func writeTIFF(_ progress: @escaping @Sendable (Double) throws -> Void) throws -> ExportReport {
        let pyramid = TiledPyramid(size: size, tileSize: options.tileSize, overlap: 0, depth: .oneTile)
        let codec = try TIFFTileCodec(
            source.samples, side: options.tileSize,
            quality: options.format == .jpg ? options.quality ?? Self.usualQuality : nil)
        let output = try TIFFPyramidFile(
            folder.path(of: OutputPaths.mainName), pyramid, codec)
        let workers = TileWorkers()
        let (samples, orientation) = (source.samples, file.orientation)
        do {
            let builder = try LevelBuilder(0, of: pyramid, orientation, samples) { _ in
                nil
            } emit: { tile in
                try workers.submit {
                    let picture = try tile.picture(samples, orientation)
                    try output.append(codec.encode(picture.bytes, picture.size), of: tile.key)
                }
            }
            var rows = 0
            try source.read { row in
                try builder.push(row)
                rows += 1
                if rows % 64 == 0 { try progress(Double(rows) / Double(source.size.height)) }
            }
            try workers.finish()
        } catch {
            workers.abandon()
            throw error
        }
        try output.finish()
        try progress(1)
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount, cutTiles: 0,
            bytes: folder.size(of: OutputPaths.mainName))
    }

    /// libvips' for JPEG tiles.
    private static let usualQuality = 75
}
