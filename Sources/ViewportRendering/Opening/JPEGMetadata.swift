internal import Files
internal import JPEGIndexing

/// The blocks that the segments of a JPEG carry beside its pixels, chosen as libvips chooses them.
///
/// Source: libvips, jpeg2vips.c, read_jpeg_header.
struct JPEGMetadata {
    /// The first EXIF block, with its name.
    private(set) var exif: [UInt8]?
    /// The color profile, put together from its parts.
    private(set) var profile: [UInt8]?

    init(_ header: JPEGHeader, of file: OpenFile) throws(FileError) {
        var parts: [Int: ArraySlice<UInt8>] = [:]
        for segment in header.segments where segment.marker == 0xE1 && exif == nil || segment.marker == 0xE2 {
            let body = try file.bytes((segment.range.lowerBound + 4)..<segment.range.upperBound)
            if segment.marker == 0xE1, body.count > 4, body.starts(with: "Exif".utf8) { exif = body }
            if segment.marker == 0xE2, body.count > 14, body.starts(with: "ICC_PROFILE".utf8) {
                // Parts are numbered from 1.
                let number = Int(body[12])
                if (1...100).contains(number) { parts[number] = body.dropFirst(14) }
            }
        }
        guard parts[1] != nil else { return }
        profile = parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}
