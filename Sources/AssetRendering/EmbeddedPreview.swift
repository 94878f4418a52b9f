internal import Files
internal import ImageMetadata
internal import ViewportGeometry
internal import ViewportRendering

/// The small JPEG that cameras put into their files, with how it is to be turned.
struct EmbeddedPreview {
    private let bytes: [UInt8]
    private let orientation: Orientation

    /// Nil where the file has none.
    init?(_ path: String) {
        let found = try? InputFile.read(path) { file -> (bytes: [UInt8], orientation: Orientation)? in
            guard let metadata = FileMetadata(FileBytes(file), name: OutputFile.name(of: path)),
                let range = metadata.preview, range.lowerBound >= 0, range.upperBound <= file.count,
                let bytes = try? file.bytes(range)
            else { return nil }
            return (bytes, metadata.orientation)
        }
        guard let found else { return nil }
        (bytes, orientation) = found
    }

    /// Lends the preview as an image that is upright as its file is: by the file's own orientation, once.
    func withFile<R>(_ body: (ImageFile) throws -> R) throws -> R {
        try TemporaryFile.with(bytes, ending: "jpg") { path in
            var options = OpenOptions()
            options.appliesOrientation = false
            options.turn = orientation
            return try body(ImageFile.open(path, options))
        }
    }
}
