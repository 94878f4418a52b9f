#if Server
internal import Files
internal import HTTPTypes
internal import ViewerPages

/// `/`: an index of the images of a folder.
///
/// Its query selects a `folder`, the names that contain a text (`name`), an order (`sort`), and a `page`, from 1.
struct IndexRoute: Route {
    let roots: ImageRoots
    let access: AccessControl?
    let entries: [IndexEntry]
    let assets: PageAssets

    var prefix: String { "" }

    /// The number of images on a page.
    private static let pageLength = 240
    /// The number of subfolders on a page.
    private static let maximumFolders = 1000

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard request.path.count <= 1 else { throw RouteError.notFound }
        guard roots.startPage.isEmpty else { return .seeOther("./\(roots.startPage)") }
        if let entry = entries.first, roots.all.count == 1 {
            let query = request.query.isEmpty ? "" : "?\(request.query)"
            return .seeOther("./\(entry.address)\(query)")
        }
        let folder = request.value("folder") ?? ""
        let name = request.value("name") ?? ""
        let order = try FolderOrder(of: request)
        try await access?.check(folder: folder, in: roots, for: request)
        let excluded = Set(entries.map { FilePath($0.root) })
        guard
            let contents = try await roots.listing(of: folder, matching: name, by: order, except: excluded)
        else { throw RouteError.folderNotFound }
        let pages = try ListPages(
            request, of: contents.images.count, length: Self.pageLength, in: "folder")
        let view = IndexView(
            folder: folder, name: name, order: order, pages: pages, contents: contents,
            entries: folder.isEmpty && name.isEmpty && pages.number == 1 ? entries : [])
        return RouteResponse.page(
            view.html(
                try assets.template("index.html"), maximumFolders: Self.maximumFolders),
            sendsForms: true)
    }
}

/// `/cover/{folder}`: a picture of a folder, that of its first image.
struct CoverRoute: Route {
    let roots: ImageRoots
    let access: AccessControl?

    var prefix: String { "cover" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let folder = try IIIFPath.identifier(request.path.dropFirst())
        try await access?.check(folder: folder, in: roots, for: request)
        let roots = roots
        guard !folder.isEmpty, let root = roots.root(ofFolder: folder),
            let image = try await root.threads.run({ roots.cover(of: folder) })
        else { throw RouteError.imageNotFound }
        // It may lie in a folder below that the client may not see.
        if let path = try await root.threads.run({ roots.path(of: image) }) {
            try await access?.check(path, for: request)
        }
        // Relative to an address of one component: in names, / is encoded.
        return .seeOther("../iiif/3/\(PercentCoding.encode(image))/full/!480,480/0/default.jpg")
    }
}

/// The HTML of a page of the index.
///
/// Links are relative: the page cannot load from another name of the host.
private struct IndexView {
    let folder: String
    let name: String
    let order: FolderOrder
    let pages: ListPages
    let contents: FolderContents
    let entries: [IndexEntry]

    func html(_ template: PageTemplate, maximumFolders: Int) -> String {
        let shown = contents.images[pages.range.clamped(to: contents.images.indices)]
        let folders = pages.number == 1 ? contents.folders.prefix(maximumFolders) : []
        let items =
            entries.map(item) + folders.map { item(folder: $0) } + shown.map { item(image: $0) }
        let empty =
            name.isEmpty
            ? "No images: serve a folder that contains some." : "No name contains the text."
        return template.filled([
            "title": PageTemplate.escaped(title), "base": ".", "path": path, "hidden": hiddenFolder,
            "name": PageTemplate.escaped(name), "choices": choices, "count": count,
            "list": items.isEmpty ? "<p>\(empty)</p>" : "<ul>\n\(items.joined(separator: "\n"))\n</ul>",
            "navigation": navigation,
        ])
    }

    private var title: String { FilePath(folder).names.last?.text ?? "Images" }

    /// The folder, with links to those above it.
    private var path: String {
        let parts = FilePath(folder).names.map(\.text)
        let links = parts.indices.map { index in
            let above = parts[...index].joined(separator: "/")
            let text = PageTemplate.escaped(parts[index])
            return index == parts.count - 1 && name.isEmpty
                ? text : "<a href=\"\(address(folder: above))\">\(text)</a>"
        }
        let top = folder.isEmpty && name.isEmpty ? "Images" : "<a href=\"./\">Images</a>"
        return ([top] + links).joined(separator: " / ")
    }

    private var hiddenFolder: String {
        // A browser cannot send a name that is not UTF-8 back.
        folder.isEmpty || PathText.shown(folder) != folder
            ? "" : "<input type=\"hidden\" name=\"folder\" value=\"\(PageTemplate.escaped(folder))\">"
    }

    private var choices: String {
        FolderOrder.allCases.map { one in
            "<option value=\"\(one.rawValue)\"\(one == order ? " selected" : "")>\(one.title)</option>"
        }.joined()
    }

    private var count: String {
        func text(_ count: Int, _ one: String) -> String { "\(count) \(one)\(count == 1 ? "" : "s")" }
        let folders = contents.folders.isEmpty ? "" : ", " + text(contents.folders.count, "folder")
        return text(contents.images.count, "image") + folders + pages.position
    }

    private var navigation: String {
        pages.count > 1 ? "<nav>\(pages.links { address(page: $0) })</nav>" : ""
    }

    private func address(folder: String) -> String {
        "./?folder=\(PercentCoding.encode(folder))" + (order.parameter.map { "&amp;\($0)" } ?? "")
    }

    private func address(page: Int) -> String {
        let parameters = [
            folder.isEmpty ? nil : "folder=\(PercentCoding.encode(folder))",
            name.isEmpty ? nil : "name=\(PercentCoding.encode(name))", order.parameter, "page=\(page)",
        ]
        return "./?" + parameters.compactMap { $0 }.joined(separator: "&")
    }

    private func item(_ entry: IndexEntry) -> String {
        "<li><a href=\"./\(entry.address)\"><img loading=\"lazy\" alt=\"\" "
            + "src=\"./\(entry.cover)\"><span>\(PageTemplate.escaped(entry.title))</span></a></li>"
    }

    private func item(folder: String) -> String {
        "<li><a class=\"folder\" href=\"\(address(folder: folder))\">"
            + "<img loading=\"lazy\" alt=\"\" src=\"./cover/\(PercentCoding.encode(folder))\">"
            + "<span>\(PageTemplate.escaped(shown(folder)))/</span></a></li>"
    }

    private func item(image: String) -> String {
        let encoded = PercentCoding.encode(image)
        func picture(_ side: Int) -> String {
            "./iiif/3/\(encoded)/full/!\(side),\(side)/0/default.jpg"
        }
        let sources = [240, 480, 720].map { "\(picture($0)) \($0)w" }.joined(separator: ", ")
        let query = order.parameter.map { "?\($0)" } ?? ""
        return "<li><a href=\"./view/\(encoded)\(query)\"><img loading=\"lazy\" alt=\"\" "
            + "src=\"\(picture(240))\" srcset=\"\(sources)\" sizes=\"(max-width: 480px) 33vw, 200px\">"
            + "<span>\(PageTemplate.escaped(shown(image)))</span></a></li>"
    }

    /// The name below the folder.
    private func shown(_ identifier: String) -> String {
        FilePath(identifier).below(FilePath(folder))?.text ?? identifier
    }
}
#endif
