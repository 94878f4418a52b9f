internal import Thumbnails
internal import ViewportRendering

/// A frame of a video as an image.
enum VideoPicture {
    /// Lends a frame, no larger than the form needs it.
    static func withFrame<R>(
        _ path: String, _ form: AssetImages.Form, _ body: (ImageFile) throws -> R
    ) throws -> R {
        let side: Int
        switch form {
        // The short side has to fill the square, however wide the picture is.
        case .thumbnail(let length): side = 4 * length
        case .aspectRatioThumbnail(let length): side = length
        case .fullScreen(let width, let height): side = max(width, height)
        case .fullResolution: side = ThumbnailSize.range.upperBound
        }
        let size = ThumbnailSize(min(side, ThumbnailSize.range.upperBound))
        let set = try ThumbnailMaker(ThumbnailRecipe(sizes: [size], format: .png)).makeBlocking(path)
        return try TemporaryFile.with(set.thumbnails[0].bytes, ending: "png") { try body(ImageFile.open($0)) }
    }
}
