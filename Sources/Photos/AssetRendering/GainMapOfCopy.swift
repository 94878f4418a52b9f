internal import ViewportRendering

/// The gain map of a file for a copy that shows it at another size or in another format.
struct GainMapOfCopy {
    private var map: RenderedGainMap?
    /// Why the copy has none; nil where nothing is missing.
    private(set) var lack: String?

    /// - Throws: `RenderingError` where the file cannot be read; `CancellationError`.
    init(_ viewport: Viewport, of file: ImageFile, in format: PictureFormat) throws {
        guard file.gainMap != nil else { return }
        guard format == .jpg else {
            lack = "only jpeg can hold it"
            return
        }
        do {
            map = try ViewportRenderer().renderGainMapSynchronously(viewport, of: file)
        } catch RenderingError.gainMap(_, let reason) {
            lack = reason
        }
    }

    /// Returns a copy with the map.
    func added(to jpeg: [UInt8], by encoder: PictureEncoder) throws -> [UInt8] {
        guard let map else { return jpeg }
        return try encoder.addingSynchronously(map, to: jpeg)
    }
}
