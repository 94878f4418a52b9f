internal import Files
internal import ViewportGeometry
internal import Vips

/// The pixels of a whole level in a file without a header, as they lie in the image's file.
struct Spool: Sendable {
    let path: String
    let size: PixelSize<StoredGrid>
    let samples: TileSamples
    let orientation: Orientation

    /// Writes the level upright with one of libvips' savers; memory does not follow its size.
    ///
    /// - Parameter progress: told the share that is done; what it throws stops the saver.
    func save(
        _ output: String, with saver: String, _ arguments: [String: VipsArgument], format: PictureFormat,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        do {
            let image = try VipsImage.rawFile(
                path, size: size, bands: samples.bands, interpretation: samples.interpretation)
            try image.turned(orientation).save(output, with: saver, arguments, progress: progress)
        } catch let error as SavingError {
            throw error.naming(path)
        } catch let error as VipsError {
            throw RenderingError.cannotEncode(format: format.rawValue, detail: error.log)
        }
    }

    /// Takes the pixels away.
    func remove() { OutputFile.remove(path) }
}
