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
        let found = InputFile.withBytes(path) { bytes -> (range: Range<Int>, orientation: Orientation)? in
            guard let metadata = FileMetadata(bytes, name: OutputFile.name(of: path)) else { return nil }
            return metadata.preview.map { ($0, metadata.orientation) }
        }
        guard let found = found ?? nil, let whole = try? InputFile.contents(path),
            found.range.upperBound <= whole.count
        else { return nil }
        bytes = Array(whole[found.range])
        orientation = found.orientation
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
