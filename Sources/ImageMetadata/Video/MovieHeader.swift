internal import Basics
internal import ViewportGeometry

/// What the box "moov" of a QuickTime or MP4 film says, without a look at its samples.
///
/// Source: ISO/IEC 14496-12, section 8; Apple, QuickTime File Format.
struct MovieHeader {
    /// In seconds.
    var duration: Double?
    /// Seconds since 1970 UTC; nil where the film says 0.
    var created: Int?
    /// Of the largest track of pictures, before it is turned.
    var size: PixelSize<StoredGrid>?
    var orientation = Orientation.up
    /// The pictures of that track.
    var samples = 0
    /// Texts by their names: Apple's keys, as "com.apple.quicktime.make", and QuickTime's four characters, as "©day".
    var texts: [String: String] = [:]
    var xmp: Range<Int>?

    /// - Parameter range: the content of "moov".
    init(_ bytes: FileBytes, in range: Range<Int>) {
        var boxes = BoxList(bytes, in: range)
        while let box = boxes.next() {
            switch box.type {
            case BoxList.code("mvhd"): readHeader(bytes, box.content)
            case BoxList.code("trak"): readTrack(bytes, box.content)
            case BoxList.code("udta"): readUserData(bytes, box.content)
            case BoxList.code("meta"): readKeys(bytes, box.content)
            default: break
            }
        }
    }

    private mutating func readHeader(_ bytes: FileBytes, _ range: Range<Int>) {
        guard let body = bytes.slice(range), let version = body.uint8(at: 0) else { return }
        let wide = version == 1 ? 8 : 4
        created = body.unsigned(wide, at: 4).flatMap(Self.unixTime)
        if let scale = body.uint32(at: 4 + 2 * wide), scale > 0,
            let length = body.unsigned(wide, at: 8 + 2 * wide),
            length > 0, wide == 8 || length != 0xFFFF_FFFF
        {
            duration = Double(length) / Double(scale)
        }
    }

    /// Times count from 1904; 0 is none, and what lies before 1970 is of a writer that counted from there.
    private static func unixTime(_ seconds: Int) -> Int? {
        let from1904To1970 = 2_082_844_800
        guard seconds > 0 else { return nil }
        return seconds >= from1904To1970 ? seconds - from1904To1970 : seconds
    }

    private mutating func readTrack(_ bytes: FileBytes, _ range: Range<Int>) {
        guard let media = BoxList.first("mdia", in: range, of: bytes),
            let handler = BoxList.first("hdlr", in: media, of: bytes).flatMap({
                bytes.uint32(at: $0.lowerBound + 8)
            }),
            [BoxList.code("vide"), BoxList.code("pict")].contains(handler),
            let start = BoxList.first("tkhd", in: range, of: bytes)?.lowerBound,
            let version = bytes.uint8(at: start)
        else { return }
        let matrix = start + (version == 1 ? 52 : 40)
        // Fixed point, 16 bits before and behind.
        guard let width = bytes.uint32(at: matrix + 36), let height = bytes.uint32(at: matrix + 40) else {
            return
        }
        let track = PixelSize<StoredGrid>(width: width >> 16, height: height >> 16)
        guard track.area > size?.area ?? 0 else { return }
        size = track
        orientation = Self.orientation(bytes, matrix)
        samples =
            BoxList.first("minf", in: media, of: bytes)
            .flatMap { BoxList.first("stbl", in: $0, of: bytes) }
            .flatMap { BoxList.first("stsz", in: $0, of: bytes) }
            .flatMap { bytes.uint32(at: $0.lowerBound + 8) } ?? 0
    }

    /// The turn of a matrix [a b u; c d v; x y w]; what is no multiple of a quarter is upright.
    private static func orientation(_ bytes: FileBytes, _ at: Int) -> Orientation {
        let signs = [0, 4, 12, 16].map { (bytes.int32(at: at + $0) ?? 0).signum() }
        return switch signs {
        case [-1, 0, 0, 1]: .upMirrored
        case [-1, 0, 0, -1]: .down
        case [1, 0, 0, -1]: .downMirrored
        case [0, 1, 1, 0]: .leftMirrored
        case [0, 1, -1, 0]: .right
        case [0, -1, -1, 0]: .rightMirrored
        case [0, -1, 1, 0]: .left
        default: .up
        }
    }
}
