internal import Files
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// An image that is open: what its header says, at once.
struct OpenImage: Sendable {
    let file: ImageFile
    /// The file when it was opened.
    let status: FileStatus
    /// The side of the tiles that are best asked for.
    let tileSide: Int
    /// Whether only pages of this server may read it.
    let isPrivate: Bool

    /// - Throws: `RenderingError`.
    init(_ path: String, page: Int, maximumPixels: Int?, isPrivate: Bool) throws(RenderingError) {
        self.isPrivate = isPrivate
        var options = OpenOptions()
        options.page = page
        options.maximumPixels = maximumPixels
        file = try ImageFile.open(path, options)
        guard let status = file.identity.status else { throw .missing(file: path) }
        self.status = status
        tileSide = StoredTiles.tileSide(of: file) ?? 512
    }

    /// What changes when the file does.
    var state: String {
        "\(file.path) \(file.page) \(status.size) \(status.modified) \(status.inode) \(status.device)"
    }

    var lastModified: String { HTTPDate.text(status.modified / 1_000_000_000) }
}

/// An image that is ready for many looks: indexed, or turned into a pyramid, or with its tiles in memory.
struct PreparedImage: Sendable {
    let renderer: IIIFRenderer
    let tiles: StoredTiles?
}
