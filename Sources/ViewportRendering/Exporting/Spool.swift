internal import Files
internal import Synchronization
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
        let stop = Stop()
        do throws(VipsError) {
            let image = try VipsImage.rawFile(
                path, width: size.width, height: size.height, bands: samples.bands,
                interpretation: samples.interpretation)
            try image.turned(orientation).save(output, with: saver, arguments) { share in
                do {
                    try progress(share)
                    return true
                } catch {
                    stop.reason.withLock { $0 = $0 ?? error }
                    return false
                }
            }
        } catch {
            if let reason = stop.reason.withLock({ $0 }) { throw reason }
            throw RenderingError.cannotEncode(format: format.rawValue, detail: error.log)
        }
        try progress(1)
    }

    /// Takes the pixels away.
    func remove() { OutputFile.remove(path) }
}

/// Why a saver was stopped.
private final class Stop: Sendable {
    let reason = Mutex<(any Error)?>(nil)
}
