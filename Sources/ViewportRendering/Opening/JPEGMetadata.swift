internal import JPEGIndex

/// The blocks that the segments of a JPEG carry beside its pixels, chosen as libvips chooses them.
///
/// Source: libvips, jpeg2vips.c, read_jpeg_header.
struct JPEGMetadata {
    /// The first EXIF block, with its name.
    private(set) var exif: [UInt8]?
    /// The colour profile, put together from its parts.
    private(set) var profile: [UInt8]?

    init(_ header: JPEGHeader, of file: Span<UInt8>) {
        var parts: [Int: Range<Int>] = [:]
        for segment in header.segments {
            let body = (segment.range.lowerBound + 4)..<segment.range.upperBound
            guard body.upperBound <= file.count else { break }
            if segment.marker == 0xE1, exif == nil, body.count > 4, file.begins(body, with: "Exif") {
                exif = file.array(body)
            }
            if segment.marker == 0xE2, body.count > 14, file.begins(body, with: "ICC_PROFILE") {
                // Parts are numbered from 1.
                let number = Int(file[body.lowerBound + 12])
                if (1...100).contains(number) { parts[number] = body.dropFirst(14) }
            }
        }
        guard parts[1] != nil else { return }
        profile = parts.sorted { $0.key < $1.key }.flatMap { file.array($0.value) }
    }
}

extension Span<UInt8> {
    fileprivate func array(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }

    fileprivate func begins(_ range: Range<Int>, with text: String) -> Bool {
        range.count >= text.utf8.count && zip(range, text.utf8).allSatisfy { self[$0] == $1 }
    }
}
