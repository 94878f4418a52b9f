internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Opens a HEIF or AVIF file by its items.
///
/// Pages are pictures: the primary one, then the others by the numbers of their items; of a sequence, they are its frames.
/// Returns nil for files without items and for other formats.
enum HEIFOpener: FileOpener {
    /// The largest file that is copied to show another picture than the primary one.
    private static let mostCopied = 1 << 29

    static func open(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let bytes = FileBytes(opening.file)
        guard [.heif, .avif].contains(FileType(bytes)) else { return nil }
        guard let items = HEIFItems(bytes), let picture = items.pictures.first, picture.id == items.primary
        else {
            // A sequence may have no picture beside its frames.
            if let frames = SequenceFrames(opening.file, nil, opening.options) {
                return try frame(opening.options.page, of: frames, nil, nil, opening)
            }
            guard let kind = UnsupportedKind(bytes) else { return nil }
            throw RenderingError(kind, of: opening.file)
        }
        if items.unsupportedProperty(of: picture) != nil, let kind = UnsupportedKind(bytes) {
            throw RenderingError(kind, of: opening.file)
        }
        let page = opening.options.page
        if let frames = SequenceFrames(opening.file, picture, opening.options) {
            return try frame(page, of: frames, picture, items, opening)
        }
        guard page < items.pictures.count else {
            throw .noSuchPage(file: opening.file.path, page: page, pages: items.pictures.count)
        }
        var image =
            page > 0
            ? try other(items.pictures[page], items, opening)
            : picture.isDerived ? try derived(picture, items, opening) : try coded(picture, items, opening)
        image.pages = items.pictures.count
        return image
    }

    /// Opens a frame of a sequence; the first one is the primary picture, where there is one.
    private static func frame(
        _ page: Int, of frames: SequenceFrames, _ picture: HEIFItem?, _ items: HEIFItems?, _ opening: Opening
    ) throws(RenderingError) -> ImageFile {
        guard page < frames.count else {
            throw .noSuchPage(file: opening.file.path, page: page, pages: frames.count)
        }
        var image: ImageFile
        if page == 0, let picture, let items {
            image = try picture.isDerived ? derived(picture, items, opening) : coded(picture, items, opening)
            image.source = AnimatedSource(base: image.source, frames: frames)
        } else {
            let source = SequenceFrameSource(frames: frames, page: page)
            image = try ImageFile.direct(opening, .heif, frames.size, frames.pixels, HalvedSource(source))
        }
        (image.pages, image.page) = (frames.count, page)
        return image
    }

    /// Opens another picture as the primary one of a copy.
    private static func other(
        _ picture: HEIFItem, _ items: HEIFItems, _ opening: Opening
    ) throws(RenderingError) -> ImageFile {
        let file = opening.file
        var options = opening.options
        options.page = 0
        guard file.count <= mostCopied, let place = items.primaryPlace else {
            throw .damaged(
                file: file.path, detail: "it is too large to show other pictures than the primary one")
        }
        let copy = try RenderingError.naming(file.path) { () throws(FileError) in
            var bytes = try file.contents()
            bytes.replaceSubrange(place, with: UInt32(picture.id).bytes(.big).suffix(place.count))
            return try OpenFile(bytes: bytes, name: file.path)
        }
        var image = try ImageFile.read(copy, options, opening.scans)
        (image.page, image.identity, image.opened) = (opening.options.page, opening.identity, file)
        return image
    }

    /// Opens a picture that is made of others.
    private static func derived(
        _ picture: HEIFItem, _ items: HEIFItems, _ opening: Opening
    ) throws(RenderingError) -> ImageFile {
        let loader = LoaderFile(
            file: opening.file, loader: "VipsForeignLoadHeifFile", format: .heif, options: opening.options,
            scan: opening.scan)
        if opening.scans { _ = try loader.refusingDamage() }
        let source: HEIFSource
        do {
            source = try HEIFSource(derived: picture, items, loader)
        } catch let error as any UndecodableData {
            throw .undecodable(error, opening.file)
        } catch {
            throw RenderingError(.cancelled, file: opening.file.path)
        }
        var image = try ImageFile.direct(
            opening, .heif, source.pyramid.full.size, source.pixels, HalvedSource(source))
        if opening.scans { image.damage = try opening.scan.damage(.heif)?.text }
        return image
    }

    /// Opens a coded picture by libvips; one that its decoder would get wrong, in a copy without the cause.
    private static func coded(
        _ picture: HEIFItem, _ items: HEIFItems, _ opening: Opening
    ) throws(RenderingError) -> ImageFile {
        let isLimited = HEIFSource.passesRange(picture, picture.colors, opening.file)
        let alpha = items.alpha(of: picture)
        // libheif takes pixels of alpha where there are none, and does not turn it with the colors.
        if let alpha,
            alpha.isDerived || picture.properties.contains(where: \.isTransformation)
                || items.size(of: alpha, in: opening.file) != items.size(of: picture, in: opening.file)
        {
            return try derived(picture, items, opening)
        }
        var pictured = opening.withoutFilm ?? opening
        if isLimited || items.isMisread(picture, alpha, in: opening.file) {
            do {
                let copy = try HEIFPart.picture(
                    picture, alpha: alpha, colors: nil, isFullRange: isLimited, of: items, in: opening.file)
                pictured.file = try OpenFile(bytes: copy, name: opening.file.path)
            } catch let error as any UndecodableData {
                throw .undecodable(error, opening.file)
            } catch {
                throw .damaged(file: opening.file.path, detail: "its picture cannot be copied")
            }
        }
        var image = try ImageFile.loadedPicture(pictured) { loading, header in
            HEIFSource(loading, header: header, items, picture, in: opening.file, isLimited: isLimited)
        }
        image.opened = opening.file
        return image
    }
}
