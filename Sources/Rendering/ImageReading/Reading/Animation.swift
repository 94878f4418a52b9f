package import Pictures
internal import Resampling
internal import TilePyramid
package import ViewportGeometry
internal import Vips

/// The frames of an animation with their durations.
package struct Animation: Sendable {
    package let file: ImageFile
    /// The duration of each frame in milliseconds.
    package let delays: [Int]
    /// The number of times it plays; 0 for an endless loop.
    package let loop: Int
    /// Reads one frame, as far as planning is concerned; the rows of further frames follow.
    package let reader: any LevelReader

    /// Returns nil where the file is not animated.
    ///
    /// - Throws: `RenderingError` where it cannot be decoded.
    package init?(_ file: ImageFile) throws(RenderingError) {
        guard file.isAnimated, let frames = file.source.capabilities.frames
        else { return nil }
        // libvips stacks all frames vertically.
        let (strip, isSequential) = try frames.openFrames()
        let count = strip.height / file.storedSize.height
        guard strip.width == file.storedSize.width, count > 1 else { return nil }
        self.file = file
        let stored = strip.ints("delay") ?? []
        delays = (0..<count).map { $0 < stored.count ? stored[$0] : Self.defaultDelay }
        loop = strip.int("loop") ?? 0
        do {
            reader = try LoaderLevel(
                file: file.opened, level: file.pyramid.full, image: strip.readable(),
                isSequential: isSequential)
        } catch {
            throw .decoding(file.opened, log: error.log)
        }
    }

    /// The default of browsers for files without durations.
    private static let defaultDelay = 100

    /// Processes the frames one after the other.
    ///
    /// - Parameter make: receives a function that lends the rows of a rectangle of the frame; it must call it once.
    package func frames<R>(
        _ rect: PixelRect<StoredGrid>, _ make: (((RawSpan) throws -> Void) throws -> Void) throws -> R
    ) throws -> [R] {
        let height = file.storedSize.height
        let layout = reader.pixels.layout
        let rowBytes = rect.width * layout.pixelBytes
        var results: [R] = []
        var frame = RowCollector(byteCount: rowBytes * rect.height)
        var y = 0
        let strip = PixelRect<StoredGrid>(x: rect.x, y: 0, width: rect.width, height: height * delays.count)
        try reader.read(strip) { row in
            if (rect.y..<rect.maxY).contains(y % height) { frame.push(row) }
            y += 1
            guard y % height == 0 else { return }
            results.append(
                try make { push in
                    for row in 0..<rect.height {
                        try frame.pixels.withRow((row * rowBytes)..<((row + 1) * rowBytes), push)
                    }
                })
            frame.removeAll()
        }
        return results
    }
}
