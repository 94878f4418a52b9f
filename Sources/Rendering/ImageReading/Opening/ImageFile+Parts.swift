internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures

extension ImageFile {
    /// Opens a further view of a JPEG, such as the right one of a stereo picture; nil where the file has none.
    static func part(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let (file, options) = (opening.file, opening.options)
        let bytes = FileBytes(file)
        guard FileType(bytes) == .jpeg else { return nil }
        let views = MultiPictureIndex.views(in: bytes)
        guard !views.isEmpty else { return nil }
        guard options.page <= views.count else {
            throw .noSuchPage(file: file.path, page: options.page, pages: views.count + 1)
        }
        var alone = options
        alone.page = 0
        let range = views[options.page - 1]
        guard range.upperBound <= file.count else { return nil }
        var image = try read(OpenFile(range, of: file), alone, opening.scans)
        (image.pages, image.page) = (views.count + 1, options.page)
        image.identity = opening.identity
        return image
    }
}
