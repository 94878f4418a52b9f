internal import Files
internal import Presentation
internal import ViewerPages
internal import ViewportGeometry

/// An image of a site.
struct SiteImage {
    /// The name of its file, as users see it.
    let title: String
    /// The name of its files in the folder of its page.
    let name: String
    /// The path of its page in the site.
    let page: String
    /// The URL of the JPEG, relative to the page, or of another host.
    let address: String
    /// What its manifest says, with the upright size.
    let facts: ImageFacts
    let thumbnailSize: PixelSize<UprightGrid>
    /// What it shows of the sphere, as JSON; nil for other images.
    let panorama: String?

    /// The upright size.
    var size: PixelSize<UprightGrid> { facts.size }
    /// The path of its sidecar, from the folder of its page.
    var sidecar: String { "images/\(name).vpi" }
    /// The path of its thumbnail, from the folder of its page.
    var thumbnail: String { "thumbs/\(name).jpg" }
}

/// A folder of a site, which has an index, and the pages, JPEGs, sidecars and thumbnails of its images.
struct SitePlace {
    /// The names of the folders down to it, as users see them.
    private(set) var titles: [String] = []
    /// Their names in the site.
    private var names: [String] = []
    /// The names that are taken, in small letters.
    ///
    /// Unlike paths, they are equal if they are after normalization: the
    /// site may be copied to a file system that takes such names for one.
    private var taken: Set<String> = ["index.html", "images", "thumbs", "page", "canvas"]
    /// Whether it has a collection: of folders, or of several manifests.
    var hasCollection = false
    /// Whether it shows images of its own.
    var hasImages = false

    /// How many folders are above it.
    var depth: Int { names.count }

    /// The name of the folder in the site.
    var name: String { names.last ?? "" }

    /// The path of the main folder, from this one.
    var base: String { depth == 0 ? "." : Array(repeating: "..", count: depth).joined(separator: "/") }

    /// Returns the path of a file in the site.
    func path(of name: String) -> String { (names + [name]).joined(separator: "/") }

    /// Returns a free name for an image or a folder, and takes it with that of its page.
    mutating func name(_ wanted: String) -> String {
        var (name, number) = (wanted, 2)
        while !taken.isDisjoint(with: [name.lowercased(), "\(name).html".lowercased()]) {
            name = "\(number)-\(wanted)"
            number += 1
        }
        taken.formUnion([name.lowercased(), "\(name).html".lowercased()])
        return name
    }

    /// Returns a folder in this one.
    mutating func folder(_ title: String) -> SitePlace {
        var folder = SitePlace()
        (folder.titles, folder.names) = (titles + [title], names + [name(title)])
        return folder
    }
}

/// The HTML pages of a site, whose links are relative.
enum SitePages {
    /// Returns the page that shows one image.
    ///
    /// - Parameter isAlone: Whether there is no index to return to.
    static func viewer(_ image: SiteImage, _ place: SitePlace, isAlone: Bool) -> String {
        // Many static hosts compress nothing: pages load the compressed copies, which `unpack.js` unpacks. What begins
        // to fetch the image comes first.
        let name = ViewerPage.files.address
        let template = String(decoding: ViewerPage.files["viewer.html"]?.bytes ?? [], as: UTF8.self)
            .replacing(".wasm\"", with: ".wasm.gz\"")
            .replacing("/page/\(name("viewer.js"))\"", with: "/page/\(name("unpack.js"))\"")
        let full = PageTemplate.escaped(image.address)
        let isPanorama = image.panorama != nil
        let packed =
            ["static-pyramid.js", "viewer.js", "regions.wasm"] + (isPanorama ? ["panorama.wasm"] : [])
        var preloads = packed.map {
            #"<link rel="preload" as="fetch" crossorigin href="\#(place.base)/page/\#(name($0)).gz">"#
        }
        if isPanorama {
            let script = name("sphere.js")
            preloads.append(#"<link rel="modulepreload" href="\#(place.base)/page/\#(script)">"#)
        }
        return PageTemplate(template).filled([
            "preload": preloads.joined(separator: "\n"),
            "source": #"data-service="\#(full)" data-sidecar="\#(address(image.sidecar))""#
                + (image.panorama.map { " data-panorama=\"\(PageTemplate.escaped($0))\"" } ?? ""),
            "still": address(image.thumbnail), "full": full, "base": place.base,
            "title": PageTemplate.escaped(image.title),
            "navigation": isAlone ? "" : #"<a href="./index.html" aria-label="All images">‹</a>"#,
        ])
    }

    /// Returns the index of a folder: the folders in it, and a thumbnail of each image.
    static func index(
        _ images: [SiteImage], _ folders: [SitePlace], in place: SitePlace, title: String
    ) -> String {
        let links = folders.map { folder in
            """
            <li><a class="folder" href="\(address("\(folder.name)/index.html"))">\
            <span>\(PageTemplate.escaped(folder.titles.last ?? ""))/</span></a></li>
            """
        }
        let items = images.map { image in
            let kind = image.panorama == nil ? "" : #" class="panorama""#
            return """
                <li><a href="\(address("\(image.name).html"))"\(kind)><img src="\(address(image.thumbnail))" alt="" loading="lazy" \
                width="180" height="180"><span title="\(image.size.width) × \(image.size.height)">\
                \(PageTemplate.escaped(image.title))</span></a></li>
                """
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(PageTemplate.escaped(place.titles.last ?? title))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" type="image/svg+xml" href="\(place.base)/page/\(ViewerPage.files.address(of: "icon.svg"))">
            <link rel="stylesheet" href="\(place.base)/page/\(ViewerPage.files.address(of: "index.css"))">
            <h1>\(path(of: place, title: title))</h1>
            <ul>
            \((links + items).joined(separator: "\n"))
            </ul>
            </html>

            """
    }

    /// The names of a folder and of those above it, with links to these.
    private static func path(of place: SitePlace, title: String) -> String {
        let titles = [title] + place.titles
        return titles.enumerated().map { depth, title in
            let text = PageTemplate.escaped(title)
            guard depth < place.depth else { return text }
            let above = Array(repeating: "../", count: place.depth - depth).joined()
            return "<a href=\"\(above)index.html\">\(text)</a>"
        }.joined(separator: " / ")
    }

    /// The files that pages of a site load, by name, and those that other pages may load.
    ///
    /// Modules, and the scripts that each page of an image loads, have compressed copies, too, with `.gz` behind their names.
    static func files(isGallery: Bool) -> [(name: String, bytes: [UInt8])] {
        let scripts = ["static-pyramid.js", "viewer.js"].map(ViewerPage.files.address)
        let unused = ["compare", "strip", isGallery ? nil : "index"].compactMap { $0 }
        let names =
            ViewerPage.files.finalNames.filter { name in !unused.contains { name.hasPrefix("\($0)-") } }
            + [
                "viewport-tiles.js", "png-regions.js", "png-writer.js", "progressive-regions.js",
                "tiff-tiles.js",
                "regions.wasm", "progressive.wasm",
            ]
        return names.flatMap { name -> [(name: String, bytes: [UInt8])] in
            guard let file = ViewerPage.files[name] else { return [] }
            let isPacked = scripts.contains(name) || name.hasSuffix(".wasm") && file.isFinal
            let packed = isPacked ? file.gzip : nil
            return [(name, file.bytes)] + (packed.map { [("\(name).gz", $0)] } ?? [])
        }
    }

    /// Returns the relative URL of a path in the site, for HTML.
    static func address(_ path: String) -> String { "./" + PercentCoding.encode(path, keepsSlashes: true) }
}
