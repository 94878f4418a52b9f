internal import Basics
internal import Files
internal import JXLDecoding
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Reads the first picture of a JPEG XL with libjxl, in the format of libvips' loader.
///
/// libvips 8.14 passes files in pieces of 4 KB, at which libjxl 0.7 fails in many large ones, and shows the last frame of
/// animations.
struct JXLSource: ImageSource {
    private let base: LoaderSource

    /// Returns nil where libvips decides: other pages, and without libjxl.
    init?(_ base: LoaderSource, _ header: VipsImage) {
        guard base.file.format == .jpegXL, base.file.options.page == 0, JXLDecoder.isAvailable,
            header.bands <= 4
        else { return nil }
        self.base = base
    }

    var pyramid: Pyramid { base.pyramid }
    var nativePyramid: Pyramid { base.nativePyramid }
    var description: String { base.description }
    var capabilities: SourceCapabilities { base.capabilities }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        JXLLevel(file: base.file.file, threads: base.file.options.threads, loaded: try base.open(level))
    }
}

/// The picture of a JPEG XL, decoded once when it is first read.
private struct JXLLevel: LevelReader {
    let file: OpenFile
    let threads: Int
    /// The level through libvips' loader.
    let loaded: any LevelReader
    private let decoded = Once<Result<[UInt8], JXLDecodingError>>()

    init(file: OpenFile, threads: Int, loaded: any LevelReader) {
        (self.file, self.threads, self.loaded) = (file, threads, loaded)
    }

    var level: PyramidLevel { loaded.level }
    var pixels: SourcePixelFormat { loaded.pixels }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try file.checkedRows {
            try file.rows(row) { row in
                try lend(rect, of: samples().get()) { samples in
                    guard !Task.isCancelled else { throw CancellationError() }
                    try row(samples)
                }
            } orLoading: { row in
                if case .failure(.truncated) = try samples() {
                    throw RenderingError(FileDamage(text: "the file ends in its picture"), of: file)
                }
                try loaded.read(rect, row: row)
            }
        }
    }

    private func samples() throws -> Result<[UInt8], JXLDecodingError> {
        let layout = pixels.layout
        let sample: JXLDecoder.Sample =
            switch layout.type {
            case .uint8: .uint8
            case .uint16: .uint16
            case .float32: .float32
            }
        return try decoded.value(cancelled: CancellationError()) {
            let bytes = try file.contents()
            return Result { () throws(JXLDecodingError) in
                try JXLDecoder.decode(
                    bytes, bands: layout.bands, sample: sample,
                    count: level.size.area * layout.pixelBytes, threads: threads)
            }
        }
    }
}

extension JXLDecodingError: UndecodableData {}
