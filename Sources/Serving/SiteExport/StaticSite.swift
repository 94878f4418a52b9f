internal import Basics
internal import Files
package import ImageReading
internal import Presentation
internal import PyramidExport
internal import ViewportGeometry
internal import ViewportRendering

/// A folder that shows large images on any web server that supports ranges.
///
/// It has the viewer page, its WebAssembly modules, and for each image the JPEG, PNG or TIFF and its sidecar. There are no
/// tiles: pages fetch parts of the file.
package struct StaticSite: Sendable {
    /// The URL where the JPEG lies, or the folder of several JPEGs; nil to copy them into the site.
    package var link: String?
    /// The title of the index.
    package var title: String
    /// The manifests of the folders; nil for none.
    package var manifests: SiteManifests?
    /// Whether a site that this program did not write is replaced.
    package var replaces = false
    /// Whether images that pages cannot read are converted to JPEGs; otherwise they are left out.
    package var converts = true
    /// How images are opened.
    package var opening = OpenOptions()

    /// Larger images that pages cannot read are not converted, because they are held in memory.
    package static let maximumConvertedPixels = 100_000_000
    /// The size of the JPEGs and PNGs that pages read is below this.
    private static let maximumBytes = 1 << 31
    /// The longest side of a thumbnail.
    private static let thumbnailSide = 480.0
    private static let main = "site"

    package init(title: String, link: String? = nil) {
        self.title = title
        self.link = link
    }

    /// What was written.
    package struct Report: Sendable {
        /// The images, by their paths as given.
        package var images: [(path: String, page: String, isConverted: Bool)] = []
        /// The images that were left out, with the reasons.
        package var failures: [(path: String, reason: any Error)] = []
        /// The size of all files.
        package var bytes = 0
        /// The size of the sidecars.
        package var sidecarBytes = 0
    }

    /// Writes the site of one image, whose page is the index; the pages of a file with several have an index.
    ///
    /// - Parameters:
    ///   - path: The image.
    ///   - output: The folder, which is written atomically.
    ///   - progress: Receives the share that is done; throwing stops the work.
    /// - Throws: `RenderingError`, `FileError`, or what `progress` throws.
    package func write(
        image path: String, to output: String, progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> Report {
        try write([FilePath(path)], to: output) { folder, report in
            var place = SitePlace()
            let images = try add(FilePath(path), in: &place, below: nil, to: folder, &report, progress)
            let isAlone = images.count == 1
            if !isAlone {
                let index = SitePages.index(images, [], in: place, title: title)
                try add(index, "index.html", to: folder, &report)
            }
            for image in images {
                try add(SitePages.viewer(image, place, isAlone: isAlone), image.page, to: folder, &report)
            }
            try addManifests(images, [], in: place, to: folder, &report)
            try addPages(isGallery: !isAlone, to: folder, &report)
        }
    }

    /// Writes the site of a folder: an index, and a page for each image.
    ///
    /// Each folder in it has an index of its own. An image that cannot be shown is left out, which is not an error.
    ///
    /// - Parameters:
    ///   - source: The images.
    ///   - output: The folder, which is written atomically.
    ///   - progress: Receives the share that is done; throwing stops the work.
    /// - Throws: `RenderingError`, `FileError`, or what `progress` throws.
    package func write(
        _ source: SiteFolder, to output: String, progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> Report {
        let count = Double(max(1, source.imageCount))
        return try write(source.allImages, to: output) { folder, report in
            for left in source.allLeft { report.failures.append((left.path.text, left)) }
            try add(source, SitePlace(), below: source.path, to: folder, &report) { done in
                try progress(done / count)
            }
            try addPages(isGallery: true, to: folder, &report)
        }
    }

    private func write(
        _ inputs: [FilePath], to output: String, _ fill: (OutputFolder, inout Report) throws -> Void
    ) throws -> Report {
        let target = FolderOutput(output, inputs: inputs.map(\.text), overwrites: replaces) { folder in
            ["index.html", "page"].allSatisfy(Folder.names(in: folder).contains)
        } isOwn: {
            FolderMark.isOn($0)
        }
        try target.check()
        let folder = try OutputFolder(beside: output)
        defer { folder.discard() }
        try folder.makeFolder(Self.main)
        var report = Report()
        try fill(folder, &report)
        try FolderMark.add(to: folder.path(of: Self.main))
        try target.publish(folder.path(of: Self.main))
        return report
    }

    /// Adds the files that pages load.
    private func addPages(isGallery: Bool, to folder: OutputFolder, _ report: inout Report) throws {
        for (name, bytes) in SitePages.files(isGallery: isGallery) {
            try add(bytes, "page/\(name)", to: folder, &report)
        }
    }

    /// Adds the images and the index of a folder, and those of the folders in it.
    ///
    /// - Parameters:
    ///   - top: The folder of the whole site.
    ///   - progress: Receives the number of images that are done, with the share of the current one.
    /// - Returns: Whether the folder shows images of its own.
    @discardableResult
    private func add(
        _ source: SiteFolder, _ place: SitePlace, below top: FilePath, to folder: OutputFolder,
        _ report: inout Report, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> Bool {
        var place = place
        var images: [SiteImage] = []
        place.hasCollection = hasCollection(source)
        for (number, path) in source.images.enumerated() {
            do {
                for image in try add(
                    path, in: &place, below: top, to: folder, &report,
                    { part in
                        try progress(Double(number) + part)
                    })
                {
                    try add(SitePages.viewer(image, place, isAlone: false), image.page, to: folder, &report)
                    images.append(image)
                }
            } catch let error as RenderingError {
                report.failures.append((path.text, error))
            }
        }
        var done = source.images.count
        var folders: [SitePlace] = []
        for inner in source.folders {
            var innerPlace = place.folder(inner.path.name.text)
            innerPlace.hasCollection = hasCollection(inner)
            let start = Double(done)
            innerPlace.hasImages = try add(inner, innerPlace, below: top, to: folder, &report) {
                try progress(start + $0)
            }
            folders.append(innerPlace)
            done += inner.imageCount
        }
        let index = SitePages.index(images, folders, in: place, title: title)
        try add(index, place.path(of: "index.html"), to: folder, &report)
        try addManifests(images, folders, in: place, to: folder, &report)
        try progress(Double(done))
        return !images.isEmpty
    }

    /// Whether the folder of a site has a collection, besides its manifest.
    private func hasCollection(_ source: SiteFolder) -> Bool {
        !source.folders.isEmpty || PresentationDocument.isLarge(source.images.count)
    }

    private func addManifests(
        _ images: [SiteImage], _ folders: [SitePlace], in place: SitePlace, to folder: OutputFolder,
        _ report: inout Report
    ) throws {
        let documents = manifests?.documents(of: images, folders, in: place, title: title) ?? []
        for (name, text) in documents { try add(text, place.path(of: name), to: folder, &report) }
    }

    /// Adds the files of an image, except its page; each page of a file with several is an image.
    ///
    /// A page that cannot be shown is left out, unless it is the first one.
    ///
    /// - Parameter top: The folder of the whole site; nil if the image is the whole site.
    private func add(
        _ path: FilePath, in place: inout SitePlace, below top: FilePath?, to folder: OutputFolder,
        _ report: inout Report, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> [SiteImage] {
        try progress(0)
        let file = try ImageFile.open(path.text, opening)
        let numbers = file.picturePages
        let count = max(1, numbers.count)
        var images: [SiteImage] = []
        for index in 0..<count {
            let part: @Sendable (Double) throws -> Void = {
                try progress((Double(index) + $0) / Double(count))
            }
            do {
                let page = index == 0 ? file : try file.openPage(numbers[index])
                images.append(
                    try add(
                        page, path, index, isAlone: top == nil && count == 1, in: &place, below: top,
                        to: folder,
                        &report, part))
            } catch let error as RenderingError where index > 0 {
                report.failures.append(("\(path), page \(index + 1)", error))
            }
        }
        return images
    }

    /// Adds the files of a page; those after the first one are always converted.
    ///
    /// - Parameters:
    ///   - number: The number of the page, from 0.
    ///   - isAlone: Whether it is the only image of the site.
    private func add(
        _ original: ImageFile, _ path: FilePath, _ number: Int, isAlone: Bool, in place: inout SitePlace,
        below top: FilePath?, to folder: OutputFolder, _ report: inout Report,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> SiteImage {
        let kept = number == 0 ? try sidecar(ofUnchanged: original) { try progress(0.5 * $0) } : nil
        let isConverted = kept == nil
        if isConverted, link != nil || !converts {
            throw RenderingError.notIndexable(
                file: path.text,
                reason: link == nil
                    ? "\(number == 0 ? Self.reason(against: original) : "pages read only the first page of it"), and is not converted"
                    : "only undamaged JPEGs, PNGs and tiled TIFFs can be linked, because others are converted"
            )
        }
        let mark = number == 0 ? "" : "-\(number + 1)"
        let name = place.name(path.name.text + mark + (isConverted ? ".jpg" : ""))
        let stored = place.path(of: "images/\(name)")
        let file: ImageFile
        let sidecar: SidecarWriter.Made
        if let kept {
            (file, sidecar) = (original, kept)
            if link == nil {
                try copy(original, to: stored, folder, &report) { try progress(0.5 + 0.4 * $0) }
            }
        } else {
            try add(converted(original), stored, to: folder, &report)
            file = try ImageFile.open(folder.path(of: "\(Self.main)/\(stored)"))
            sidecar = try SidecarWriter(hasLevels: true).make(file) { try progress(0.4 + 0.5 * $0) }
        }
        try progress(0.9)
        try add(sidecar.bytes, "\(stored).vpi", to: folder, &report)
        report.sidecarBytes += sidecar.bytes.count
        let thumbnail = try encoded(
            original, .fitted(Size(width: Self.thumbnailSide, height: Self.thumbnailSide)), 80)
        try add(thumbnail.bytes, place.path(of: "thumbs/\(name).jpg"), to: folder, &report)
        let image = SiteImage(
            title: path.name.text + (number == 0 ? "" : ", page \(number + 1)"), name: name,
            page: isAlone ? "index.html" : place.path(of: "\(name).html"),
            address: address(of: path, name, below: top), facts: facts(of: path, file),
            thumbnailSize: PixelSize(width: thumbnail.size.width, height: thumbnail.size.height),
            panorama: original.panoramaFacts?.text())
        report.images.append((path.text, image.page, isConverted))
        return image
    }

    /// Returns the sidecar of a file that pages read as it is; nil for one that has to be converted.
    private func sidecar(
        ofUnchanged file: ImageFile, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> SidecarWriter.Made? {
        guard file.rawPreview == nil, file.damage == nil else { return nil }
        let writer = SidecarWriter(hasLevels: true)
        if TIFFTileList(file) != nil { return try writer.make(file, progress: progress) }
        guard file.indexable != nil, file.opened.count < Self.maximumBytes else { return nil }
        if file.source.capabilities.blocks != nil { return try writer.make(file, progress: progress) }
        do {
            return try writer.make(file, progress: progress)
        } catch RenderingError.notIndexable {
            return nil
        }
    }

    /// Why pages cannot read a file as it is.
    private static func reason(against file: ImageFile) -> String {
        if file.rawPreview != nil { return "it is a raw photo" }
        if file.damage != nil { return "it is damaged" }
        if file.format == .tiff { return "it has no JPEG, deflated or plain tiles that pages can read" }
        return file.indexable == nil ? file.reasonAgainstIndex : "it is too large"
    }

    /// What the manifest says of an image: the metadata of the original, with the size of the file of the site.
    private func facts(of path: FilePath, _ file: ImageFile) -> ImageFacts {
        guard manifests != nil, var facts = try? ImageFacts(of: path.text) else {
            return ImageFacts(size: file.uprightSize)
        }
        facts.size = file.uprightSize
        facts.pages = []
        return facts
    }

    /// The URL of the JPEG for its page.
    private func address(of path: FilePath, _ name: String, below top: FilePath?) -> String {
        guard let link else { return SitePages.address("images/\(name)") }
        guard let top else { return link }
        let below = (path.below(top) ?? path.name).text
        return "\(link)\(link.hasSuffix("/") ? "" : "/")\(PercentCoding.encode(below, keepsSlashes: true))"
    }

    /// Copies the bytes that are read: those of the open file, whatever its name refers to now.
    private func copy(
        _ file: ImageFile, to name: String, _ folder: OutputFolder, _ report: inout Report,
        _ progress: (Double) throws -> Void
    ) throws {
        let path = "\(Self.main)/\(name)"
        try folder.write([], to: path)
        let count = file.opened.count
        for start in stride(from: 0, to: count, by: 4 << 20) {
            let end = min(start + 4 << 20, count)
            let bytes = try RenderingError.naming(file.path) { () throws(FileError) in
                try file.opened.bytes(start..<end)
            }
            try OutputFile.append(bytes, to: folder.path(of: path))
            try progress(Double(end) / Double(count))
        }
        report.bytes += count
    }

    /// An upright JPEG of an image of another format.
    private func converted(_ file: ImageFile) throws -> [UInt8] {
        guard file.storedSize.area <= Self.maximumConvertedPixels else {
            throw RenderingError.notIndexable(
                file: file.path,
                reason: "\(Self.reason(against: file)), and too large to be converted")
        }
        return try encoded(file, .whole(zoom: 1), 90).bytes
    }

    private func encoded(
        _ file: ImageFile, _ region: ViewportRequest.Region, _ quality: Int
    ) throws -> (bytes: [UInt8], size: PixelSize<OutputGrid>) {
        guard let request = ViewportRequest(region).resolve(in: file.uprightSize.imageSize) else {
            throw RenderingError.outside(file: file.path, size: file.uprightSize)
        }
        let picture = try ViewportRenderer().renderSynchronously(request.viewport, of: file).picture
        return (try PictureEncoder(.jpg, quality: quality).encodeSynchronously(picture), picture.size)
    }

    private func add(_ text: String, _ name: String, to folder: OutputFolder, _ report: inout Report) throws {
        try add(Array(text.utf8), name, to: folder, &report)
    }

    private func add(_ bytes: [UInt8], _ name: String, to folder: OutputFolder, _ report: inout Report) throws
    {
        try folder.write(bytes, to: "\(Self.main)/\(name)")
        report.bytes += bytes.count
    }
}
