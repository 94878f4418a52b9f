internal import Files
internal import ImageMetadata
internal import TilePyramid
internal import Vips

/// The source that every format has: its libvips loader, at the resolutions that the loader offers.
struct LoaderSource: ImageSource {
    let file: LoaderFile
    let pyramid: Pyramid
    /// The loader's arguments for each level but 0.
    private let arguments: [Int: [String: VipsArgument]]
    private let isSequential: Bool
    /// Whether the picture comes in passes, each of which is all of it.
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
        let access = isSequential ? "sequential" : "random access"
        guard pyramid.levels.count > 1 else { return access }
        return switch file.format {
        case .jpeg, .webp: "\(access), shrinks on load"
        case .svg, .pdf: "\(access), drawn at any scale"
        default: "\(access), \(pyramid.levels.count) levels"
        }
    }

    var access: SourceAccess {
        if file.format.isDrawn { return .drawn }
        return isSequential || isInterlaced || file.format.isDecodedWhole ? .sequential : .random
    }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        switch file.format {
        case .jpeg: SharpeningCompensation.ofJPEG(level)
        // Wavelets keep short waves, and what is drawn has no pixels that could be means.
        case .jpeg2000, .svg, .pdf: 0
        default: SharpeningCompensation.ofMeans(level)
        }
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let image = try file.load(arguments[level.index] ?? [:])
        let exact =
            image.size == level.size
            ? level : PyramidLevel(index: level.index, size: image.size, of: pyramid.full.size)
        do {
            return try LoaderLevel(
                file: file.file, level: exact, image: image.readable(), isSequential: isSequential,
                blocks: blocks)
        } catch {
            throw .decoding(file.file, log: error.log)
        }
    }
}
