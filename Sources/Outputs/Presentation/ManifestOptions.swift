internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata

/// What manifests say about images, beside their sizes.
package struct ManifestOptions: Hashable, Sendable {
    /// How much of the metadata of files manifests have.
    package enum Metadata: String, CaseIterable, Sendable {
        /// Names of files only.
        case none
        /// Titles, captions, keywords, dates, names of places, cameras and rights.
        case some
        /// In addition, lenses and positions.
        case all
    }

    /// How viewers arrange the canvases.
    package enum Behavior: String, CaseIterable, Sendable {
        case individuals, paged, continuous
    }

    package var title: String?
    /// The text that viewers must show; HTML if it begins with `<` and ends with `>`.
    package var attribution: String?
    /// The URI of a license.
    package var rights: String?
    package var metadata = Metadata.some
    package var behavior: Behavior?
    package var direction: PresentationManifest.Direction?
    /// The language of texts in files: a tag of BCP 47, or `none`.
    package var language = "none"
    /// Whether the server of the images makes PDFs of them.
    package var hasPDFs = true

    package init() {}

    /// All options as one text, which differs where manifests do.
    package var words: String { "\(self)" }

    /// Returns a manifest without canvases.
    package func manifest(id: String, name: String) -> PresentationManifest {
        var manifest = PresentationManifest(id: id, description(name: name))
        manifest.behavior = behavior.map { [$0.rawValue] } ?? []
        manifest.direction = direction
        manifest.hasPlaces = metadata == .all
        return manifest
    }

    /// Returns the description of a folder.
    package func description(name: String) -> Description {
        var description = Description(ManifestText(title ?? name))
        if let attribution {
            description.requiredStatement = ManifestEntry(
                ManifestText("Attribution", language: "en"), ManifestText(attribution, language: language))
        }
        description.rights = rights
        return description
    }

    /// Returns a canvas of an image, or of one of its pages, behind a server.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the file at its server.
    ///   - base: The URL of the server.
    ///   - id: The URL of the canvas.
    ///   - original: The file itself, where the server gives it out.
    package func canvas(
        _ facts: ImageFacts, identifier: String, base: String, id: String, original: ManifestLink? = nil
    ) -> PresentationCanvas {
        let name = FilePath(identifier).names.last?.text ?? identifier
        let identifier = identifier + facts.pageMark
        var links = [original].compactMap(\.self)
        if hasPDFs, let pdf = FileType.ofExtension("pdf") {
            links.append(
                ManifestLink(
                    "\(base)/iiif/3/\(PercentCoding.encode(identifier))/full/max/0/default.pdf",
                    label: ManifestText("PDF", language: "en"), format: pdf.mediaType))
        }
        return canvas(
            facts, name: name, id: id,
            PresentationImage(base: base, identifier: identifier, size: facts.size), links: links)
    }

    /// Returns a canvas of any image.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - id: The URL of the canvas.
    ///   - image: The image with its thumbnail.
    ///   - links: Other forms of the image.
    package func canvas(
        _ facts: ImageFacts, name: String, id: String, _ image: PresentationImage, links: [ManifestLink]
    ) -> PresentationCanvas {
        var description = Description(ManifestText(PathText.shown(name)))
        func words(_ texts: [String]) -> ManifestText {
            ManifestText(texts.map(ManifestText.plain), language: language)
        }
        func add(_ label: String, _ texts: [String?]) {
            let texts = texts.compactMap(\.self).filter { !$0.isEmpty }
            guard !texts.isEmpty else { return }
            description.metadata.append(
                ManifestEntry(
                    ManifestText(label, language: "en"), ManifestText(texts.map(ManifestText.plain))))
        }
        var date: String?
        var place: PresentationCanvas.Place?
        if metadata != .none {
            if let title = facts.title { description.label = ManifestText(title, language: language) }
            description.summary = facts.caption.map { words([$0]) }
            if facts.title != nil { add("File", [PathText.shown(name)]) }
            add("Date", [facts.date.map { "\($0)" }])
            add("Place", [facts.place])
            add("Camera", [facts.camera])
            if !facts.keywords.isEmpty {
                description.metadata.append(
                    ManifestEntry(ManifestText("Keywords", language: "en"), words(facts.keywords)))
            }
            let statement = [facts.rights, facts.credit].compactMap(\.self).filter { !$0.isEmpty }
            if !statement.isEmpty {
                description.requiredStatement = ManifestEntry(
                    ManifestText("Attribution", language: "en"), words(statement))
            }
            description.rights = facts.license
            date = facts.navigationDate
        }
        if metadata == .all {
            add("Lens", [facts.lens])
            if let location = facts.location {
                add("Position", ["\(location.latitude), \(location.longitude)"])
                place = .init(latitude: location.latitude, longitude: location.longitude)
            }
        }
        if let page = facts.page {
            description.label.values = description.label.values.map { "\($0), page \(page + 1)" }
        }
        var canvas = PresentationCanvas(id: id, description, size: facts.size, image: image)
        canvas.date = date
        canvas.place = place
        canvas.links = links
        return canvas
    }

    /// Returns whether a text is an absolute URL of the web.
    package static func isAddress(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://"))
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
            && (text.split(separator: ":").dropFirst().first?.utf8.count ?? 0) > 2
    }
}
