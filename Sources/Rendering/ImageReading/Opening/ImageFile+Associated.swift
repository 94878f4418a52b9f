internal import Containers
internal import Files
package import Pictures
internal import ViewportGeometry
internal import Vips

/// The images that a file has beside its pages, by the names that OpenSlide gives them: "thumbnail", the preview that a
/// camera has embedded or that of a slide, and the "label" and the "macro" of slides, as far as these are TIFFs.
extension ImageFile {
    /// The names of the associated images, in the order of the file.
    package var associatedNames: [String] { associated.map(\.name) }

    /// The pages that are pictures of their own: those of a TIFF without smaller forms of others, masks and the images of a
    /// slide, and the first page of any other file.
    package var picturePages: [Int] {
        guard format == .tiff, pages > 1, rawPreview == nil, associated.isEmpty else { return [0] }
        return directories(upTo: pages).enumerated().compactMap { page, directory in
            page == 0 || !directory.isReduced && !directory.isMask ? page : nil
        }
    }

    /// Opens another page of the file.
    package func openPage(_ page: Int) throws(RenderingError) -> ImageFile {
        var options = options
        options.page = page
        return try Self.open(whole, options)
    }

    /// Opens an associated image; nil where there is none of a name.
    ///
    /// Previews are turned like the image.
    package func openAssociated(_ name: String) throws(RenderingError) -> ImageFile? {
        guard let place = associated.first(where: { $0.name == name })?.place else { return nil }
        var options = options
        options.optimizesForRandomAccess = false
        switch place {
        case .page(let page):
            options.page = page
            // Whose pages are not OpenSlide's.
            guard format == .openslide else { return try Self.open(whole, options) }
            return try opened.checked { () throws(RenderingError) in try pageOfTIFF(options) }
        case .preview(let jpeg, let stated):
            let own = options.appliesOrientation ? stated ?? fileOrientation : .up
            (options.turn, options.appliesOrientation) = (own.followed(by: options.turn), false)
            return try ImageFile(bytes: jpeg, name: path, options: options)
        }
    }

    private enum Place {
        case page(Int)
        case preview([UInt8], Orientation?)
    }

    private var associated: [(name: String, place: Place)] {
        switch format {
        case .jpeg:
            guard let jpeg = source.capabilities.preparable as? any JPEGSource, let exif = jpeg.metadata.exif,
                let (preview, orientation) = ExifBlock(exif)?.preview
            else { return [] }
            return [("thumbnail", .preview(preview, orientation))]
        case .tiff, .openslide: return pagesOfSlide
        default: return []
        }
    }

    /// The pages of a TIFF that its descriptions name.
    private var pagesOfSlide: [(name: String, place: Place)] {
        var found: [(name: String, place: Place)] = []
        for (page, directory) in directories(upTo: Self.mostPages).enumerated().dropFirst() {
            if let name = Self.name(of: directory, page) { found.append((name, .page(page))) }
        }
        // The first of a name counts.
        return found.enumerated().filter { index, one in
            found.firstIndex { $0.name == one.name } == index
        }.map(\.element)
    }

    private static let mostPages = 64

    /// The first directories of a TIFF, each of which is a page.
    private func directories(upTo count: Int) -> [TIFFDirectory] {
        let first = TIFFBlock(tiff: FileBytes(opened))?.main
        // Directories may name each other in a circle.
        return Array(
            sequence(state: first) { directory in
                defer { directory = directory?.following }
                return directory
            }.prefix(count))
    }

    /// What a slide's page shows, by its description: "label 387x463" in the second line of Aperio's, or "Label" as
    /// Philips writes; the second page of Aperio's is the thumbnail.
    private static func name(of directory: TIFFDirectory, _ page: Int) -> String? {
        guard let description = directory.string(0x010E) else { return nil }
        let isAperio = description.hasPrefix("Aperio")
        let lines = description.split(
            maxSplits: 2, omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let line = isAperio ? lines.dropFirst().first ?? "" : lines.first ?? ""
        let word = line.prefix { $0.isLetter }.lowercased()
        if ["label", "macro", "thumbnail"].contains(word) { return word }
        let isTiled = directory.has(0x0142)
        return isAperio && page == 1 && !isTiled ? "thumbnail" : nil
    }

    /// Reads a page of a slide.
    ///
    /// libvips 8.14 crashes where OpenSlide is asked for an associated image (`vips openslideload --associated`).
    private func pageOfTIFF(_ options: OpenOptions) throws(RenderingError) -> ImageFile {
        let loader = LoaderFile(
            file: opened, loader: "VipsForeignLoadTiffFile", format: .tiff, options: options)
        let image = try loader.load()
        guard image.format == .uint8 else {
            throw .unreadable(
                file: path, reason: "its page \(options.page) has samples of more than 8 bits")
        }
        let pixels: [UInt8]
        do throws(VipsError) {
            pixels = try image.pixels().copied()
        } catch {
            throw .decoding(opened, log: error.log)
        }
        let picture = Picture(
            size: PixelSize(width: image.width, height: image.height), bands: image.bands, depth: 8,
            hasAlpha: image.hasAlpha, profile: image.blob("icc-profile-data"),
            interpretation: image.interpretation, bytes: pixels)
        return try ImageFile(picture: picture, named: path)
    }
}
