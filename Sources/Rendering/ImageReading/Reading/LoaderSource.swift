internal import Containers
package import Files
internal import JPEGCoding
internal import Pictures
internal import Resampling
package import TilePyramid
internal import ViewportGeometry
package import Vips

/// Reads any format through its libvips loader, at the resolutions that the loader offers.
struct LoaderSource: ImageSource {
    let file: LoaderFile
    let pyramid: Pyramid
    /// The arguments of the loader for each level except 0.
    private let arguments: [Int: [String: VipsArgument]]
    private let isSequential: Bool
    /// Whether the picture is stored in passes over the whole image.
    private let isInterlaced: Bool
    private let blocks: DecodedBlocks

    init(_ file: LoaderFile, header: VipsImage, pages: LoaderFile.Pages) throws(RenderingError) {
        self.file = file
        let levels = file.levels(of: header, pages: pages)
        pyramid = Pyramid(levels: levels.map(\.level))
        arguments = Dictionary(uniqueKeysWithValues: levels.map { ($0.level.index, $0.arguments) })
        isInterlaced = header.has("interlaced")
        isSequential = file.isSequential
        var blocks = DecodedBlocks(budget: DecodingBudget(file.options).blockBytes)
        if file.format == .tiff, let layout = TIFFLayout(FileBytes(file.file)) {
            (blocks.width, blocks.height) = (layout.tileWidth, layout.blockHeight)
        }
        self.blocks = blocks
    }

    var description: String {
        if case .drawn = access { return "drawn at any scale" }
        guard pyramid.levels.count > 1 else { return part }
        return switch file.format {
        case .jpeg, .webp: "\(part), shrinks on load"
        default: "\(part), \(pyramid.levels.count) levels"
        }
    }

    /// What is decoded for a part of the image.
    private var part: String {
        switch access {
        case .random: "stored tiles"
        case .sequential where file.hasParts: "stored strips"
        case .sequential where isDecodedWhole: "whole image"
        default: "rows from the top"
        }
    }

    var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: access)
        capabilities.frames = file
        return capabilities
    }

    private var access: SourceAccess {
        if file.format.isDrawn { return .drawn }
        return isSequential || isDecodedWhole ? .sequential : .random
    }

    private var isDecodedWhole: Bool { isInterlaced || file.format.isDecodedWhole }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        switch file.format {
        case .jpeg: SharpeningCompensation.ofJPEG(level)
        // Wavelets keep short waves, and drawings have no pixels to average.
        case .jpeg2000, .svg, .pdf: 0
        default: SharpeningCompensation.ofMeans(level)
        }
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let arguments = arguments[level.index] ?? [:]
        let strips = file.faxParts(arguments)
        guard let parts = strips ?? file.parts(arguments) else { return try opened(level, file) }
        return TIFFPartLevel(
            file: file, parts: parts, header: try opened(level, file, readsHeader: true),
            readsAll: strips != nil
        ) { () throws(RenderingError) in try opened(level, file.copied) }
    }

    private func opened(
        _ level: PyramidLevel, _ file: LoaderFile, readsHeader: Bool = false
    ) throws(RenderingError) -> LoaderLevel {
        let image = try file.load(arguments[level.index] ?? [:], readsHeader: readsHeader)
        let exact =
            image.size == level.size
            ? level : PyramidLevel(index: level.index, size: image.size, of: pyramid.full.size)
        do {
            return try LoaderLevel(
                file: file.file, level: exact, image: image.readable(), isSequential: isSequential,
                blocks: blocks, scansDenominator: scansDenominator(exact, image),
                jpegs: file.jpegs(arguments[level.index] ?? [:]))
        } catch {
            throw .decoding(file.file, log: error.log)
        }
    }
}

extension LoaderSource {
    /// The scale of a JPEG of several scans, as progressive JPEGs are; nil for all other files.
    ///
    /// libvips would read all scans in one call, which cannot be cancelled.
    private func scansDenominator(_ level: PyramidLevel, _ image: VipsImage) -> Int? {
        guard file.format == .jpeg, image.has("interlaced"), image.format == .uint8,
            image.bands == 1 || image.bands == 3, (0...3).contains(level.index)
        else { return nil }
        return 1 << level.index
    }
}

/// One level of a file, read through a libvips region in strips from the top.
struct LoaderLevel: LevelReader {
    let file: OpenFile
    let level: PyramidLevel
    let image: VipsImage
    let isSequential: Bool
    /// The blocks that are decoded together.
    var blocks = DecodedBlocks()
    /// The scale of a JPEG of several scans, which is read by `JPEGRowDecoder`; nil for all other files.
    var scansDenominator: Int?
    /// The JPEGs of a TIFF, which are checked before they are decoded; nil for all other files.
    var jpegs: TIFFJPEGs?

    var pixels: SourcePixelFormat {
        let type: SampleLayout.SampleType =
            switch image.format {
            case .uint8: .uint8
            case .uint16: .uint16
            case .float32, .other: .float32
            }
        return SourcePixelFormat(
            layout: SampleLayout(type: type, bands: image.bands, hasAlpha: image.hasAlpha),
            interpretation: image.interpretation, profile: image.blob("icc-profile-data"))
    }

    /// Returns the height of strips of about a megabyte: large enough to be cheap, small enough for memory.
    private func stripHeight(_ width: Int) -> Int {
        let rowBytes = max(1, width * pixelBytes)
        return min(max(1 << 20 / rowBytes, min(16, max(1, 32 << 20 / rowBytes))), 256)
    }

    private var pixelBytes: Int { image.bands * image.format.bytes }

    /// Throws where decoding would exceed the limit on memory, before anything is decoded.
    func checkMemory(_ rect: PixelRect<StoredGrid>) throws(RenderingError) {
        let width = blocks.width.map { min(image.width, rect.width + 2 * $0) } ?? image.width
        // libvips keeps two rows of tiles.
        let rows = min(blocks.width == nil ? blocks.height : 2 * blocks.height, image.height)
        let (bytes, overflow) = (width * pixelBytes).multipliedReportingOverflow(by: rows)
        guard overflow || bytes > blocks.budget else { return }
        throw .blocksTooLarge(
            file: file.path, size: PixelSize(width: width, height: rows), bytes: overflow ? Int.max : bytes,
            limit: blocks.budget)
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try checkMemory(rect)
        try file.checkedRows {
            try jpegs?.check(rect, of: file)
            if let scansDenominator {
                try readScans(rect, scansDenominator, row)
            } else {
                try readRows(rect, row)
            }
        }
    }

    /// Reads a JPEG of several scans, which can be cancelled between rows of blocks of each scan.
    private func readScans(
        _ rect: PixelRect<StoredGrid>, _ denominator: Int, _ row: (RawSpan) throws -> Void
    ) throws {
        let columns = (rect.x * image.bands)..<(rect.maxX * image.bands)
        try file.rows(row) { row in
            try JPEGRowDecoder.decode(
                file.contents(), denominator: denominator, bands: image.bands, rows: rect.y..<rect.maxY,
                isStrict: false
            ) { samples in try row(samples.extracting(columns)) }
        } orLoading: { row in
            try readRows(rect, row)
        }
    }

    /// Reads rows without a check of the file.
    func readRows(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        do {
            try image.withRegion { region in
                if isSequential { try skip(rect.y, region) }
                let height = stripHeight(isSequential ? image.width : rect.width)
                for y in stride(from: rect.y, to: rect.maxY, by: height) {
                    try checkCancellation()
                    let strip = PixelRect<StoredGrid>(
                        x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
                    try region.prepare(strip)
                    for y in strip.y..<strip.maxY { try region.withRow(y, of: strip, row) }
                }
            }
        } catch let error as VipsError {
            throw RenderingError.decoding(file, log: error.log)
        }
    }

    /// Advances a sequential decoder to a row and drops the rows above.
    ///
    /// Every row must be decoded, but requesting one column suffices; a single large skip would
    /// make libvips keep all rows between.
    private func skip(_ rows: Int, _ region: borrowing VipsRegion) throws {
        let height = stripHeight(image.width)
        for y in stride(from: 0, to: rows, by: height) {
            try checkCancellation()
            try region.prepare(PixelRect(x: 0, y: y, width: 1, height: min(height, rows - y)))
        }
    }

    private func checkCancellation() throws {
        guard !Task.isCancelled else { throw CancellationError() }
    }
}

/// The blocks that a decoder decodes together, and their limit on memory.
struct DecodedBlocks {
    /// The width of a tile; nil where whole rows are decoded.
    var width: Int?
    var height = 1
    /// The limit on memory in bytes.
    var budget = Int.max
}

extension VipsImage {
    /// Returns the image with samples that can be read: 8 or 16 bits or float, unpacked.
    func readable() throws(VipsError) -> VipsImage {
        var unpacked = coding == "labq" || coding == "rad" ? try converted(to: "srgb") : self
        if unpacked.format == .float32, string("vips-loader")?.hasPrefix("openexr") == true {
            unpacked = try unpacked.withAlphaFromZeroToOne()
        }
        guard unpacked.format == .other else { return unpacked }
        return try unpacked.cast(to: .float32)
    }
}

/// One level of an image in a separate TIFF, as caches store it.
package enum LevelFile {
    /// Opens such a file for reading.
    package static func reader(
        of file: OpenFile, as level: PyramidLevel
    ) throws -> any LevelReader {
        let loader = LoaderFile(
            file: file, loader: "VipsForeignLoadTiffFile", format: .tiff, options: OpenOptions())
        return LoaderLevel(
            file: file, level: level, image: try loader.header().readable(), isSequential: false)
    }

    /// Returns the libvips image of a reader; nil for readers without one.
    package static func image(of reader: any LevelReader) -> VipsImage? { (reader as? LoaderLevel)?.image }
}
