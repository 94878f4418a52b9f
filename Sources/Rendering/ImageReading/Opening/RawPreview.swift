internal import Containers
package import Files
public import ImageMetadata
internal import Pictures
public import ViewportGeometry

/// The raw file behind an image that is read from its embedded preview.
public struct RawPreview: Sendable {
    /// The format of the raw file.
    public let format: FileFormat
    /// The pixels that the data of the sensor makes, as stored; nil where the file does not state them.
    public let sensorSize: PixelSize<StoredGrid>?
    /// The raw file, of which `ImageFile.opened` is a part.
    package let file: OpenFile
}

extension RawPreview: CustomStringConvertible {
    /// The format and the size of the sensor: "preview of nef, 6000x4000".
    public var description: String {
        "preview of \(format.rawValue)" + (sensorSize.map { ", \($0)" } ?? "")
    }
}

/// Opens the largest complete preview of a raw file; returns nil for other files.
///
/// A TIFF-like file without a preview is left to libvips, which may find a small picture in it.
enum RawPreviewOpener: FileOpener {
    static func open(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let (file, options) = (opening.file, opening.options)
        guard let raw = RawFile(FileBytes(file), name: OutputFile.name(of: file.path)) else { return nil }
        guard let largest = raw.previews.first else {
            if raw.format.looksLikeTIFF { return nil }
            throw .damaged(file: file.path, detail: "it is a raw file without an embedded JPEG")
        }
        let shown = raw.previews.first(where: \.isComplete)
        let lost = raw.previews.first { $0.isLost(beside: shown) }
        guard let preview = shown ?? (options.allowsTruncated && largest.size != nil ? lost : nil),
            preview.available > 0
        else { throw largest.refusal(of: file) }
        let start = preview.range.lowerBound
        let window = OpenFile(start..<(start + preview.available), of: file)
        var windowed = options
        windowed.assumedProfile = raw.profile
        var image = try ImageFile.read(window, windowed, opening.scans)
        image.rawPreview = RawPreview(format: raw.format, sensorSize: raw.sensorSize, file: file)
        image.fileOrientation = raw.orientation
        image.orientation = (options.appliesOrientation ? raw.orientation : .up).followed(by: options.turn)
        image.exif = raw.exif ?? image.exif
        image.identity = opening.identity
        if let lost {
            let rest = shown == nil ? "its first part is shown" : "a smaller one is shown"
            image.damage = "\(lost.loss(in: file)); \(rest)"
        }
        return image
    }
}

extension ImageFile {
    /// Opens the largest JPEG that is embedded in a file of any format and smaller than its picture, turned as the
    /// file and then by `turn`; returns nil where there is none.
    package static func embeddedPreview(of path: String, turn: Orientation = .up) throws -> Self? {
        let file = try OpenFile(path)
        let found = FileMetadata(FileBytes(file), name: OutputFile.name(of: path))
        try file.check()
        guard let found, let range = found.preview else { return nil }
        var options = OpenOptions()
        options.appliesOrientation = false
        options.turn = found.orientation.followed(by: turn)
        return try open(OpenFile(range, of: file), options)
    }

    /// The file itself: the raw file where a preview of it is read.
    var whole: OpenFile { rawPreview?.file ?? opened }
}

extension FileFormat {
    /// Whether libvips may read a file of this raw format as a TIFF.
    fileprivate var looksLikeTIFF: Bool { [.dng, .nef, .arw, .pef, .srw, .cr2].contains(self) }
}

extension EmbeddedJPEG {
    /// Whether it is cut off although it is larger than the preview that is shown.
    fileprivate func isLost(beside shown: EmbeddedJPEG?) -> Bool {
        guard !isComplete, let shown else { return !isComplete }
        guard let size, let other = shown.size else { return range.count > shown.range.count }
        return size.area > other.area
    }

    /// The loss in a clause.
    fileprivate func loss(in file: OpenFile) -> String {
        let name = size.map { "its preview of \($0.width) x \($0.height) pixels" } ?? "its largest preview"
        let start = FileGap.grouped(range.lowerBound)
        guard available > 0 else { return "\(name) begins at byte \(start), past the end of the file" }
        return "\(name) is cut off after \(FileGap.grouped(available)) of "
            + "\(FileGap.grouped(range.count)) bytes"
    }

    fileprivate func refusal(of file: OpenFile) -> RenderingError {
        available > 0 && size != nil
            ? .truncated(file: file.path, missing: loss(in: file))
            : .damaged(file: file.path, detail: loss(in: file))
    }
}
