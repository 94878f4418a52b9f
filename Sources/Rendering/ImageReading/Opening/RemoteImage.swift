internal import Basics
internal import Containers
internal import Files
public import Pictures
package import RemoteFiles
internal import Sidecars
internal import TilePyramid
internal import ViewportGeometry
internal import Viewports

/// Bytes of an image file that a program supplies: from a network, an archive, a database.
///
/// A class, because two sources are two images. Only what a picture needs is read, and what was read last is kept in
/// memory: 8 MiB, or `RemoteOptions.storeByteCount` of a remote source. Calls come from several threads at the same time,
/// and each may block its thread.
public protocol ImageByteSource: AnyObject, Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Whether each read takes as long as a request over a network; false by default.
    ///
    /// Then ranges are announced before they are read, nothing is read ahead, and copies for decoders without ranges are
    /// limited by `RemoteOptions.copyByteCount` and stored on disk.
    var isRemote: Bool { get }

    /// Returns the bytes of a range, which is inside of the file.
    ///
    /// - Throws: any error; the picture then fails with `RenderingError.unreadable`.
    func bytes(in range: Range<Int>) throws -> [UInt8]

    /// Announces ranges that will be read soon, so that they can be requested together.
    func willRead(_ ranges: [Range<Int>])
}

/// The bytes of a file in memory.
private final class MemoryBytes: ImageByteSource {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func bytes(in range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
}

extension ImageByteSource {
    /// False.
    public var isRemote: Bool { false }

    /// Does nothing.
    public func willRead(_ ranges: [Range<Int>]) {}
}

extension ImageFile {
    /// Opens the file whose bytes a program supplies.
    ///
    /// Supports every format that opens from a path, except those that consist of several files. Formats that only
    /// libvips decodes are copied to a temporary file first. Nothing is cached on disk.
    ///
    /// - Parameters:
    ///   - source: supplies the bytes, which must not change.
    ///   - name: the name in errors. Formats without a signature are detected by its extension.
    /// - Throws: `RenderingError` with that name.
    public init(
        bytesOf source: some ImageByteSource, name: String = "bytes", options: OpenOptions = OpenOptions()
    ) throws(RenderingError) {
        let capacity =
            source is MemoryBytes
            ? 0 : source.isRemote ? options.remote.storeByteCount : SuppliedBytes.usualCapacity
        let bytes = SuppliedBytes(
            count: source.count, isRemote: source.isRemote, capacity: capacity, announce: source.willRead,
            supply: source.bytes)
        let opened = try RenderingError.naming(name) { () throws(FileError) in
            try OpenFile(
                source: bytes, name: name,
                status: FileStatus(size: source.count, modified: 0, inode: 0, device: 0))
        }
        self = try Self.open(opened, options, scans: false)
        // Two sources with the same name are different images.
        identity.path += " \(UInt(bitPattern: ObjectIdentifier(source).hashValue))"
    }

    /// Opens the file whose bytes are in memory.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - name: the name in errors. Formats without a signature are detected by its extension.
    /// - Throws: `RenderingError` with that name.
    public init(
        bytesOf bytes: [UInt8], name: String = "bytes", options: OpenOptions = OpenOptions()
    ) throws(RenderingError) {
        try self.init(bytesOf: MemoryBytes(bytes), name: name, options: options)
    }

    /// Opens the file of a URL of the scheme `https`, `http` or `s3`, given as text.
    ///
    /// If the file changes while it is opened, it is opened once again.
    static func open(
        address text: String, _ options: OpenOptions, scans: Bool
    ) throws(RenderingError) -> Self {
        let address: RemoteAddress
        do throws(InvalidText) {
            address = try RemoteAddress(text)
        } catch {
            throw .unreadable(file: RemoteAddress.unnamed, reason: error.description)
        }
        do throws(RenderingError) {
            return try open(address, options, scans: scans)
        } catch .changed {
            return try open(address, options, scans: scans)
        }
    }

    private static func open(
        _ address: RemoteAddress, _ options: OpenOptions, scans: Bool
    ) throws(RenderingError) -> Self {
        let (remote, opened): (RemoteFile, OpenFile)
        let sidecar: RemoteSidecar?
        do throws(FileError) {
            // Both are requested at the same time.
            remote = try OpenRemoteFiles.begin(address, options.remote)
            let beside = RemoteSidecar.begin(address, options)
            try remote.open()
            announceWhole(remote, address)
            sidecar = RemoteSidecar(linkedBy: remote, options) ?? beside
            let directory = sidecar?.open()
            // Headers are there; what damage and identity are found by comes together with the rest of the sidecar.
            let bytes = FileBytes(remote)
            remote.willRead(
                RemoteSidecar.blocks(of: remote.count, compares: directory != nil) + [firstBlock(bytes)])
            sidecar?.announce(options)
            opened = try OpenFile(
                source: remote, name: address.name,
                status: FileStatus(size: remote.count, modified: 0, inode: 0, device: .max))
        } catch {
            throw RenderingError(error, file: address.name)
        }
        var file = try open(opened, options, scans: scans)
        // Caches find it again where the server says which version it is.
        file.identity.path = address.identity
        file.identity.hasPath = remote.hasVersion
        file.identity.status = FileStatus(of: remote)
        if let sidecar, let source = sidecar.source(of: file) {
            file.source = source
            file.sidecar = sidecar.file
        }
        return file
    }

    /// The range that is read first behind the head: the directory of a TIFF, or the end, where damage of most formats is
    /// found.
    private static func firstBlock(_ bytes: FileBytes) -> Range<Int> {
        let page = FileBytes.remotePageSize
        guard FileType(bytes) == .tiff else { return max(0, (bytes.count - 2) & ~(page - 1))..<bytes.count }
        let start = (TIFFBlock(tiff: bytes)?.mainOffset ?? 0) & ~(page - 1)
        return min(start, bytes.count)..<min(start + RemoteFile.firstByteCount, bytes.count)
    }

    /// Tells what a server without ranges costs.
    private static func announceWhole(_ remote: RemoteFile, _ address: RemoteAddress) {
        guard !remote.report.hasRanges, remote.count > RemoteFile.firstByteCount else { return }
        _ = ViewportRuntime.announce(
            RemoteCopy(name: address.name, bytes: remote.count, reason: .serverWithoutRanges))
    }

    /// What reading it took so far, with its sidecar; nil for files of this machine.
    package var remoteReport: RemoteReport? {
        guard var report = (opened.source as? RemoteFile)?.report else { return nil }
        report.isCopied = opened.isCopied
        if let sidecar {
            report.requests += sidecar.traffic.requests
            report.bytes += sidecar.traffic.bytes
            report.sidecar = sidecar.address.name
        }
        return report
    }
}

/// The sidecar of a remote image, as far as it is known.
private final class RemoteSidecar {
    let file: RemoteFile
    private var sidecar: Sidecar?

    private init(_ file: RemoteFile) { self.file = file }

    /// The directory of most images; the index is requested with the blocks of the image.
    private static let headSize = 1 << 13

    /// Requests the file with the name of the image's sidecar; nil where the image cannot have one.
    static func begin(_ address: RemoteAddress, _ options: OpenOptions) -> RemoteSidecar? {
        let name = address.fileName.lowercased()
        let formats = [".jpg", ".jpeg", ".jpe", ".jfif", ".png"]
        guard options.canUseSidecar, formats.contains(where: name.hasSuffix) || !name.contains("."),
            let sibling = address.sibling(Sidecar.suffix)
        else { return nil }
        return (try? OpenRemoteFiles.begin(sibling, options.remote, head: headSize)).map(RemoteSidecar.init)
    }

    /// Requests the sidecar that the server names in a header `Link`; nil where there is none.
    init?(linkedBy image: RemoteFile, _ options: OpenOptions) {
        guard options.canUseSidecar, let link = image.link,
            let file = try? OpenRemoteFiles.begin(link, options.remote, head: Self.headSize)
        else { return nil }
        self.file = file
    }

    /// The ranges of an image that are compared with its sidecar.
    static func blocks(of size: Int, compares: Bool) -> [Range<Int>] {
        compares ? SidecarIdentity.blocks(of: size) : []
    }

    /// Waits for the directory; nil where there is no sidecar.
    func open() -> SidecarDirectory? {
        guard (try? file.open()) != nil else { return nil }
        sidecar = try? Sidecar(file, headSize: min(Self.headSize, file.count))
        return sidecar?.directory
    }

    /// Requests the index, and the level that the first picture needs.
    func announce(_ options: OpenOptions) {
        guard let directory = sidecar?.directory else { return }
        file.willRead([directory.index] + Self.tiles(of: directory, options))
    }

    /// The tiles that the first picture needs if it shows the whole image.
    private static func tiles(of directory: SidecarDirectory, _ options: OpenOptions) -> [Range<Int>] {
        let turns = options.appliesOrientation && directory.orientation.transposes
        let (stored, isTurned) = (directory.size, turns != options.turn.transposes)
        let size = Size<ImageSpace>(
            width: Double(isTurned ? stored.height : stored.width),
            height: Double(isTurned ? stored.width : stored.height))
        guard let request = options.firstRequest, let resolved = request.resolve(in: size),
            resolved.visibleRect.width >= size.width - 1, resolved.visibleRect.height >= size.height - 1
        else { return [] }
        let full = PyramidLevel(index: 0, size: stored, of: stored)
        let pyramid = Pyramid(levels: [full] + SidecarSource.levels(of: directory))
        let chosen = pyramid.level(forScale: resolved.zoomScale * request.displayScale)
        guard let level = directory.levels.first(where: { $0.index == chosen.index }) else { return [] }
        let rows = level.tiles.count / level.columns
        return (0..<rows).map { level.range(columns: 0...(level.columns - 1), row: $0) }
    }

    /// Returns the source of an image through index and levels, if they belong to it.
    func source(of image: ImageFile) -> (any ImageSource)? {
        guard let sidecar, let base = image.indexable, (try? sidecar.matches(image.opened)) == true else {
            return nil
        }
        let identity = sidecar.directory.identity.fingerprint
        let known = (base as? ProgressiveJPEGSource).flatMap { $0.knowing(sidecar.directory) } ?? base
        let indexed = (try? sidecar.index()).flatMap { known.reading(encodedIndex: $0, for: identity) }
        let source = SidecarSource(indexed ?? base, sidecar, in: file)
        return source ?? indexed
    }
}

extension OpenOptions {
    /// Whether the index of a sidecar can be used.
    fileprivate var canUseSidecar: Bool { remote.usesSidecars && page == 0 && !allowsTruncated }
}

extension OpenFile {
    /// Whether parts of it can be read: false for a remote file whose server sends no ranges.
    var sendsRanges: Bool { (source as? RemoteFile)?.report.hasRanges != false }

    /// Tells what a progressive JPEG costs whose scans are looked for.
    func announceScans() {
        _ = ViewportRuntime.announce(RemoteCopy(name: path, bytes: count, reason: .progressiveScans))
    }

    /// Copies a remote file for a decoder that needs all of it, after its size was told; `check` reports failures.
    ///
    /// - Throws: `RenderingError` where it has more bytes than may be copied.
    func copyForDecoder(_ options: OpenOptions) throws(RenderingError) {
        guard isRemote, !isCopied else { return }
        guard count <= options.remote.copyByteCount else {
            throw .unreadable(
                file: path,
                reason:
                    "it would have to be copied, and has more than \(options.remote.copyByteCount >> 20) MB")
        }
        // What a server without ranges costs was told.
        let progress =
            sendsRanges
            ? ViewportRuntime.announce(RemoteCopy(name: path, bytes: count, reason: .formatWithoutParts))
            : nil
        makeCopy { progress?($0) }
    }
}

extension FileStatus {
    /// The status of an image; that of a remote one takes a request.
    ///
    /// Nil where there is no such file.
    package init?(image path: String, _ options: RemoteOptions = RemoteOptions()) {
        guard RemoteAddress.isRemote(path) else {
            self.init(path)
            return
        }
        guard let address = try? RemoteAddress(path), let file = try? OpenRemoteFiles.open(address, options)
        else { return nil }
        self.init(of: file)
    }

    /// A status that identifies the version of a remote file.
    fileprivate init(of file: RemoteFile) {
        let (etag, modified) = file.version
        let hash = FNV1a.hash((etag ?? modified ?? "").utf8)
        // Seconds of the server's time, and a fraction that differs from version to version.
        let seconds = modified.flatMap(HTTPDate.seconds) ?? Int(hash % 1_000_000_000)
        self.init(
            size: file.count, modified: seconds * 1_000_000_000 + Int(hash >> 32 % 1_000_000) * 1000,
            inode: hash,
            device: .max)
    }
}
