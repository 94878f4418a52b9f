internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// The frames of an animated PNG, which libvips does not read.
///
/// Frames have red, green, blue and alpha of 8 bits.
///
/// Source: PNG (third edition), 4.9 and 11.3.6.
struct APNGFrames: Sendable {
    fileprivate struct Frame {
        var rect: PixelRect<StoredGrid>
        /// In milliseconds.
        var delay: Int
        /// 0 keeps the pixels for the next frame, 1 clears them, 2 restores those of before.
        var disposal: Int
        /// Whether its pixels are composed over those that are there.
        var isOver: Bool
        /// The ranges of its compressed data in the file.
        var data: [Range<Int>] = []
    }

    /// What the chunks say of the frames.
    private struct List {
        /// The chunks PLTE and tRNS.
        var palette: [UInt8] = []
        var loop = 0
        var frames: [Frame] = []
    }

    private let file: OpenFile
    private let options: OpenOptions
    let size: PixelSize<StoredGrid>
    /// The depth and the kind of samples, and what follows in IHDR.
    private let kind: [UInt8]
    /// The profile of all frames; nil for sRGB.
    fileprivate let profile: [UInt8]?
    private let list = Once<List?>()

    /// The number of frames.
    let count: Int

    private static let mostFrames = 1 << 14
    private static let mostBytes = 1 << 28

    /// Returns nil for pictures without a second frame, and for damaged ones.
    ///
    /// Of a remote file, only the number of frames is read, which the file states: each chunk would take a request.
    init?(_ file: OpenFile, _ options: OpenOptions, _ colors: PNGColors, embedded profile: [UInt8]?) {
        let bytes = FileBytes(file)
        guard let header = bytes.slice(8, 25)?.array, header[4..<8].elementsEqual("IHDR".utf8),
            let width = header.uint32(at: 8), let height = header.uint32(at: 12), width > 0, height > 0,
            let stated = Self.statedCount(bytes), stated > 1
        else { return nil }
        (self.file, self.options, size) = (file, options, PixelSize(width: width, height: height))
        kind = Array(header[16..<21])
        self.profile = colors.profile(embedded: profile, isGray: false)
        if file.isRemote {
            guard stated <= Self.mostFrames else { return nil }
            count = stated
        } else {
            let size = size
            guard let list = (try? list.value { Self.list(bytes, in: size) }) ?? nil, list.frames.count > 1
            else { return nil }
            count = list.frames.count
        }
    }

    /// Returns what the chunks say of the frames.
    ///
    /// - Throws: `RenderingError` for a remote file whose frames are damaged.
    private func read() throws(RenderingError) -> List {
        if list.valueIfMade == nil { try file.copyForDecoder(options) }
        let found = try list.value(cancelled: RenderingError(.cancelled, file: file.path)) {
            () throws(RenderingError) in
            Self.list(FileBytes(file), in: size)
        }
        guard let found, found.frames.count == count else {
            throw .damaged(file: file.path, detail: "it has fewer frames than it states")
        }
        return found
    }

    private static func list(_ bytes: FileBytes, in size: PixelSize<StoredGrid>) -> List? {
        var (palette, loop, frames): ([UInt8], Int, [Frame]) = ([], 0, [])
        var chunks = PNGChunks(bytes)
        var length = 0
        while let chunk = (try? chunks.next()) ?? nil, chunk.type != "IEND",
            chunk.whole.upperBound <= bytes.count
        {
            switch chunk.type {
            case "acTL": loop = bytes.uint32(at: chunk.body.lowerBound + 4) ?? 0
            case "PLTE", "tRNS": palette += bytes.slice(chunk.whole)?.array ?? []
            case "fcTL":
                guard frames.count < mostFrames, let body = bytes.slice(chunk.body),
                    let frame = Frame(body, in: size)
                else { return nil }
                frames.append(frame)
            // Without a frame before it, the picture is not a part of the animation.
            case "IDAT":
                if !frames.isEmpty { frames[frames.count - 1].data.append(chunk.body) }
            case "fdAT":
                guard !frames.isEmpty, chunk.body.count > 4 else { return nil }
                frames[frames.count - 1].data.append((chunk.body.lowerBound + 4)..<chunk.body.upperBound)
            default: break
            }
            length += chunk.body.count
            guard length <= mostBytes else { return nil }
        }
        // The last one may be cut off.
        frames.removeAll { $0.data.isEmpty }
        return List(palette: palette, loop: loop, frames: frames)
    }

    /// The number of frames that is stated before the image data.
    private static func statedCount(_ bytes: FileBytes) -> Int? {
        var chunks = PNGChunks(bytes)
        while let chunk = (try? chunks.next()) ?? nil, chunk.type != "IDAT" {
            if chunk.type == "acTL" { return bytes.uint32(at: chunk.body.lowerBound) }
        }
        return nil
    }

    /// The format of frames.
    fileprivate var pixels: SourcePixelFormat { .rgb(hasAlpha: true, profile: profile) }

    private var strip: FrameStrip {
        FrameStrip(file: file, size: size, pixels: pixels, limit: OpenOptions.defaultWholeMemory / 4)
    }

    /// Lends the pixels of the frames as they are shown, up to one.
    private func compose(
        upTo last: Int, _ push: (_ canvas: [UInt8], _ index: Int) throws(RenderingError) -> Void
    ) throws(RenderingError) {
        try strip.check(count: 1)
        let list = try read()
        var canvas = [UInt8](repeating: 0, count: size.area * 4)
        for (index, frame) in list.frames.prefix(last + 1).enumerated() {
            guard !Task.isCancelled else { throw RenderingError(.cancelled, file: file.path) }
            // A copy only where it is shown again.
            let former = frame.disposal == 2 ? canvas : []
            draw(frame, try pixels(of: frame, list.palette), on: &canvas)
            try push(canvas, index)
            switch frame.disposal {
            case 1: draw(frame, nil, on: &canvas)
            // There is nothing before the first frame.
            case 2: canvas = index == 0 ? [UInt8](repeating: 0, count: canvas.count) : former
            default: break
            }
        }
    }

    /// Draws a frame; without pixels, clears its place.
    private func draw(_ frame: Frame, _ pixels: [UInt8]?, on canvas: inout [UInt8]) {
        for y in 0..<frame.rect.height {
            var at = 4 * ((frame.rect.y + y) * size.width + frame.rect.x)
            var from = 4 * y * frame.rect.width
            for _ in 0..<frame.rect.width {
                defer { (at, from) = (at + 4, from + 4) }
                guard let pixels else {
                    for band in 0..<4 { canvas[at + band] = 0 }
                    continue
                }
                let alpha = Int(pixels[from + 3])
                if frame.isOver && alpha < 255 && canvas[at + 3] > 0 {
                    guard alpha > 0 else { continue }
                    let below = Int(canvas[at + 3]) * (255 - alpha)
                    let whole = alpha * 255 + below
                    for band in 0..<3 {
                        let sum = Int(pixels[from + band]) * alpha * 255 + Int(canvas[at + band]) * below
                        canvas[at + band] = UInt8((sum + whole / 2) / whole)
                    }
                    canvas[at + 3] = UInt8((whole + 127) / 255)
                } else {
                    for band in 0..<4 { canvas[at + band] = pixels[from + band] }
                }
            }
        }
    }

    /// Decodes the pixels of a frame.
    private func pixels(of frame: Frame, _ palette: [UInt8]) throws(RenderingError) -> [UInt8] {
        let image = try ImageFile.read(
            RenderingError.naming(file.path) { () throws(FileError) in
                try OpenFile(bytes: try picture(of: frame, palette), name: file.path)
            }, OpenOptions(), false)
        let reader = try image.source.open(image.pyramid.full)
        let layout = reader.pixels.layout
        var collector = RowCollector(byteCount: frame.rect.size.area * layout.pixelBytes)
        do {
            try reader.read(PixelRect(frame.rect.size)) { collector.push($0) }
        } catch let error as RenderingError {
            throw error
        } catch {
            throw RenderingError(.cancelled, file: file.path)
        }
        let samples = collector.pixels
        let wide = layout.type == .uint16
        func sample(_ index: Int) -> UInt8 {
            #if _endian(little)
            return wide ? samples[2 * index + 1] : samples[index]
            #else
            return wide ? samples[2 * index] : samples[index]
            #endif
        }
        let colors = layout.bands - (layout.hasAlpha ? 1 : 0)
        return (0..<frame.rect.size.area).flatMap { pixel in
            let at = pixel * layout.bands
            return [
                sample(at), sample(at + (colors == 1 ? 0 : 1)), sample(at + (colors == 1 ? 0 : 2)),
                layout.hasAlpha ? sample(at + colors) : 255,
            ]
        }
    }

    /// Returns a PNG of one frame.
    private func picture(of frame: Frame, _ palette: [UInt8]) throws(FileError) -> [UInt8] {
        let size = UInt32(frame.rect.width).bytes(.big) + UInt32(frame.rect.height).bytes(.big)
        var picture = PNGChunk.signature + PNGChunk.bytes("IHDR", size + kind) + palette
        for range in frame.data { PNGChunk.append("IDAT", try file.bytes(range)[...], to: &picture) }
        return picture + PNGChunk.bytes("IEND", [])
    }
}

extension APNGFrames.Frame {
    /// Parses a chunk fcTL; nil where the frame is not in the picture.
    fileprivate init?(_ body: FileBytes, in size: PixelSize<StoredGrid>) {
        let numbers = [4, 8, 12, 16].compactMap { body.uint32(at: $0) }
        guard numbers.count == 4, let time = body.uint16(at: 20), let unit = body.uint16(at: 22),
            let disposal = body.uint8(at: 24), let blending = body.uint8(at: 25), numbers[0] > 0,
            numbers[1] > 0, numbers[2] + numbers[0] <= size.width, numbers[3] + numbers[1] <= size.height
        else { return nil }
        self.init(
            rect: PixelRect(x: numbers[2], y: numbers[3], width: numbers[0], height: numbers[1]),
            delay: time * 1000 / (unit == 0 ? 100 : unit), disposal: Int(disposal), isOver: blending == 1)
    }
}

extension APNGFrames: FrameReading {
    func openFrames() throws(RenderingError) -> (strip: VipsImage, isSequential: Bool) {
        // Before a remote file is copied for its list.
        try strip.check(count: count)
        let list = try read()
        let image = try strip.image(delays: list.frames.map(\.delay), loop: list.loop) {
            push throws(RenderingError) in
            try compose(upTo: count - 1) { canvas, _ in push(canvas) }
        }
        return (image, false)
    }
}

/// One frame of an animated PNG, which is composed when it is opened.
struct APNGFrameSource: ImageSource {
    let frames: APNGFrames
    let page: Int

    var pyramid: Pyramid { Pyramid(size: frames.size) }
    var description: String { "whole frames" }

    var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: .sequential)
        capabilities.frames = frames
        return capabilities
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        SampledLevel(level: level, pixels: pixels, samples: try frames.canvas(page))
    }

    var pixels: SourcePixelFormat { frames.pixels }
}

extension APNGFrames {
    /// Returns the pixels of a frame as it is shown.
    fileprivate func canvas(_ index: Int) throws(RenderingError) -> [UInt8] {
        var result: [UInt8] = []
        try compose(upTo: index) { canvas, at in
            if at == index { result = canvas }
        }
        return result
    }
}
