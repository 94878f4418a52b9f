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

extension ImageFile {
    /// The largest JPEG that is copied to get its height.
    private static let mostLateBytes = 1 << 28

    /// Opens a JPEG whose height is not in its frame but in a marker DNL behind the first scan, as some scanners write
    /// them; nil for all others.
    ///
    /// The decoders do not know that marker: they get a copy with the height in its place. Source: ITU-T T.81, B.2.5.
    static func withLateHeight(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let file = opening.file
        let bytes = FileBytes(file)
        guard file.count <= mostLateBytes, let place = JPEGHeight.missing(in: bytes),
            var copy = try? file.contents(), let height = JPEGHeight.late(in: copy, from: place)
        else { return nil }
        copy.replaceSubrange(place..<(place + 2), with: height)
        let late = try RenderingError.naming(file.path) { [copy] () throws(FileError) in
            try OpenFile(bytes: copy, name: file.path)
        }
        var image = try read(late, opening.options, opening.scans)
        image.identity = opening.identity
        return image
    }
}
