internal import Basics
internal import Files
internal import ImageReading
internal import Resampling
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// The export of one panorama as six faces in tiles of every resolution.
///
/// Names and `config.json` are those of Pannellum's `generate.py`: level 1 is the smallest one, and a tile is
/// `LEVEL/FACE` followed by its row and column. The side of a face can be halved without a rest down to level 1, so that
/// the tiles of all levels end where those of the next one end.
struct CubeWork {
    private let options: ExportOptions
    private let file: ImageFile
    private let panorama: Panorama
    private let pyramid: TiledPyramid
    private let samples: ConvertedSamples
    private let folder: OutputFolder

    /// The most pixels of a face's side.
    private static let longestSide = 1 << 17
    /// The most pixels of a face that are in memory at a time.
    private static let bandPixels = 8 << 20
    /// The most pixels of the faces per pixel of the picture: metadata can place a small picture in a sphere of any size.
    private static let mostEnlargement = 1000.0
    /// The side of the faces for viewers without WebGL.
    private static let fallbackSide = 1024

    /// - Throws: `RenderingError.panorama` where the file is not one.
    init(_ options: ExportOptions, _ file: ImageFile, in folder: OutputFolder) throws {
        (self.options, self.file, self.folder) = (options, file, folder)
        panorama = try file.panorama(assumed: options.assumesPanorama)
        let wanted = CubeFace.side(of: panorama)
        guard wanted <= Double(Self.longestSide) else {
            throw RenderingError.panorama(
                file: file.path,
                reason: "the faces of its cube would have sides of more than \(Self.longestSide) pixels")
        }
        guard 6 * wanted * wanted <= Double(max(file.uprightSize.area, 1 << 14)) * Self.mostEnlargement else {
            throw RenderingError.panorama(
                file: file.path,
                reason: "its cube would have more than \(Int(Self.mostEnlargement)) times its pixels")
        }
        pyramid = Self.pyramid(ofSide: Int(wanted), tileSize: options.tileSize)
        let isWhole = panorama.isFullCircle && panorama.reachesPoles == (true, true)
        let isTransparent = try !isWhole || file.source.open(file.pyramid.levels[0]).pixels.layout.hasAlpha
        let hasAlpha = isTransparent && options.format.pictureFormat.hasAlpha
        samples = ConvertedSamples(bands: hasAlpha ? 4 : 3, hasAlpha: hasAlpha, interpretation: "srgb")
    }

    /// Returns the levels of a face: the largest one has at most this side, and all halves are whole.
    static func pyramid(ofSide side: Int, tileSize: Int) -> TiledPyramid {
        var step = 1
        while side > tileSize * step { step *= 2 }
        let whole = max(side / step, 1) * step
        return TiledPyramid(
            size: PixelSize(width: whole, height: whole), tileSize: tileSize, overlap: 0, depth: .oneTile)
    }

    private var side: Int { pyramid.full.size.width }

    /// Makes all files in the hidden folder.
    func run(_ progress: @escaping @Sendable (Double) throws -> Void) throws -> ExportReport {
        var render = RenderOptions()
        render.background = samples.hasAlpha ? .transparent : options.background
        let renderer = ViewportRenderer(options: render)
        let workers = TileWorkers()
        let bytes = Atomic(0)
        do {
            for (number, face) in CubeFace.allCases.enumerated() {
                let writer = writer(of: face)
                let builder = try LevelBuilder(0, of: pyramid, .up, samples) { _ in
                    nil
                } emit: { tile in
                    try workers.submit { try writer.write(tile) }
                }
                try rows(of: face, renderer) { row, y in
                    try builder.push(row)
                    guard y % 64 == 63 else { return }
                    try progress((Double(number) + Double(y + 1) / Double(side)) / 6 * 0.99)
                }
                try workers.finish()
                try writer.write(fallback(face, renderer), [name("fallback/\(face.letter)")])
                bytes.wrappingAdd(writer.bytes.load(ordering: .relaxed), ordering: .relaxed)
            }
        } catch {
            workers.abandon()
            throw error
        }
        let text = Array((configuration.text() + "\n").utf8)
        try folder.write(text, to: "\(OutputPaths.mainName)/config.json")
        try progress(1)
        return ExportReport(
            levels: pyramid.levels, tiles: 6 * pyramid.tileCount, cutTiles: 0,
            bytes: bytes.load(ordering: .relaxed) + text.count)
    }

    private func name(_ path: String) -> String {
        "\(OutputPaths.mainName)/\(path).\(options.format.rawValue)"
    }

    private func writer(of face: CubeFace) -> TileWriter {
        let (count, letter) = (pyramid.levels.count, face.letter)
        let format = options.format.rawValue
        return TileWriter(
            options: options, orientation: .up, samples: samples, folder: folder, archive: nil, cutter: nil,
            exact: nil
        ) { key in
            ["\(OutputPaths.mainName)/\(count - key.level)/\(letter)\(key.row)_\(key.column).\(format)"]
        }
    }

    /// Lends the rows of a face, from the top; some of them are rendered together.
    private func rows(
        of face: CubeFace, _ renderer: ViewportRenderer, _ push: (RawSpan, _ y: Int) throws -> Void
    ) throws {
        let frame = LookFrame(face.look, size: Size(width: Double(side), height: Double(side)))
        let height = max(64, Self.bandPixels / side / 64 * 64)
        let rowBytes = side * samples.bands
        for top in stride(from: 0, to: side, by: height) {
            let part = PixelRect<OutputGrid>(x: 0, y: top, width: side, height: min(height, side - top))
            let picture = try renderer.renderSynchronously(part, of: frame, into: panorama, of: file).picture
            let pixels = try pixels(picture)
            for row in 0..<part.height {
                try pixels.withRow((row * rowBytes)..<((row + 1) * rowBytes)) { try push($0, top + row) }
            }
        }
    }

    /// Returns the pixels of a picture in the samples of all tiles.
    private func pixels(_ picture: Picture) throws -> [UInt8] {
        guard picture.bands != samples.bands || picture.hasAlpha != samples.hasAlpha else {
            return picture.bytes
        }
        let rgba = try picture.rgba()
        guard !samples.hasAlpha else { return rgba }
        var result: [UInt8] = []
        result.reserveCapacity(picture.size.area * 3)
        for pixel in stride(from: 0, to: rgba.count, by: 4) { result += rgba[pixel..<(pixel + 3)] }
        return result
    }

    /// Returns a small face as one picture.
    private func fallback(_ face: CubeFace, _ renderer: ViewportRenderer) throws -> [UInt8] {
        let side = Double(min(side, Self.fallbackSide))
        let frame = LookFrame(face.look, size: Size(width: side, height: side))
        let encoder = PictureEncoder(options.format.pictureFormat, quality: options.quality)
        return try encoder.encodeSynchronously(
            renderer.renderSynchronously(frame, into: panorama, of: file).picture)
    }

    /// The `config.json` of Pannellum.
    private var configuration: JSONValue {
        let look = panorama.initialLook
        return .object([
            "type": .string("multires"), "yaw": .number(look.yaw), "pitch": .number(look.pitch),
            "hfov": .number(min(look.fieldOfView, 120)),
            "multiRes": .object([
                "path": .string("/%l/%s%y_%x"), "fallbackPath": .string("/fallback/%s"),
                "extension": .string(options.format.rawValue), "tileResolution": .int(options.tileSize),
                "maxLevel": .int(pyramid.levels.count), "cubeResolution": .int(side),
            ]),
        ])
    }
}

extension CubeFace {
    /// Its name in the files of tiles.
    fileprivate var letter: String { String(rawValue.prefix(1)) }
}
