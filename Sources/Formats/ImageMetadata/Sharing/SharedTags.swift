internal import Basics
internal import Containers
internal import ViewportGeometry

/// The tags of a new EXIF block.
struct SharedTags {
    let order: ByteOrder
    /// Those of the picture, the camera and the author.
    var main: [TIFFValue] = []
    /// Those of the shot.
    var details: [TIFFValue] = []

    init(_ order: ByteOrder) { self.order = order }

    func number(_ tag: Int, _ value: Int) -> TIFFValue { TIFFValue(tag: tag, type: 3, [value], order) }

    private func text(_ tag: Int, _ text: String) -> TIFFValue {
        TIFFValue(tag: tag, type: 2, count: text.utf8.count + 1, bytes: Array(text.utf8) + [0])
    }

    private func undefined(_ tag: Int, _ bytes: [UInt8]) -> TIFFValue {
        TIFFValue(tag: tag, type: 7, count: bytes.count, bytes: bytes)
    }

    /// States what XMP states, so that programs that read the one or the other find the same.
    mutating func state(_ edit: SidecarEdit) {
        if case .set(let date) = edit.date { state(date) }
        if case .set(let words) = edit.caption { main.replace(text(0x010E, words)) }
        if case .set(let stars) = edit.rating {
            main.removeAll { [0x4746, 0x4749].contains($0.tag) }
            if (0...5).contains(stars) { main.append(number(0x4746, stars)) }
        }
    }

    private mutating func state(_ date: CaptureDate) {
        let words = date.textOfExif
        // Where the camera has written one time as both, it was digitized when it was taken.
        let former = details.first { $0.tag == 0x9003 }?.bytes
        let isBoth = former != nil && former == details.first { $0.tag == 0x9004 }?.bytes
        let sets: [(date: Int, fraction: Int, offset: Int)] =
            [(0x9003, 0x9291, 0x9011)] + (isBoth ? [(0x9004, 0x9292, 0x9012)] : [])
        for set in sets {
            details.removeAll { [set.date, set.fraction, set.offset].contains($0.tag) }
            details.append(text(set.date, words))
            if !date.local.fraction.isEmpty { details.append(text(set.fraction, date.local.fraction)) }
            if date.hasTime, let offset = date.offset { details.append(text(set.offset, offset.description)) }
        }
    }

    /// Adds the tags that Exif demands of a JPEG, with the values that it names where nothing is known.
    ///
    /// Source: Exif 2.32, sections 4.6.4, 4.6.5 and 4.6.8.
    mutating func complete(_ size: PixelSize<StoredGrid>) {
        guard !main.isEmpty || !details.isEmpty else { return }
        let isScaled = main.contains { $0.tag == 0x011A } && main.contains { $0.tag == 0x011B }
        if !isScaled {
            main.removeAll { [0x011A, 0x011B, 0x0128].contains($0.tag) }
            main += [0x011A, 0x011B].map { TIFFValue(tag: $0, type: 5, [72, 1], order) }
        }
        if !main.contains(where: { $0.tag == 0x0128 }) { main.append(number(0x0128, 2)) }
        // The samples of a JPEG without this tag are centered, as JFIF has them.
        if !main.contains(where: { $0.tag == 0x0213 }) { main.append(number(0x0213, 1)) }
        guard !details.isEmpty else { return }
        details.replace(TIFFValue(tag: 0xA002, type: 4, [size.width], order))
        details.replace(TIFFValue(tag: 0xA003, type: 4, [size.height], order))
        for tag in [
            undefined(0x9000, Array("0232".utf8)), undefined(0x9101, [1, 2, 3, 0]),
            undefined(0xA000, Array("0100".utf8)), number(0xA001, 0xFFFF),
        ] where !details.contains(where: { $0.tag == tag.tag }) { details.append(tag) }
    }
}

extension [TIFFValue] {
    /// Replaces a tag, or adds it.
    fileprivate mutating func replace(_ value: TIFFValue) {
        removeAll { $0.tag == value.tag }
        append(value)
    }
}

extension CaptureDate {
    /// "2014:05:25 10:00:00", with blanks for what is unknown.
    ///
    /// Source: Exif 2.32, "DateTime".
    fileprivate var textOfExif: String {
        let parts: [(value: String, precision: DatePrecision, separator: String)] = [
            ("\(local.year)", .year, ":"), (local.month.twoDigits, .month, ":"),
            (local.day.twoDigits, .day, " "),
            (local.hour.twoDigits, .minute, ":"), (local.minute.twoDigits, .minute, ":"),
            (local.second.twoDigits, .second, ""),
        ]
        return parts.map { part in
            (precision >= part.precision ? part.value : String(repeating: " ", count: part.value.count))
                + part.separator
        }.joined()
    }
}
