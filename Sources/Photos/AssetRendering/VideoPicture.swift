internal import Files
internal import Synchronization
internal import Thumbnails
internal import ViewportRendering

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
