internal import Containers
internal import Files
package import ImageMetadata
internal import ImageReading
package import Pictures
package import ViewportGeometry

/// What a manifest says about an image: its size and the metadata of its file.
package struct ImageFacts: Hashable, Sendable {
    /// A page of a file.
    package struct Page: Hashable, Sendable {
        /// From 0.
        package var number: Int
        /// The size that a server of the page states.
        package var size: PixelSize<UprightGrid>
    }

    /// The size that a server of the image states.
    package var size: PixelSize<UprightGrid>
    /// All pages of a file that has several, which are pictures of their own.
    package var pages: [Page] = []
    /// The number of the page of which this is; nil for a file with one.
    private(set) var page: Int?
    package var title: String?
    package var caption: String?
    package var keywords: [String] = []
    package var date: CaptureDate?
    package var location: Location?
    /// The name of the place.
    package var place: String?
    package var camera: String?
    package var lens: String?
    package var rights: String?
    package var credit: String?
    /// The URI of a license that the specification knows.
    package var license: String?

    package init(size: PixelSize<UprightGrid>) {
        self.size = size
    }

    /// Reads the headers of a file.
    ///
    /// - Throws: `RenderingError` if it is no image that can be opened.
    package init(of path: String) throws(RenderingError) {
        let metadata = try RenderingError.naming(path) { () throws(FileError) in
            FileMetadata(FileBytes(try OpenFile(path)), name: FilePath(path).name.text)
        }
        // The others are opened as the server does: which of their images is shown, and how it is turned, depends on their
        // decoders.
        if let metadata, [.jpeg, .png].contains(metadata.format), let size = metadata.uprightSize {
            self.init(size: size)
        } else {
            let file = try ImageFile.open(path)
            self.init(size: file.uprightSize)
            pages = Self.pages(of: file)
        }
        if let metadata { add(metadata) }
    }

    /// Returns the pages of a file with several, without those that cannot be opened.
    private static func pages(of file: ImageFile) -> [Page] {
        let numbers = file.picturePages
        guard numbers.count > 1 else { return [] }
        return numbers.compactMap { number in
            let page = number == file.page ? file : try? file.openPage(number)
            return page.map { Page(number: number, size: $0.uprightSize) }
        }
    }

    /// The facts of each page, each of which is a canvas.
    package var ofPages: [ImageFacts] {
        guard pages.count > 1 else { return [self] }
        return pages.map { page in
            var facts = self
            (facts.page, facts.size) = (page.number, page.size)
            return facts
        }
    }

    /// What follows the identifier of the file in that of the page.
    package var pageMark: String { PageIdentifier.mark(ofPage: page ?? 0) }

    /// Turns the image by a quarter.
    package mutating func transpose() {
        size = PixelSize(width: size.height, height: size.width)
        for index in pages.indices {
            pages[index].size = PixelSize(width: pages[index].size.height, height: pages[index].size.width)
        }
    }

    private mutating func add(_ metadata: FileMetadata) {
        func text(_ text: String?) -> String? {
            text.map(XMPPacket.keyword).flatMap { $0.isEmpty ? nil : $0 }
        }
        title = text(metadata.title)
        caption = metadata.caption.flatMap { text($0) == nil ? nil : $0 }
        keywords = metadata.keywords
        date = metadata.date
        location = metadata.location
        camera = FileMetadata.camera(make: text(metadata.make), model: text(metadata.model))
        lens = text(metadata.lens)
        rights = text(metadata.rights)
        credit = text(metadata.credit)
        license = metadata.license.flatMap(Self.license)
    }

    /// Returns the URI of a license in the form of its publisher; nil for those that the specification does not allow.
    ///
    /// Source: IIIF Presentation API 3.0, section 3.1, `rights`.
    static func license(_ text: String) -> String? {
        let address = text.hasPrefix("https:") ? "http:" + text.dropFirst("https:".utf8.count) : text
        let known = ["http://creativecommons.org/", "http://rightsstatements.org/"]
        return known.contains(where: address.hasPrefix) && ManifestOptions.isAddress(address) ? address : nil
    }

    /// The date in UTC, where the day is known; a clock of unknown zone is taken for that of UTC.
    var navigationDate: String? {
        guard let date, date.precision >= .day else { return nil }
        var clock = date.instant.flatMap { WallClock(wholeSeconds: $0) } ?? date.local
        clock.fraction = ""
        return "\(clock)Z"
    }
}
