internal import Files
internal import ImageMetadata
internal import Synchronization
internal import Thumbnails
internal import ViewportGeometry
internal import ViewportRendering

/// The small JPEG that cameras put into their files, with how it is to be turned.
struct EmbeddedPreview {
    private let bytes: [UInt8]
    private let orientation: Orientation

    /// Nil where the file has none.
    init?(_ path: String) {
        let found = try? InputFile.read(path) { file -> (bytes: [UInt8], orientation: Orientation)? in
            guard let metadata = FileMetadata(FileBytes(file), name: OutputFile.name(of: path)),
                let range = metadata.preview, range.lowerBound >= 0, range.upperBound <= file.count,
                let bytes = try? file.bytes(range)
            else { return nil }
            return (bytes, metadata.orientation)
        }
        guard let found else { return nil }
        (bytes, orientation) = found
    }

    /// Lends the preview as an image that is upright as its file is: by the file's own orientation, once.
    func withFile<R>(_ body: (ImageFile) throws -> R) throws -> R {
        try TemporaryFile.with(bytes, ending: "jpg") { path in
            var options = OpenOptions()
            options.appliesOrientation = false
            options.turn = orientation
            return try body(ImageFile.open(path, options))
        }
    }
}

/// A frame of a video as an image.
enum VideoPicture {
    /// Lends a frame, no larger than the form needs it.
    static func withFrame<R>(
        _ path: String, _ form: AssetImages.Form, _ body: (ImageFile) throws -> R
    ) throws -> R {
        let side: Int
        switch form {
        // The short side has to fill the square, however wide the picture is.
        case .thumbnail(let length): side = 4 * min(length, 1 << 20)
        case .aspectRatioThumbnail(let length): side = length
        case .fullScreen(let width, let height): side = max(width, height)
        case .fullResolution: side = ThumbnailSize.range.upperBound
        }
        let size = ThumbnailSize(max(1, min(side, ThumbnailSize.range.upperBound)))
        let set = try ThumbnailMaker(ThumbnailRecipe(sizes: [size], format: .png)).makeSynchronously(path)
        return try TemporaryFile.with(set.thumbnails[0].bytes, ending: "png") { try body(ImageFile.open($0)) }
    }
}

/// A file that is there while it is used.
enum TemporaryFile {
    private static let number = Atomic(0)

    static func with<R>(_ bytes: [UInt8], ending: String, _ body: (_ path: String) throws -> R) throws -> R {
        let folder = ProcessEnvironment.temporaryFolder
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "\(folder)/viewport-\(ProcessEnvironment.process)-\(number).\(ending)"
        try OutputFile.write(bytes, to: path)
        defer { OutputFile.remove(path) }
        return try body(path)
    }
}
