internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads a QuickTime or MP4 file.
    mutating func readMovie(_ bytes: FileBytes) throws(FileError) {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        while let box = try boxes.next() {
            switch box.type {
            case "moov":
                let movie = try MovieHeader(bytes, in: box.content)
                add(movie)
                if let packet = movie.xmp { readXMP(bytes.extracting(packet)) }
            case "uuid": readUUID(box.content, in: bytes)
            default: break
            }
        }
    }

    private mutating func add(_ movie: MovieHeader) {
        storedSize = movie.size
        orientation = movie.orientation
        duration = movie.duration
        if let seconds = movie.created {
            offer(CaptureDate(secondsSince1970: seconds, source: .quickTimeCreateDate))
        }
        func text(_ key: String, _ short: String) -> String? {
            movie.texts["com.apple.quicktime.\(key)"] ?? movie.texts[short]
        }
        if let date = CaptureDate(text("creationdate", "©day"), source: .quickTimeCreationDate), date.hasTime
        {
            offer(date)
        }
        make = text("make", "©mak")
        model = text("model", "©mod")
        software = text("software", "©swr")
        title = text("title", "©nam")
        caption = text("description", "©des")
        livePhotoIdentifier = text("content.identifier", "")
        if var place = text("location.ISO6709", "©xyz").flatMap({ Location(iso6709: $0, source: .quickTime) })
        {
            place.accuracy = text("location.accuracy.horizontal", "").flatMap { Double($0) }
                .flatMap { $0.isFinite ? $0 : nil }
            offer(place)
        }
    }

    /// Reads a box with a UUID, recognized by its first eight bytes: XMP, and EXIF and IPTC in JPEG 2000.
    mutating func readUUID(_ range: Range<Int>, in bytes: FileBytes) {
        guard let first = bytes.bits(8, at: range.lowerBound), range.count >= 16 else { return }
        let content = (range.lowerBound + 16)..<range.upperBound
        switch first {
        case 0xBE7A_CFCB_97A9_42E8: readXMP(bytes.extracting(content))
        case 0x4A70_6754_6966_6645: readExif(content, in: bytes)
        case 0x33C7_A4D2_B81D_4723: readIPTC(bytes.extracting(content))
        default: break
        }
    }
}

/// The metadata in the box "moov" of a QuickTime or MP4 file; samples are not read.
///
/// Source: ISO/IEC 14496-12, section 8; Apple, QuickTime File Format.
struct MovieHeader {
    /// The duration in seconds.
    var duration: Double?
    /// The date in seconds since 1970 UTC; nil if the file states 0.
    var created: Int?
    /// The size of the largest video track, before rotation.
    var size: PixelSize<StoredGrid>?
    var orientation = Orientation.up
    /// The number of frames of that track.
    var samples = 0
    /// Texts by key: Apple's, such as "com.apple.quicktime.make", and QuickTime's four characters, such as "©day".
    var texts: [String: String] = [:]
    var xmp: Range<Int>?

    /// - Parameter range: The contents of "moov".
    init(_ bytes: FileBytes, in range: Range<Int>) throws(FileError) {
        var boxes = BoxList(bytes, in: range)
        while let box = try boxes.next() {
            switch box.type {
            case "mvhd": readHeader(bytes, box.content)
            case "trak": try readTrack(bytes, box.content)
            case "udta": try readUserData(bytes, box.content)
            case "meta": try readKeys(bytes, box.content)
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

    /// Returns a time that counts from 1904, or nil for 0.
    ///
    /// Times before 1970 are from writers that count from 1970.
    private static func unixTime(_ seconds: Int) -> Int? {
        let from1904To1970 = 2_082_844_800
        guard seconds > 0 else { return nil }
        return seconds >= from1904To1970 ? seconds - from1904To1970 : seconds
    }

    private mutating func readTrack(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
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

extension MovieHeader {
    /// Reads QuickTime's texts: one box each, with a four-character type that begins with ©.
    mutating func readUserData(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        var boxes = BoxList(bytes, in: range)
        while let box = try boxes.next() {
            switch box.type {
            case "meta":
                try readItems(bytes, box.content)
            case "XMP_":
                xmp = box.content
            case let type where type.bytes[0] == 0xA9:
                // The length and the language precede the text.
                guard let length = bytes.uint16(at: box.content.lowerBound), length <= box.content.count - 4,
                    let text = bytes.slice(box.content.lowerBound + 4, length)?.text
                else { continue }
                set(text, type)
            default: break
            }
        }
    }

    /// Reads iTunes-style texts in "ilst", by four-character types.
    private mutating func readItems(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        guard range.count > 4 else { return }
        let content = (range.lowerBound + 4)..<range.upperBound
        // ffmpeg writes Apple's keys here, too.
        try readKeys(bytes, content)
        guard let list = try BoxList.first("ilst", in: content, of: bytes) else { return }
        var items = BoxList(bytes, in: list)
        while let item = try items.next() {
            if item.type.bytes[0] == 0xA9, let text = try Self.value(bytes, item.content) {
                set(text, item.type)
            }
        }
    }

    /// Reads Apple's texts: names in "keys", values in "ilst" by the index of the name.
    mutating func readKeys(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        guard let names = try BoxList.first("keys", in: range, of: bytes),
            let list = try BoxList.first("ilst", in: range, of: bytes)
        else { return }
        // Each name is a box of the type "mdta"; version and count precede the first.
        var keys = BoxList(bytes, in: min(names.lowerBound + 8, names.upperBound)..<names.upperBound)
        var known: [Int: String] = [:]
        var number = 1
        while let key = try keys.next(), number <= 256 {
            known[number] = bytes.slice(key.content)?.text
            number += 1
        }
        var items = BoxList(bytes, in: list)
        while let item = try items.next() {
            if let name = known[Int(item.type.code)], let text = try Self.value(bytes, item.content) {
                texts[name] = texts[name] ?? text
            }
        }
    }

    private mutating func set(_ text: String, _ type: FourCC) {
        let name = type.description
        texts[name] = texts[name] ?? text
    }

    /// The text of the box "data" in an item, after its type and language.
    private static func value(_ bytes: FileBytes, _ item: Range<Int>) throws(FileError) -> String? {
        guard let data = try BoxList.first("data", in: item, of: bytes), data.count > 8 else { return nil }
        return bytes.slice((data.lowerBound + 8)..<data.upperBound)?.text
    }
}
