internal import Basics
internal import Containers
internal import Files
package import Presentation
internal import ViewportGeometry

/// The manifests of a site: each folder with images has `manifest.json`, each with folders `collection.json`.
///
/// A static host has no image server: canvases have the JPEGs themselves and their thumbnails.
package struct SiteManifests: Sendable {
    /// The URL of the site, without a slash at the end.
    let base: String
    /// What the manifests say.
    let options: ManifestOptions

    /// - Parameter url: The URL of the site.
    package init(url: String, _ options: ManifestOptions) {
        base = url.hasSuffix("/") ? String(url.dropLast()) : url
        var options = options
        // PDFs are made by servers.
        options.hasPDFs = false
        self.options = options
    }

    /// A file of a folder of the site.
    typealias Document = (name: String, text: String)

    /// Returns the manifests of a folder, and its collection if it has folders or several manifests.
    ///
    /// - Parameter title: The title of the whole site.
    func documents(
        of images: [SiteImage], _ folders: [SitePlace], in place: SitePlace, title: String
    ) -> [Document] {
        let name = place.titles.last ?? title
        var options = options
        options.title = nil
        var documents: [Document] = []
        var items: [PresentationCollection.Item] = []
        for document in PresentationDocument.manifests(of: images.count) {
            let id = address(of: place.path(of: document.name))
            let label = document.label(of: images.count, name: name)
            let manifest = options.manifest(id: id, name: PathText.shown(label))
            let canvases = images[document.positions(of: images.count)].map { canvas(of: $0, in: place) }
            documents.append((document.name, manifest.text(canvases)))
            items.append(.init(id, isCollection: false, label: manifest.description.label))
        }
        guard place.hasCollection else { return documents }
        for folder in folders where folder.hasCollection || folder.hasImages {
            let document = folder.hasCollection ? PresentationDocument.collection : .manifest
            items.append(
                .init(
                    address(of: folder.path(of: document.name)), isCollection: folder.hasCollection,
                    label: ManifestText(PathText.shown(folder.titles.last ?? ""))))
        }
        var collection = PresentationCollection(
            id: address(of: place.path(of: "collection.json")),
            options.description(name: PathText.shown(name)), items: items)
        collection.isOneWork = folders.isEmpty
        return documents + [("collection.json", collection.text)]
    }

    private func canvas(of image: SiteImage, in place: SitePlace) -> PresentationCanvas {
        let folder = place.path(of: "")
        let format = FilePath(image.name).fileExtension.flatMap { FileType.ofExtension($0.text.lowercased()) }
        let picture = PresentationImage(
            file: file(image.address, in: folder), format: format, size: image.size,
            thumbnail: (address(of: folder + image.thumbnail), image.thumbnailSize))
        return options.canvas(
            image.facts, name: image.title, id: address(of: "\(folder)canvas/\(image.name)"), picture,
            links: [
                ManifestLink(
                    address(of: image.page), label: ManifestText("Viewer", language: "en"),
                    format: "text/html")
            ])
    }

    /// The URL of the JPEG that a page names, relative to the folder of its page or to its host.
    private func file(_ address: String, in folder: String) -> String {
        if ManifestOptions.isAddress(address) { return address }
        if address.hasPrefix("/") {
            let host = base.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
            return host.joined(separator: "/") + address
        }
        let relative = address.hasPrefix("./") ? String(address.dropFirst(2)) : address
        return "\(base)/\(PercentCoding.encode(folder, keepsSlashes: true))\(relative)"
    }

    private func address(of path: String) -> String {
        "\(base)/\(PercentCoding.encode(path, keepsSlashes: true))"
    }
}
