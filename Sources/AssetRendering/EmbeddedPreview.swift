internal import Files
internal import ImageMetadata
internal import Synchronization
internal import Thumbnails
internal import ViewportGeometry
internal import ViewportRendering

/// The small JPEG that cameras embed in their files, with its orientation.
struct EmbeddedPreview {
    private let bytes: [UInt8]
    private let orientation: Orientation

    /// Reads the preview of a file; nil if it has none.
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

    /// Opens the preview as an image that is turned by the orientation of its file, not by its own.
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
    /// Opens a frame, no larger than the form needs.
    static func withFrame<R>(
        _ path: String, _ form: AssetImages.Form, _ body: (ImageFile) throws -> R
    ) throws -> R {
        let side: Int
        switch form {
        // The short side has to fill the square, also of a wide picture.
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

/// A file that exists while a closure runs.
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
