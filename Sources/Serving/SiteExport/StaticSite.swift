internal import Basics
internal import Files
internal import PyramidExport
internal import ViewerPages
internal import ViewportGeometry
internal import ViewportRendering

/// A folder that shows large images on any web server that supports ranges.
///
/// It has the viewer page, its WebAssembly modules, and for each image the JPEG and its sidecar. There are no tiles:
/// pages fetch parts of the JPEG.
package struct StaticSite: Sendable {
    /// The URL where the JPEG lies, or the folder of several JPEGs; nil to copy them into the site.
    package var link: String?
    /// The title of the index.
    package var title: String
    /// Whether a site that this program did not write is replaced.
    package var replaces = false

    /// Larger images that are no baseline JPEGs are not converted, because they are held in memory.
    package static let maximumConvertedPixels = 100_000_000
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

    /// Writes the site of one image, or of several with an index.
    ///
    /// - Parameters:
    ///   - paths: The images.
    ///   - isGallery: Whether there is an index. An image that cannot be shown is then left out, not an error.
    ///   - output: The folder, which is written atomically.
    ///   - progress: Receives the share that is done; throwing stops the work.
    /// - Throws: `RenderingError`, `FileError`, or what `progress` throws.
    package func write(
        _ paths: [String], isGallery: Bool, to output: String,
        progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> Report {
        let target = FolderOutput(output, inputs: paths, overwrites: replaces) { folder in
            Set(Folder.names(in: folder)).isSuperset(of: ["index.html", "page"])
        } isOwn: {
            FolderMark.isOn($0)
        }
        try target.check()
        let folder = try OutputFolder(beside: output)
        defer { folder.discard() }
        try folder.makeFolder(Self.main)
        var report = Report()
        var images: [SiteImage] = []
        for (number, path) in paths.enumerated() {
            let share = 1 / Double(paths.count)
            do {
                let image = try add(path, isAlone: !isGallery, images, to: folder, &report) { part in
                    try progress((Double(number) + part) * share)
                }
                images.append(image)
            } catch let error as RenderingError where isGallery {
                report.failures.append((path, error))
            }
        }
        if isGallery { try add(SitePages.index(images, title: title), "index.html", to: folder, &report) }
        for name in SitePages.files(isGallery: isGallery) {
            guard let file = ViewerPage.files[name] else { continue }
            try add(file.bytes, "page/\(name)", to: folder, &report)
        }
        try FolderMark.add(to: folder.path(of: Self.main))
        try progress(1)
        try target.publish(folder.path(of: Self.main))
        return report
    }

    /// Adds the files of an image.
    private func add(
        _ path: String, isAlone: Bool, _ others: [SiteImage], to folder: OutputFolder, _ report: inout Report,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> SiteImage {
        try progress(0)
        let original = try ImageFile.open(path)
        var name = OutputFile.name(of: path)
        let isConverted = original.source.capabilities.jpeg == nil || original.rawPreview != nil
        if isConverted {
            guard link == nil else {
                throw RenderingError.notIndexable(
                    file: path, reason: "only baseline JPEGs can be linked, because others are converted")
            }
            name += ".jpg"
        }
        // Two folders may have images of the same name.
        let isTaken = { (name: String) in others.contains { $0.sidecar == "images/\(name).vpi" } }
        var number = 2
        let first = name
        while isTaken(name) {
            name = "\(number)-\(first)"
            number += 1
        }
        let file: ImageFile
        if isConverted {
            let picture = try converted(original)
            try add(picture, "images/\(name)", to: folder, &report)
            file = try ImageFile.open(folder.path(of: "\(Self.main)/images/\(name)"))
        } else {
            file = original
            if link == nil { try copy(original, to: "images/\(name)", folder, &report, progress) }
        }
        try progress(0.4)
        let sidecar = try SidecarWriter(hasLevels: true).make(file) { try progress(0.4 + 0.5 * $0) }
        try add(sidecar.bytes, "images/\(name).vpi", to: folder, &report)
        report.sidecarBytes += sidecar.bytes.count
        let thumbnail = try encoded(
            original, .fitted(Size(width: Self.thumbnailSide, height: Self.thumbnailSide)), 80)
        try add(thumbnail, "thumbs/\(name).jpg", to: folder, &report)
        let image = SiteImage(
            title: OutputFile.name(of: path), page: isAlone ? "index.html" : "\(name).html",
            address: address(of: name, isAlone: isAlone), sidecar: "images/\(name).vpi",
            thumbnail: "thumbs/\(name).jpg", size: file.uprightSize)
        try add(SitePages.viewer(image, isAlone: isAlone), image.page, to: folder, &report)
        report.images.append((path, image.page, isConverted))
        return image
    }

    /// The URL of the JPEG for its page.
    private func address(of name: String, isAlone: Bool) -> String {
        guard let link else { return SitePages.address("images/\(name)") }
        if isAlone { return link }
        return "\(link)\(link.hasSuffix("/") ? "" : "/")\(SitePages.percentEncoded(name))"
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
            let bytes = try naming(file.path) { () throws(FileError) in try file.opened.bytes(start..<end) }
            try OutputFile.append(bytes, to: folder.path(of: path))
            try progress(0.4 * Double(end) / Double(count))
        }
        report.bytes += count
    }

    /// An upright JPEG of an image of another format.
    private func converted(_ file: ImageFile) throws -> [UInt8] {
        guard file.storedSize.area <= Self.maximumConvertedPixels else {
            throw RenderingError.notIndexable(
                file: file.path,
                reason: "it is no baseline JPEG, and too large to be converted for a site")
        }
        return try encoded(file, .whole(zoom: 1), 90)
    }

    private func encoded(_ file: ImageFile, _ region: ViewportRequest.Region, _ quality: Int) throws
        -> [UInt8]
    {
        guard let request = ViewportRequest(region).resolve(in: file.uprightSize.imageSize) else {
            throw RenderingError.outside(file: file.path, size: file.uprightSize)
        }
        let picture = try ViewportRenderer().renderSynchronously(request.viewport, of: file).picture
        return try PictureEncoder(.jpg, quality: quality).encode(picture)
    }

    private func add(_ text: String, _ name: String, to folder: OutputFolder, _ report: inout Report) throws {
        try add(Array(text.utf8), name, to: folder, &report)
    }

    private func add(_ bytes: [UInt8], _ name: String, to folder: OutputFolder, _ report: inout Report) throws
    {
        try folder.write(bytes, to: "\(Self.main)/\(name)")
        report.bytes += bytes.count
    }

    private func naming<R>(_ path: String, _ body: () throws(FileError) -> R) throws(RenderingError) -> R {
        do throws(FileError) {
            return try body()
        } catch {
            throw RenderingError(error, file: path)
        }
    }
}
