/// Films made of their headers alone.
package enum FilmMaker {
    /// A QuickTime or MP4 film of one track.
    ///
    /// - Parameter matrix: a, b, c and d of the track's matrix.
    package static func film(
        brand: String = "qt  ", created: Int = 0, seconds: Int = 10, width: Int = 1920, height: Int = 1080,
        matrix: [Int] = [1, 0, 0, 1], keys: [(name: String, value: String)] = [],
        userData: [(code: String, value: String)] = []
    ) -> [UInt8] {
        let times = big(created, 4) + big(created, 4)
        let header = box("mvhd", big(0, 4), times, big(600, 4), big(seconds * 600, 4), zeros(80))
        var cells: [UInt8] = []
        for cell in [matrix[0], matrix[1], 0, matrix[2], matrix[3], 0, 0, 0] { cells += big(cell << 16, 4) }
        let track = box(
            "tkhd", big(0, 4), times, big(1, 4), zeros(4), big(seconds * 600, 4), zeros(16), cells,
            big(0x4000_0000, 4), big(width << 16, 4), big(height << 16, 4))
        let media = box("mdia", box("hdlr", zeros(8), text("vide"), zeros(13)))
        return box("ftyp", text(brand), big(0, 4), text(brand))
            + box("moov", header, box("trak", track, media), keyed(keys), named(userData)) + box("mdat", [0])
    }

    /// Apple's texts: names, and values by the number of their name.
    private static func keyed(_ keys: [(name: String, value: String)]) -> [UInt8] {
        guard !keys.isEmpty else { return [] }
        var names: [UInt8] = []
        var values: [UInt8] = []
        for (index, key) in keys.enumerated() {
            names += box("mdta", text(key.name))
            let data = box("data", big(1, 4), big(0, 4), text(key.value))
            values += big(data.count + 8, 4) + big(index + 1, 4) + data
        }
        return box(
            "meta", box("hdlr", zeros(8), text("mdta"), zeros(13)),
            box("keys", big(0, 4), big(keys.count, 4), names), box("ilst", values))
    }

    /// QuickTime's texts, by four characters.
    private static func named(_ entries: [(code: String, value: String)]) -> [UInt8] {
        guard !entries.isEmpty else { return [] }
        var boxes: [UInt8] = []
        for entry in entries {
            boxes += box(entry.code, big(text(entry.value).count, 2), big(0x15C7, 2), text(entry.value))
        }
        return box("udta", boxes)
    }

    /// A Matroska film of 2.5 seconds.
    ///
    /// - Parameter nanoseconds: its date, since 2001 UTC.
    package static func matroska(type: String = "matroska", nanoseconds: Int, width: Int, height: Int)
        -> [UInt8]
    {
        let length = element(0x4489, 2, big(Int(Double(2500).bitPattern), 8))
        let information =
            element(0x2AD7B1, 3, big(1_000_000, 3)) + length + element(0x4461, 2, big(nanoseconds, 8))
        let sides = element(0xB0, 1, big(width, 2)) + element(0xBA, 1, big(height, 2))
        let track = element(0xAE, 1, element(0xE0, 1, sides))
        return element(0x1A45_DFA3, 4, element(0x4282, 2, text(type)))
            + element(0x1853_8067, 4, element(0x1549_A966, 4, information) + element(0x1654_AE6B, 4, track))
    }

    /// An element of EBML: a name, a length of two bytes, a content.
    private static func element(_ name: Int, _ count: Int, _ content: [UInt8]) -> [UInt8] {
        big(name, count) + big(0x4000 | content.count, 2) + content
    }

    /// An AVI of one second of 25 frames.
    package static func avi(width: Int, height: Int, date: String) -> [UInt8] {
        let times = little(40_000, 4) + zeros(12) + little(25, 4)
        let header = times + zeros(12) + little(width, 4) + little(height, 4)
        let list = chunk("LIST", text("hdrl") + chunk("avih", header) + chunk("IDIT", text(date)))
        return text("RIFF") + little(list.count + 4, 4) + text("AVI ") + list
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
