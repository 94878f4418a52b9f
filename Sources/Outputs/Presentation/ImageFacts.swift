internal import Containers
internal import Files
package import ImageMetadata
internal import ImageReading
package import Pictures
package import ViewportGeometry

/// What a manifest says about an image: its size and the metadata of its file.
package struct ImageFacts: Hashable, Sendable {
    /// The size that a server of the image states.
    package var size: PixelSize<UprightGrid>
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
            self.init(size: try ImageFile.open(path).uprightSize)
        }
        if let metadata { add(metadata) }
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
