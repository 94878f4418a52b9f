internal import Basics
internal import Containers

/// The IPTC record of a photograph: dates, title, description, keywords and rights.
///
/// Source: IPTC-NAA Information Interchange Model 4.2, record 2.
struct IPTCRecord {
    var title: String?
    var caption: String?
    var keywords: [String] = []
    var rights: String?
    var credit: String?
    /// The date of creation.
    var date: CaptureDate?
    var digitized: CaptureDate?

    /// Reads the data sets: marker, record, number, length, value.
    init(_ bytes: FileBytes) {
        var texts: [Int: String] = [:]
        var at = 0
        var isUTF8 = false
        while bytes.uint8(at: at) == 0x1C, let record = bytes.uint8(at: at + 1),
            let number = bytes.uint8(at: at + 2),
            let length = bytes.uint16(at: at + 3), let value = bytes.slice(at + 5, length)
        {
            at += 5 + length
            if record == 1, number == 90 { isUTF8 = value.has("\u{1B}%G") }
            guard record == 2, let text = isUTF8 ? value.text : value.latinText else { continue }
            if number == 25 { keywords.append(text) } else { texts[number] = texts[number] ?? text }
        }
        title = texts[5]
        caption = texts[120]
        rights = texts[116]
        credit = texts[110]
        date = Self.date(texts[55], texts[60], .iptcDateCreated)
        digitized = Self.date(texts[62], texts[63], .iptcDigitalCreationDate)
    }

    /// "20140525" and "100000+0200"; "20140500" and "20140000" where less is known.
    private static func date(_ day: String?, _ time: String?, _ source: DateSource) -> CaptureDate? {
        guard let day, day.utf8.count == 8 else { return nil }
        guard let time, time.utf8.count >= 4 else { return CaptureDate(day, source: source) }
        return CaptureDate("\(day)T\(time)", source: source) ?? CaptureDate(day, source: source)
    }
}

extension FileBytes {
    /// The text of a record without a character set: UTF-8 if valid, otherwise Latin-1.
    fileprivate var latinText: String? {
        if let text, !text.unicodeScalars.contains("\u{FFFD}") { return text }
        var scalars = String.UnicodeScalarView()
        for byte in array { scalars.append(Unicode.Scalar(byte)) }
        return scalars.isEmpty ? nil : String(scalars)
    }
}

extension FileMetadata {
    mutating func add(_ record: IPTCRecord) {
        offer(record.date)
        offer(record.digitized)
        title = title ?? record.title
        caption = caption ?? record.caption
        rights = rights ?? record.rights
        credit = credit ?? record.credit
        keywords = keywords.isEmpty ? record.keywords : keywords
    }
}
