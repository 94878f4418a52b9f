public import AssetCatalog
internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import ViewportGeometry
public import ViewportRendering
public import WorkReporting

/// Copies of assets for others: scaled, in another format, without metadata or without the location.
public struct AssetExport: Hashable, Codable, Sendable {
    /// The format of copies.
    public enum Format: String, CaseIterable, Codable, Sendable {
        /// That of the file; JPEG for formats that are not written, PNG if such a picture has transparency.
        case keep
        /// JPEG; transparent pixels become white.
        case jpeg
        /// PNG.
        case png
        /// WebP.
        case webp
    }

    /// The paths of the copies; nil for `{year}/{year}-{month}-{day}/{name}`.
    public var layout: ImportLayout?
    /// The most pixels of the long side; smaller pictures are not enlarged, nil keeps all pixels.
    public var side: Int?
    /// The format.
    public var format = Format.keep
    /// The quality of JPEG and WebP, 1 to 100.
    public var quality = 90
    /// Whether EXIF, XMP and IPTC are copied.
    public var metadata = MetadataChoice.all
    /// Whether the location is left out, in EXIF and in XMP; maker notes, IPTC and embedded pictures and films, which may
    /// hold one, too, are left out with it.
    ///
    /// HDR gain maps stay.
    public var stripsLocation = false

    /// Creates an export that copies files unchanged, with their sidecars.
    public init() {}

    /// Exports assets into a folder; existing files are never replaced, and equal ones are kept.
    ///
    /// Pictures are upright, also by the rotation of edits. Files that need no change of their pixels are copied without
    /// decoding. Videos are copied unchanged; without metadata or location they are refused, as are other files whose
    /// metadata cannot be replaced.
    ///
    /// - Parameter progress: receives the assets that are done.
    /// - Returns: the files that could not be exported; paths are those of the copies.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the folder cannot be written; `CancellationError`:
    ///   finished copies are kept.
    @discardableResult
    public func export(
        _ assets: [Asset], of library: PhotoLibrary, to folder: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        try await ExportedFile.failures { each in
            try await export(assets, of: library, to: folder, progress: progress, each: each)
        }
    }

    /// Exports assets and reports the result for every file.
    package func export(
        _ assets: [Asset], of library: PhotoLibrary, to folder: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }, each: (ExportedFile) -> Void
    ) async throws {
        try await library.export(
            assets, to: folder, .layout(layout ?? .standard), content: { self.content(of: $0, in: library) },
            progress: progress, each: each)
    }

    /// Whether nothing but the files themselves is copied.
    private var isPlain: Bool { side == nil && format == .keep && metadata == .all && !stripsLocation }

    private func content(of asset: Asset, in library: PhotoLibrary) -> ExportContent {
        guard !isPlain else { return .original }
        let keepsAll = metadata == .all && !stripsLocation
        guard !asset.isVideo else {
            return keepsAll ? .original : .refused("is a film, of which no copy without metadata is made")
        }
        do {
            let path = library.path(of: asset)
            guard needsRendering(asset) else {
                return keepsAll ? .original : try rewritten(asset, path)
            }
            return try rendered(asset, path, in: library)
        } catch {
            return .refused("\(error)")
        }
    }

    private func needsRendering(_ asset: Asset) -> Bool {
        if let side, let size = asset.size, max(size.width, size.height) > side { return true }
        switch format {
        case .keep: return side != nil && (asset.turn != .up || asset.size == nil)
        case .jpeg: return asset.format != .jpeg || asset.turn != .up
        case .png: return asset.format != .png || asset.turn != .up
        case .webp: return asset.format != .webp || asset.turn != .up
        }
    }

    /// Copies the compressed pixels into a file with other metadata.
    private func rewritten(_ asset: Asset, _ path: String) throws -> ExportContent {
        let file = try ImageFile.open(path)
        let bytes = try InputFile.contents(path)
        guard let metadata = FileMetadata(FileBytes(bytes), name: asset.name) else {
            return .refused("is of no known format")
        }
        let shared = try shared(
            asset, file.metadataBlocks().exif, metadata.orientation.followed(by: asset.turn),
            jpeg: asset.format == .jpeg ? metadata.storedSize : nil)
        do throws(SharedFile.Failure) {
            let isWebP = asset.format == .webp
            let copy = try SharedFile.copy(isWebP ? WebPFile.extended(bytes) : bytes, shared)
            guard file.gainMap != nil else { return .made(copy, ending: nil, sidecar: nil) }
            let whole = CopiedGainMap.add(of: bytes, to: copy)
            return .made(
                whole ?? copy, ending: nil, sidecar: nil,
                lacksGainMap: whole == nil ? "its numbers are in metadata that is left out" : nil)
        } catch {
            switch error {
            case .damaged: return .refused("is damaged")
            case .format:
                return .refused(
                    "is \(asset.format.rawValue), of which no copy without "
                        + (stripsLocation ? "location" : "metadata")
                        + " is made; choose another format, such as jpeg")
            }
        }
    }

    private func shared(
        _ asset: Asset, _ exif: [UInt8]?, _ orientation: Orientation, jpeg size: PixelSize<StoredGrid>?
    ) -> SharedMetadata {
        guard metadata == .all else { return SharedMetadata(orientation: orientation, jpeg: size) }
        return SharedMetadata(
            exif: exif, stating: SidecarEdit(stating: asset), orientation: orientation, jpeg: size)
    }

    private func rendered(
        _ asset: Asset, _ path: String, in library: PhotoLibrary
    ) throws -> ExportContent {
        var options = OpenOptions()
        options.turn = asset.turn
        let file = try ImageFile.open(path, options)
        let form = side.map { AssetImages.Form.aspectRatioThumbnail(side: $0) } ?? .fullResolution
        let viewport = form.viewport(of: file.uprightSize)
        let (picture, written) = try picture(viewport, of: file, asset.format)
        let encoder = PictureEncoder(written, quality: written == .png ? nil : quality)
        let ending = written == PictureFormat(fileExtension: asset.fileExtension) ? nil : written.rawValue
        let map = try GainMapOfCopy(viewport, of: file, in: written)
        func made(_ bytes: [UInt8], sidecar: [UInt8]? = nil) throws -> ExportContent {
            .made(
                try map.added(to: bytes, by: encoder), ending: ending, sidecar: sidecar,
                lacksGainMap: map.lack)
        }
        guard metadata == .all else { return try made(encoder.encodeSynchronously(picture)) }
        let change = file.change(
            showing: viewport.imageRect, as: picture.size, isSRGB: picture.profile == nil)
        guard !stripsLocation else {
            let shared = shared(
                asset, try file.metadataBlocks().exif.flatMap(change.exif), .up,
                jpeg: written == .jpg ? change.size : nil)
            return try made(encoder.encodeSynchronously(picture, exif: shared.exif, xmp: shared.xmp))
        }
        return try made(
            encoder.encodeSynchronously(picture, withWritingOf: file, showing: viewport.imageRect).file,
            sidecar: sidecar(asset, change, in: library))
    }

    /// Renders a picture and decides its format.
    private func picture(
        _ viewport: Viewport, of file: ImageFile, _ stored: FileFormat
    ) throws -> (Picture, PictureFormat) {
        func render(_ background: Color?) throws -> Picture {
            var options = RenderOptions()
            if let background { options.background = background }
            return try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
        }
        let white = Color(red: 1, green: 1, blue: 1)
        switch (format, stored) {
        case (.png, _), (.keep, .png): return (try render(nil), .png)
        case (.webp, _), (.keep, .webp): return (try render(nil), .webp)
        case (.jpeg, _), (.keep, .jpeg): return (try render(white), .jpg)
        case (.keep, _):
            let picture = try render(nil)
            return (picture, picture.hasAlpha ? .png : .jpg)
        }
    }

    /// The sidecar of a copy, whose pixels are upright.
    private func sidecar(
        _ asset: Asset, _ change: PictureChange, in library: PhotoLibrary
    ) throws -> [UInt8]? {
        guard let sidecar = library.sidecarPath(of: asset) else { return nil }
        var edit = SidecarEdit()
        edit.orientation = .set(.up)
        let bytes = try InputFile.contents(sidecar)
        do throws(SidecarFault) {
            let edited = try edit.applied(to: bytes)
            return change.xmp(edited) ?? edited
        } catch {
            throw AssetRefusal(reason: error.reason(of: sidecar))
        }
    }
}

extension AssetExport {
    /// Decodes an export; settings that are missing have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&layout, .layout)
        try values.read(&side, .side)
        try values.read(&format, .format)
        try values.read(&quality, .quality)
        try values.read(&metadata, .metadata)
        try values.read(&stripsLocation, .stripsLocation)
    }
}
