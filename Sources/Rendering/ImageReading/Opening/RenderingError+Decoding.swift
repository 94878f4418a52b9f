internal import Containers
package import Files
package import Pictures
internal import ViewportGeometry
internal import Vips

extension RenderingError {
    /// Returns why a file cannot be decoded: the damage in its structure, or else the decoder's message.
    package static func decoding(_ file: OpenFile, log: String) -> RenderingError {
        guard file.isUnchanged else { return .changed(file: file.path) }
        if let damage = FileDamage.find(FileBytes(file)) { return RenderingError(damage, of: file) }
        if let kind = UnsupportedKind(FileBytes(file)) { return RenderingError(kind, of: file) }
        if VipsLibrary.isUnusable { return .library(detail: log) }
        // The message may be that of another file, which failed at the same time.
        let log = VipsLibrary.reason { () throws(VipsError) in try readAll(file) } ?? log
        let detail = log.replacing(file.descriptorPath, with: file.path)
        return .damaged(
            file: file.path, detail: detail.isEmpty ? "its decoder stops without a reason" : detail)
    }

    /// Whether the file has fewer bytes than its own structure announces, so that another copy may have them.
    ///
    /// Reads the file again.
    package var lacksBytes: Bool {
        switch self {
        case .truncated, .empty: true
        case .damaged(let path, _):
            (try? OpenFile(path)).map { FileDamage.find(FileBytes($0)) != nil } ?? false
        default: false
        }
    }

    /// Images with more pixels are not decoded again for a message.
    private static let pixelLimit = 1 << 26

    /// Decodes all rows of a file from the top, as far as that is possible.
    private static func readAll(_ file: OpenFile) throws(VipsError) {
        // What is read in another way, such as a remote file, has no other message.
        guard
            let loader = try? VipsImage.loader(
                for: file.descriptorPath, named: file.path, isPath: file.hasPath)
        else { return }
        let path = file.hasPath && VipsImage.needsName(loader) ? file.path : file.descriptorPath
        let severity =
            loader == "VipsForeignLoadTiffFile"
            ? TIFFStrictness.severity(of: TIFFBlock(tiff: FileBytes(file))?.main) : "error"
        var arguments: [String: VipsArgument] = ["fail_on": .name(severity)]
        if VipsImage.isSequential(path, with: loader) { arguments["access"] = .name("sequential") }
        let image: VipsImage
        // A mapped file that is truncated would end the process.
        if loader == "VipsForeignLoadWebpFile" {
            guard let bytes = try? file.contents() else { return }
            image = try VipsImage.load(bytes: bytes, with: "VipsForeignLoadWebpBuffer", arguments)
        } else {
            image = try VipsImage.load(path, with: loader, arguments)
        }
        guard image.width * image.height <= pixelLimit else { return }
        do {
            try image.withRegion { region in
                for y in stride(from: 0, to: image.height, by: 16) where !Task.isCancelled {
                    try region.prepare(
                        PixelRect(x: 0, y: y, width: image.width, height: min(16, image.height - y)))
                }
            }
        } catch let error as VipsError {
            throw error
        } catch {}
    }

    /// Creates the error for a file of a kind that is not decoded.
    init(_ kind: UnsupportedKind, of file: OpenFile) {
        self = .unsupported(file: file.path, kind: kind.phrase, converter: kind.converter)
    }

    /// Creates the error for a damaged file that is rejected.
    init(_ damage: FileDamage, of file: OpenFile) {
        self =
            damage.isShowable
            ? .truncated(file: file.path, missing: damage.text)
            : .damaged(file: file.path, detail: damage.text)
    }
}
