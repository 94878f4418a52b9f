internal import Basics
internal import Containers
internal import Files

/// The texts in a QuickTime or MP4 file, and what cameras write beside them.
///
/// Sources: Apple, QuickTime File Format; 3GPP TS 26.244, section 8; ExifTool's tag names of QuickTime.
struct MovieTexts {
    /// Texts by key: Apple's, such as "com.apple.quicktime.make", and four characters, such as "©day".
    private var texts: [String: String] = [:]
    private(set) var xmp: Range<Int>?
    /// What the camera states in a box of its maker.
    private(set) var maker: Exif?
    /// The position in 3GPP's box, which is less exact than those in texts.
    private var fixedLocation: Location?

    /// The text of one of Apple's keys, without "com.apple.quicktime.", or else of one of the four-character codes.
    subscript(_ key: String, _ codes: String...) -> String? {
        texts["com.apple.quicktime.\(key)"] ?? codes.lazy.compactMap { texts[$0] }.first
    }

    var make: String? { self["make", "©mak", "manu"] ?? texts["com.android.manufacturer"] }
    var model: String? { self["model", "©mod", "modl", "cmnm"] ?? texts["com.android.model"] }

    /// The time of capture: the first that has a zone, or else a time.
    var date: CaptureDate? {
        let dates = [self["creationdate"], texts["©day"], texts["date"]].compactMap {
            CaptureDate($0, source: .quickTimeCreationDate)
        }
        return dates.first { $0.offset != nil } ?? dates.first(where: \.hasTime) ?? dates.first
    }

    /// The zone of the camera, which Samsung's phones state beside the time in UTC.
    var zone: (offset: UTCOffset, source: ZoneSource)? {
        let key = "com.samsung.android.utc_offset"
        return texts[key].flatMap { UTCOffset($0) }.map { ($0, .tag(key)) }
    }

    var location: Location? {
        var place = self["location.ISO6709", "©xyz"].flatMap { Location(iso6709: $0, source: .quickTime) }
        place?.accuracy = self["location.accuracy.horizontal"].flatMap { Double($0) }
            .flatMap { $0.isFinite ? $0 : nil }
        // Without a fix, many writers state zeros.
        return [place, fixedLocation].compactMap(\.self).first { $0.latitude != 0 || $0.longitude != 0 }
    }
}

extension MovieTexts {
    /// Reads user data: one box for each text, position or record of a maker.
    mutating func readUserData(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        var boxes = BoxList(bytes, in: range)
        while let box = try boxes.next() {
            let body = bytes.extracting(box.content)
            switch box.type {
            case "meta": try readMetadata(bytes, box.content)
            case "XMP_": xmp = box.content
            case "loci": fixedLocation = fixedLocation ?? Self.location(body)
            case "date", "titl", "dscp", "manu", "modl", "cmnm": set(Self.plain(body), box.type.description)
            case let type where type.bytes[0] == 0xA9:
                // The length and the language precede the text.
                guard let length = body.uint16(at: 0), length <= body.count - 4 else { continue }
                set(body.slice(4, length)?.text, type.description)
            case let type where Self.ricoh.contains(type):
                // Ricoh's Theta writes this character instead of ©, and the text alone.
                set(body.text, "©" + type.description.dropFirst())
            default: if maker == nil { maker = try Exif(makerBox: box.type, body) }
            }
        }
    }

    private static let ricoh: Set<FourCC> = ["@day", "@mak", "@mod", "@swr", "@xyz"]

    /// Reads a box "meta": Apple's keys, iTunes' texts by four characters, or Sony's XML.
    mutating func readMetadata(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        // MP4 has a version before the boxes, QuickTime has none.
        let start = range.lowerBound + (bytes.has("hdlr", at: range.lowerBound + 4) ? 0 : 4)
        guard start < range.upperBound else { return }
        let content = start..<range.upperBound
        if let text = try BoxList.first("xml ", in: content, of: bytes), text.count > 4 {
            maker = maker ?? Exif.nonRealTime(bytes.extracting((text.lowerBound + 4)..<text.upperBound))
        }
        let names = try Self.keys(bytes, content)
        guard let list = try BoxList.first("ilst", in: content, of: bytes) else { return }
        var items = BoxList(bytes, in: list)
        while let item = try items.next() {
            if let name = names[Int(item.type.code)] {
                set(try Self.value(bytes, item.content), name)
            } else if item.type.bytes[0] == 0xA9 {
                set(try Self.value(bytes, item.content), item.type.description)
            }
        }
    }

    /// The names of Apple's texts by their number in the list of values.
    private static func keys(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) -> [Int: String] {
        guard let names = try BoxList.first("keys", in: range, of: bytes) else { return [:] }
        // Each name is a box of the type "mdta"; version and count precede the first.
        var keys = BoxList(bytes, in: min(names.lowerBound + 8, names.upperBound)..<names.upperBound)
        var known: [Int: String] = [:]
        var number = 1
        while let key = try keys.next(), number <= 256 {
            known[number] = bytes.slice(key.content)?.text
            number += 1
        }
        return known
    }

    private mutating func set(_ text: String?, _ name: String) {
        texts[name] = texts[name] ?? text
    }

    /// The text of the box "data" in an item, after its type and language.
    private static func value(_ bytes: FileBytes, _ item: Range<Int>) throws(FileError) -> String? {
        guard let data = try BoxList.first("data", in: item, of: bytes), data.count > 8 else { return nil }
        return bytes.slice((data.lowerBound + 8)..<data.upperBound)?.text
    }
}

/// 3GPP's boxes begin with a version, flags and, except for dates, a language.
extension MovieTexts {
    /// A text; some cameras write it without anything before it.
    private static func plain(_ body: FileBytes) -> String? {
        guard body.uint32(at: 0) == 0 else { return body.text }
        let isDate = body.uint8(at: 4).map { (0x30...0x39).contains($0) } ?? false
        return body.slice((isDate ? 4 : min(6, body.count))..<body.count)?.text
    }

    /// The position of "loci": its name, its role, and degrees and meters in fixed point of 16.16 bits.
    private static func location(_ body: FileBytes) -> Location? {
        guard let end = endOfText(from: 6, in: body), let role = body.uint8(at: end), role != 2,
            let longitude = body.int32(at: end + 1), let latitude = body.int32(at: end + 5),
            let altitude = body.int32(at: end + 9)
        else { return nil }
        // 2 is a fictional place. The fifth decimal is beyond the last bit, and 0 is the altitude of those who know none.
        func degrees(_ fixed: Int) -> Double { (Double(fixed) / 65536 * 100_000).rounded() / 100_000 }
        return Location(
            latitude: degrees(latitude), longitude: degrees(longitude),
            altitude: altitude == 0 ? nil : Double(altitude) / 65536, source: .quickTime)
    }

    /// The position after a text in UTF-8, or in UTF-16 with its byte-order mark, and its end.
    private static func endOfText(from start: Int, in body: FileBytes) -> Int? {
        let width = body.uint16(at: start) == 0xFEFF ? 2 : 1
        return stride(from: start, to: body.count, by: width)
            .first { body.unsigned(width, at: $0) == 0 }.map { $0 + width }
    }
}
