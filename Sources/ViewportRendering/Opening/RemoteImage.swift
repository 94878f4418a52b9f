internal import Basics
internal import Files
package import RemoteFiles

/// Bytes of an image file that a program supplies: from a network, an archive, a database.
///
/// Only what a picture needs is read. Calls come from several threads at the same time, and each may block its thread.
public protocol ImageByteSource: AnyObject, Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Whether a read takes so long that few large ones are better than many small ones, as over a network.
    var isRemote: Bool { get }

    /// Returns the bytes of a range, which is inside of the file.
    ///
    /// - Throws: any error; the picture then fails with `RenderingError.unreadable`.
    func bytes(in range: Range<Int>) throws -> [UInt8]

    /// Announces ranges that will be read soon, so that they can be requested together.
    func willRead(_ ranges: [Range<Int>])
}

extension ImageByteSource {
    /// True.
    public var isRemote: Bool { true }

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
        let bytes = SuppliedBytes(
            count: source.count, isRemote: source.isRemote, announce: source.willRead, supply: source.bytes)
        let opened: OpenFile
        do throws(FileError) {
            opened = try OpenFile(
                source: bytes, name: name,
                status: FileStatus(size: source.count, modified: 0, inode: 0, device: 0))
        } catch {
            throw RenderingError(error, file: name)
        }
        self = try Self.open(opened, options, scans: false)
        // Two sources with the same name are different images.
        identity.path += " \(UInt(bitPattern: ObjectIdentifier(source).hashValue))"
    }

    /// Opens the file of a URL of the scheme `https`, `http` or `s3`, given as text.
    ///
    /// If the file changes while it is opened, it is opened once again.
    static func open(
        address text: String, _ options: OpenOptions, scans: Bool
    ) throws(RenderingError) -> Self {
        let address: RemoteAddress
        do throws(RemoteAddressError) {
            address = try RemoteAddress(text)
        } catch {
            throw .unreadable(file: "the URL", reason: error.reason)
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
        do throws(FileError) {
            remote = try RemoteFile(address, options.remote)
            try remote.open()
            opened = try OpenFile(source: remote, name: address.name, status: FileStatus(of: remote))
        } catch {
            throw RenderingError(error, file: address.name)
        }
        var file = try open(opened, options, scans: scans)
        // Caches find it again where the server says which version it is.
        file.identity.path = address.identity
        file.identity.hasPath = remote.hasVersion
        return file
    }

    /// What reading it took so far; nil for files of this machine.
    package var remoteReport: RemoteReport? { (opened.source as? RemoteFile)?.report }
}

extension FileStatus {
    /// A status that identifies the version of a remote file.
    fileprivate init(of file: RemoteFile) {
        let hash = FNV1a.hash((file.versionText ?? "").utf8)
        self.init(size: file.count, modified: 0, inode: hash, device: .max)
    }
}
