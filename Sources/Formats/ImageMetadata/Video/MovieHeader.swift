internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

/// The metadata in the box "moov" of a QuickTime or MP4 file; samples are not read.
///
/// Source: ISO/IEC 14496-12, section 8; Apple, QuickTime File Format.
struct MovieHeader {
    /// The duration in seconds.
    var duration: Double?
    /// The date in seconds since 1970 UTC: that of the movie, or else of its first track with one.
    var created: Int? { ownTime ?? trackTime }
    private var ownTime: Int?
    private var trackTime: Int?
    /// The size of the largest video track, before rotation.
    var size: PixelSize<StoredGrid>?
    var orientation = Orientation.up
    /// The number of frames of that track.
    var samples = 0
    var texts = MovieTexts()

    /// - Parameter range: The contents of "moov".
    init(_ bytes: FileBytes, in range: Range<Int>) throws(FileError) {
        var boxes = BoxList(bytes, in: range)
        while let box = try boxes.next() {
            switch box.type {
            case "mvhd": readHeader(bytes, box.content)
            case "trak": try readTrack(bytes, box.content)
            case "udta": try texts.readUserData(bytes, box.content)
            case "meta": try texts.readMetadata(bytes, box.content)
            default: break
            }
        }
    }

    private mutating func readHeader(_ bytes: FileBytes, _ range: Range<Int>) {
        guard let body = bytes.slice(range), let version = body.uint8(at: 0) else { return }
        let wide = version == 1 ? 8 : 4
        ownTime = Self.time(body)
        if let scale = body.uint32(at: 4 + 2 * wide), scale > 0,
            let length = body.unsigned(wide, at: 8 + 2 * wide),
            length > 0, wide == 8 || length != 0xFFFF_FFFF
        {
            duration = Double(length) / Double(scale)
        }
    }

    /// The time of creation in a header of a movie, a track or a medium, in seconds since 1970 UTC.
    ///
    /// Nil for 0, and for times that no camera has: some programs write headers of version 1 in units of their own,
    /// which makes years such as 140320.
    private static func time(_ header: FileBytes) -> Int? {
        let (from1904To1970, from1970To2100) = (2_082_844_800, 4_102_444_800)
        guard let version = header.uint8(at: 0),
            let seconds = header.unsigned(version == 1 ? 8 : 4, at: 4), seconds > 0
        else { return nil }
        // Times before 1970 are from writers that count from 1970.
        let time = seconds >= from1904To1970 ? seconds - from1904To1970 : seconds
        return time < from1970To2100 ? time : nil
    }

    /// The time of a track, or else of its medium.
    private static func time(ofTrack range: Range<Int>, in bytes: FileBytes) throws(FileError) -> Int? {
        if let header = try BoxList.first("tkhd", in: range, of: bytes),
            let time = time(bytes.extracting(header))
        {
            return time
        }
        return try BoxList.first("mdia", "mdhd", in: range, of: bytes).flatMap { time(bytes.extracting($0)) }
    }

    private mutating func readTrack(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        if trackTime == nil { trackTime = try Self.time(ofTrack: range, in: bytes) }
        guard let media = try BoxList.first("mdia", in: range, of: bytes),
            let handler = try BoxList.first("hdlr", in: media, of: bytes).flatMap({
                bytes.fourCC(at: $0.lowerBound + 8)
            }),
            ["vide", "pict"].contains(handler),
            let start = try BoxList.first("tkhd", in: range, of: bytes)?.lowerBound,
            let version = bytes.uint8(at: start)
        else { return }
        let matrix = start + (version == 1 ? 52 : 40)
        // Fixed point, 16.16 bits.
        guard let width = bytes.uint32(at: matrix + 36), let height = bytes.uint32(at: matrix + 40) else {
            return
        }
        let track = PixelSize<StoredGrid>(width: width >> 16, height: height >> 16)
        guard track.area > size?.area ?? 0 else { return }
        size = track
        orientation = Self.orientation(bytes, matrix)
        samples =
            try BoxList.first("minf", "stbl", "stsz", in: media, of: bytes)
            .flatMap { bytes.uint32(at: $0.lowerBound + 8) } ?? 0
    }

    /// The rotation of a matrix [a b u; c d v; x y w]; others than quarter turns count as upright.
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
