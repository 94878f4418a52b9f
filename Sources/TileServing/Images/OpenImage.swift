#if Server
internal import Files
internal import RemoteFiles
internal import ViewportRendering

/// An open image and the status of its file.
struct OpenImage: Sendable {
    let file: ImageFile
    /// The path or URL that it was opened at.
    let path: String
    /// The file's status when it was opened.
    let status: FileStatus
    /// The tile size that is fastest to read, in pixels.
    let tileSide: Int
    /// Whether only pages of this server may read the image.
    let isPrivate: Bool

    /// - Throws: `RenderingError`.
    init(
        _ path: String, page: Int, maximumPixels: Int?, remote: RemoteOptions, isPrivate: Bool
    ) throws(RenderingError) {
        (self.path, self.isPrivate) = (path, isPrivate)
        var options = OpenOptions()
        options.page = page
        options.maximumPixels = maximumPixels
        options.remote = remote
        file = try ImageFile.open(path, options)
        guard let status = file.identity.status else { throw .missing(file: path) }
        self.status = status
        tileSide = StoredTiles.tileSide(of: file) ?? 512
    }

    /// A text that changes with the file.
    var state: String {
        "\(path) \(file.page) \(status.size) \(status.modified) \(status.inode) \(status.device)"
    }

    var lastModified: String { HTTPDate.text(status.modified / 1_000_000_000) }
}

extension RemoteOptions {
    /// The options of a server, whose clients choose what is read, and which keeps many images open.
    init(serverAllowsPrivateAddresses allowsPrivateAddresses: Bool) {
        self.init()
        self.allowsPrivateAddresses = allowsPrivateAddresses
        storeByteCount = 8 << 20
        copyByteCount = 1 << 30
        timeout = 10
        attempts = 2
    }
}

/// An image prepared for random access with an index, a pyramid or tiles in memory.
struct PreparedImage: Sendable {
    let renderer: IIIFRenderer
    let tiles: StoredTiles?
    /// The estimated memory for reading a part, in bytes.
    let partBytes: Int

    init(_ renderer: IIIFRenderer, tiles: StoredTiles?, partBytes: Int) {
        (self.renderer, self.tiles, self.partBytes) = (renderer, tiles, partBytes)
    }
}
#endif
