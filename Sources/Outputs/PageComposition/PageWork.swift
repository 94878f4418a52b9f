internal import Basics
package import Batches
package import Containers
internal import Digests
package import Files
package import PictureEncoding
package import Pictures
internal import ViewportGeometry
internal import ViewportRendering

/// A file format of pages.
package enum PageFormat: Hashable, Sendable {
    case picture(PictureFormat)
    case pdf

    package var kind: OutputKind {
        switch self {
        case .picture(let format): format.fileKind
        case .pdf: .pdf
        }
    }

    package var fileExtension: String {
        switch self {
        case .picture(let format): format.rawValue
        case .pdf: "pdf"
        }
    }
}

/// How pages are painted and encoded.
package struct PageEncoding: Hashable, Sendable {
    package var format: PageFormat
    /// The color of the paper.
    package var background = Color.white
    /// The quality of lossy formats and of JPEGs in a PDF; nil for the usual one.
    package var quality: Int?
    /// The compression of png.
    package var compression = PNGCompression.standard
    /// Whether pictures in a PDF are stored without loss.
    package var isLossless = false

    package init(_ format: PageFormat) {
        self.format = format
    }

    /// Paints and encodes a page; blocks the calling thread.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where the surrounding task is cancelled.
    package func file(of page: Page) throws -> [UInt8] {
        switch format {
        case .pdf:
            return try page.pdf(background: background, quality: quality, isLossless: isLossless)
        case .picture(let format):
            // Formats without transparency get a white background.
            var encoder = PictureEncoder(format, quality: quality)
            encoder.compression = compression
            return try encoder.encodeSynchronously(
                page.picture(background: background.opaque(unless: format.hasAlpha)))
        }
    }

    fileprivate var fingerprint: String {
        "\(format.fileExtension) \(background.components) \(quality ?? 0) \(isLossless)"
            + (compression == .standard ? "" : " \(compression.rawValue)")
    }
}

/// The work of a batch of pages: one page for each line of a manifest.
///
/// With a layout, the line's `path` is the value of `{path}` in it; without one, it is the layout file. The other members
/// of the line fill placeholders of the same names.
package struct PageWork: BatchWork {
    private let layout: PageLayout?
    private let composer: PageComposer
    private let encoding: PageEncoding
    private let template: OutputTemplate
    private let root: BatchRoot
    private let overwrites: Bool
    private let inputs: [String]

    /// - Parameters:
    ///   - layout: the layout of all pages; nil if each line names its own.
    ///   - template: the paths of the pages.
    ///   - root: the folder of relative paths in values.
    ///   - inputs: further files that are read, and so never replaced.
    ///   - overwrites: whether files may be replaced that viewport did not write.
    package init(
        _ layout: PageLayout?, _ composer: PageComposer, _ encoding: PageEncoding,
        to template: OutputTemplate,
        root: BatchRoot, inputs: [String], overwrites: Bool
    ) {
        (self.layout, self.composer, self.encoding) = (layout, composer, encoding)
        (self.template, self.root, self.inputs, self.overwrites) = (template, root, inputs, overwrites)
    }

    package var noun: String { "page" }

    package var identity: BatchIdentity { .key }

    package var naming: OutputNaming? {
        let (width, height) = (Int(exactly: composer.size.width), Int(exactly: composer.size.height))
        return OutputNaming(template, [OutputNaming.Size(sizeText, width: width, height: height)])
    }

    /// "320x480".
    private var sizeText: String {
        [composer.size.width, composer.size.height].map { Int(exactly: $0).map { "\($0)" } ?? "\($0)" }
            .joined(separator: "x")
    }

    /// A hash of the options, the layout, the line and the state of the pictures.
    package func fingerprint(of item: BatchItem) -> String {
        let layout = try? layout ?? PageLayout(item.file)
        let members = item.rest.map { "\(JSONValue.object([$0]))" }.joined()
        let values = item.rest.compactMap(\.value.string).map(root.file)
        let states = ((layout?.imagePaths ?? []) + values).map { path in
            FileStatus(path).map { "\(path) \($0.size) \($0.modified)" } ?? ""
        }
        let text = "\(sizeText) \(composer.scale) \(encoding.fingerprint) \(members) \(states)"
        return SHA256.hash((Array(text.utf8) + (layout?.bytes ?? [])).span).hexadecimal(first: 8)
    }

    package func make(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> BatchOutput {
        do {
            let layout = try layout ?? PageLayout(item.file)
            let page = try composer.page(layout, values(of: item))
            var stored: [StoredThumbnail] = []
            for path in outputs {
                let output = Output(
                    path, encoding.format.kind, inputs: inputs + [layout.path] + page.imagePaths,
                    overwrites: overwrites,
                    isOwn: { [kind = encoding.format.kind] in FileMark.isOn($0, kind) })
                do {
                    try Folder.make(OutputFile.folder(of: path), mode: 0o777)
                    try output.check()
                    let file = FileMark.added(to: try encoding.file(of: page), encoding.format.kind)
                    try output.write(file)
                    let size = page.pixelSize
                    stored.append(StoredThumbnail(sizeText, size.width, size.height, file, path))
                } catch let error as FileError {
                    throw BatchFailure(writing: error, path)
                }
            }
            return BatchOutput(.made(stored))
        } catch let error as BatchFailure {
            throw error
        } catch let error as PageError {
            throw BatchFailure(error.code, "\(error)", underlying: error.cause)
        } catch let error as RenderingError {
            throw BatchFailure("cannot-encode", "\(item.path): \(error)", underlying: error)
        } catch {
            throw BatchFailure("cancelled", "\(item.path): was cancelled; run it again")
        }
    }

    private func values(of item: BatchItem) -> PageComposer.Values {
        var members = item.rest
        if layout != nil { members.append(JSONValue.Member(name: "path", value: .string(item.path))) }
        if let id = item.id { members.append(JSONValue.Member(name: "id", value: id)) }
        return PageComposer.Values(members) { [root] in root.file($0) }
    }

    package func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus) {}
}

extension PageError {
    /// The error of a picture, for the remedies that it has.
    fileprivate var cause: RenderingError? {
        switch kind {
        case .picture(let error), .page(let error): error
        case .unreadable, .invalid, .noText: nil
        }
    }
}
