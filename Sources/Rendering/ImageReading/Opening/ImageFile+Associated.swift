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
        guard let block = TIFFBlock(tiff: FileBytes(opened)) else { return [] }
        var found: [(name: String, place: Place)] = []
        var directory = block.main
        // Directories may name each other in a circle.
        for page in 0..<Self.mostPages {
            guard let current = directory else { break }
            if page > 0, let name = Self.name(of: current, page) { found.append((name, .page(page))) }
            directory = current.following
        }
        // The first of a name counts.
        return found.enumerated().filter { index, one in
            found.firstIndex { $0.name == one.name } == index
        }.map(\.element)
    }

    private static let mostPages = 64

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
