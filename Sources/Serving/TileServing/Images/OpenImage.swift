#if Server
internal import Basics
internal import Containers
internal import Files
internal import RemoteFiles
internal import ViewportGeometry
internal import ViewportRendering

/// An open image and the status of its file.
struct OpenImage: Sendable {
    let file: ImageFile
    /// What is missing of the file, as a clause; the rest of it is shown.
    let damage: String?
    /// The path or URL that it was opened at.
    let path: String
    /// The threads that read its file.
    let threads: RootThreads
    /// The file's status when it was opened.
    let status: FileStatus
    /// The tile size that is fastest to read, in pixels.
    let tileSide: Int
    /// Whether only pages of this server may read the image.
    let isPrivate: Bool
    /// Whether its tiles should be lossless: the file is, or it is transparent, which JPEG is not.
    let isExact: Bool

    /// How it is turned, besides its own orientation; nil if that cannot change.
    let turn: Orientation?

    /// - Throws: `RenderingError`.
    init(
        _ path: String, page: Int, on threads: RootThreads, maximumPixels: Int?, remote: RemoteOptions,
        isPrivate: Bool, turn: Orientation?
    ) throws(RenderingError) {
        (self.path, self.threads, self.isPrivate, self.turn) = (path, threads, isPrivate, turn)
        var options = OpenOptions()
        options.turn = turn ?? .up
        options.page = page
        options.maximumPixels = maximumPixels
        options.remote = remote
        (file, damage) = try Self.open(path, options)
        guard let status = file.identity.status else { throw .missing(file: path) }
        self.status = status
        let storedSide = StoredTiles.tileSide(of: file)
        tileSide = storedSide ?? 512
        isExact = storedSide == nil && (file.hasAlpha || Self.isLossless(file))
    }

    /// Opens a file, also one of which the end is missing.
    private static func open(
        _ path: String, _ options: OpenOptions
    ) throws(RenderingError) -> (ImageFile, damage: String?) {
        do throws(RenderingError) {
            return (try ImageFile.open(path, options), nil)
        } catch .truncated(_, let missing) {
            var options = options
            options.allowsTruncated = true
            return (try ImageFile.open(path, options), missing)
        }
    }

    private static func isLossless(_ file: ImageFile) -> Bool {
        file.format == .webp ? isLosslessWebP(file) : file.format.has(.lossless)
    }

    /// Returns whether the first picture is in a lossless chunk, which others may precede.
    private static func isLosslessWebP(_ file: ImageFile) -> Bool {
        var chunks = RIFFChunks(FileBytes(file.opened))
        for _ in 0..<8 {
            // Who reads the pixels is told what cannot be read.
            guard let chunk = (try? chunks.next()) ?? nil else { return false }
            switch chunk.type {
            case "VP8L": return true
            case "VP8 ", "ANMF": return false
            default: break
            }
        }
        return false
    }

    /// What tells open images apart.
    struct Key: Hashable {
        var path: FilePath
        var page: Int
        var status: FileStatus
        var turn: Orientation?
    }

    var key: Key { Key(path: FilePath(path), page: file.page, status: status, turn: turn) }

    /// A text that changes with the file and its turn.
    var state: String {
        let turned = turn.map { $0 == .up ? "" : " turned \($0.rawValue)" } ?? ""
        return
            "\(path) \(file.page) \(status.size) \(status.modified) \(status.inode) \(status.device)\(turned)"
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
#endif
