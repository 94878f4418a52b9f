internal import Files
internal import ImageMetadata
public import Pictures
internal import Resampling
internal import Synchronization
internal import TilePyramid
public import ViewportGeometry

/// Images with pixels of the program.
extension ImageFile {
    /// Creates an image from a source that the program implements.
    ///
    /// Pixels are read only when they are rendered, and only the rectangle that is needed. Results of the source
    /// are checked: rows of a wrong length or number are a `RenderingError`.
    ///
    /// - Parameters:
    ///   - source: supplies the pixels.
    ///   - name: the name of the image in errors.
    ///   - orientation: the orientation that turns stored pixels upright.
    /// - Throws: `RenderingError.damaged` where a level has no pixels, or the error of the source when its full
    ///   resolution is opened.
    public init(
        source: any ImageSource, named name: String = "image", orientation: Orientation = .up
    ) throws(RenderingError) {
        for level in source.pyramid.levels {
            guard CheckedSource.isValid(level) else {
                throw .damaged(file: name, detail: "its level \(level.index) has no pixels, or too many")
            }
        }
        let checked = CheckedSource(base: source, name: name)
        let full = try checked.open(source.pyramid.full)
        let pixels = full.pixels
        // The byte is never read: the file represents one that never changes.
        let opened = try RenderingError.naming(name) { () throws(FileError) in
            try OpenFile(bytes: [0], name: name)
        }
        var identity = SourceIdentity(name, hasPath: false, opened.status, OpenOptions())
        // Two sources with the same name are different images.
        identity.path += " \(Self.sourceCount.wrappingAdd(1, ordering: .relaxed).newValue)"
        self.init(
            path: name, format: .other, storedSize: full.level.size, fileOrientation: orientation,
            orientation: orientation, pages: 1, page: 0, exif: nil,
            profile: pixels.profile.flatMap(ICCProfile.init), interpretation: pixels.interpretation,
            bands: pixels.layout.bands, hasAlpha: pixels.layout.hasAlpha, damage: nil, opened: opened,
            identity: identity, source: HalvedSource(checked))
    }

    /// Creates an image from a picture, to render parts of it.
    ///
    /// - Parameters:
    ///   - picture: the pixels of the whole image, upright.
    ///   - name: the name of the image in errors.
    /// - Throws: `RenderingError` where the process cannot open another file.
    public init(picture: Picture, named name: String = "picture") throws(RenderingError) {
        try self.init(source: PictureSource(picture), named: name)
    }

    private static let sourceCount = Atomic(0)
}

/// The pixels of a picture.
private struct PictureSource: ImageSource, LevelReader {
    private let picture: Picture
    let level: PyramidLevel
    let pixels: SourcePixelFormat

    init(_ picture: Picture) {
        self.picture = picture
        level = PyramidLevel(
            index: 0, size: PixelSize(width: picture.size.width, height: picture.size.height), downsampleX: 1,
            downsampleY: 1)
        pixels = SourcePixelFormat(
            layout: SampleLayout(
                type: picture.depth == 16 ? .uint16 : .uint8, bands: picture.bands,
                hasAlpha: picture.hasAlpha),
            interpretation: picture.interpretation, profile: picture.profile)
    }

    var pyramid: Pyramid { Pyramid(levels: [level]) }
    var description: String { "a picture in memory" }

    func open(_ level: PyramidLevel) -> any LevelReader { self }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try lend(rect, of: picture.bytes, row: row)
    }
}
