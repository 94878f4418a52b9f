internal import Files
internal import Pictures
internal import Resampling
internal import ViewportGeometry
internal import Vips

/// Frames of an animation in memory, one below the other, as libvips keeps them.
struct FrameStrip {
    let file: OpenFile
    /// The size of a frame.
    let size: PixelSize<StoredGrid>
    let pixels: SourcePixelFormat
    /// The most pixels of all frames.
    let limit: Int

    /// Throws where so many frames take more memory than a picture may: a small file can state any size.
    func check(count: Int) throws(RenderingError) {
        let (area, overflow) = size.area.multipliedReportingOverflow(by: count)
        guard !overflow, area <= limit else {
            throw .tooManyPixels(
                file: file.path, size: PixelSize(width: size.width, height: size.height * count), limit: limit
            )
        }
    }

    /// Returns an image of the frames.
    ///
    /// - Parameters:
    ///   - delays: the time of each frame in milliseconds.
    ///   - fill: passes the samples of all frames, in order.
    func image(
        delays: [Int], loop: Int, _ fill: (_ push: ([UInt8]) -> Void) throws(RenderingError) -> Void
    ) throws(RenderingError) -> VipsImage {
        let count = delays.count
        try check(count: count)
        var samples: [UInt8] = []
        samples.reserveCapacity(size.area * pixels.layout.pixelBytes * count)
        try fill { samples += $0 }
        do throws(VipsError) {
            return try VipsImage.pixels(
                samples, width: size.width, height: size.height * count, bands: pixels.layout.bands,
                format: pixels.layout.type == .uint16 ? .uint16 : .uint8,
                interpretation: pixels.interpretation
            ).withoutMetadata(profile: pixels.profile).animated(
                pageHeight: size.height, delays: delays, loop: loop)
        } catch {
            throw .decoding(file, log: error.log)
        }
    }
}
