internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import ViewportGeometry
internal import Vips

/// Decodes coded items of a HEIF file, each as a file of its own in memory, without their turns.
struct HEIFCells: Sendable {
    let items: HEIFItems
    let file: OpenFile
    /// The picture whose colors apply where an item states none.
    let colors: HEIFItem?
    /// Whether the decoder gets samples of limited range as those of full range, which it does not change.
    let passesRange: Bool

    /// Opens an item and reads only the header.
    ///
    /// - Throws: `UndecodableData`
    func header(of id: Int, alpha: Int? = nil) throws -> VipsImage {
        guard let item = items[id] else { throw UndecodablePart("one of its parts is missing") }
        let bytes = try HEIFPart.picture(
            item, alpha: alpha.flatMap { items[$0] }, colors: colors, isTurned: false,
            isFullRange: passesRange,
            of: items, in: file)
        do throws(VipsError) {
            return try VipsImage.load(
                bytes: bytes, with: "VipsForeignLoadHeifBuffer",
                ["access": .name("sequential"), "fail_on": .name("error")])
        } catch {
            throw UndecodablePart(error.log)
        }
    }

    /// Decodes an item of a known size and format: rows from the top, without gaps.
    ///
    /// - Throws: `UndecodableData`, also where the decoder makes other pixels.
    func samples(
        of id: Int, alpha: Int? = nil, size: PixelSize<StoredGrid>, _ format: SourcePixelFormat
    ) throws -> [UInt8] {
        let image = try header(of: id, alpha: alpha)
        guard image.size == size, SourcePixelFormat(image, profile: format.profile) == format else {
            throw UndecodablePart(
                "one of its parts has \(image.width)x\(image.height) pixels of \(image.bands) bands instead of "
                    + "\(size.width)x\(size.height) of \(format.layout.bands)")
        }
        do throws(VipsError) {
            return try image.pixels().copied()
        } catch {
            throw UndecodablePart(error.log)
        }
    }
}

extension RenderingError {
    /// Returns the error for an item of a file that cannot be decoded.
    static func undecodable(_ error: any UndecodableData, _ file: OpenFile) -> RenderingError {
        // The file is not given to libheif for its message: pictures that are made of themselves overflow its stack.
        if let kind = UnsupportedKind(FileBytes(file)) { return RenderingError(kind, of: file) }
        return switch error {
        case HEIFPart.Problem.file(let error): RenderingError(error, file: file.path)
        case HEIFPart.Problem.unusable:
            .damaged(file: file.path, detail: "one of its parts is missing or has no size")
        case let part as UndecodablePart:
            VipsLibrary.isUnusable
                ? .library(detail: part.reason) : .damaged(file: file.path, detail: part.reason)
        default: .damaged(file: file.path, detail: "\(error)")
        }
    }
}
