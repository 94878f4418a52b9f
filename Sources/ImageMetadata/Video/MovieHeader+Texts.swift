internal import Basics

extension MovieHeader {
    /// Reads QuickTime's texts: a box each, named by four characters that begin with ©.
    mutating func readUserData(_ bytes: FileBytes, _ range: Range<Int>) {
        var boxes = BoxList(bytes, in: range)
        while let box = boxes.next() {
            switch box.type {
            case BoxList.code("meta"):
                readItems(bytes, box.content)
            case BoxList.code("XMP_"):
                xmp = box.content
            case let type where type >> 24 == 0xA9:
                // The length and the language stand before the text.
                guard let length = bytes.uint16(at: box.content.lowerBound), length <= box.content.count - 4,
                    let text = bytes.slice(box.content.lowerBound + 4, length)?.text
                else { continue }
                set(text, type)
            default: break
            }
        }
    }

    /// Reads texts as music players know them: in "ilst", by four characters.
    private mutating func readItems(_ bytes: FileBytes, _ range: Range<Int>) {
        guard range.count > 4,
            let list = BoxList.first("ilst", in: (range.lowerBound + 4)..<range.upperBound, of: bytes)
        else { return }
        var items = BoxList(bytes, in: list)
        while let item = items.next() {
            if item.type >> 24 == 0xA9, let text = Self.value(bytes, item.content) { set(text, item.type) }
        }
    }

    /// Reads Apple's texts: names in "keys", values in "ilst" by the number of their name.
    mutating func readKeys(_ bytes: FileBytes, _ range: Range<Int>) {
        guard let names = BoxList.first("keys", in: range, of: bytes),
            let list = BoxList.first("ilst", in: range, of: bytes)
        else { return }
        // Each name is a box of type "mdta"; version and count stand before the first.
        var keys = BoxList(bytes, in: min(names.lowerBound + 8, names.upperBound)..<names.upperBound)
        var known: [Int: String] = [:]
        var number = 1
        while let key = keys.next(), number <= 256 {
            known[number] = bytes.slice(key.content)?.text
            number += 1
        }
        var items = BoxList(bytes, in: list)
        while let item = items.next() {
            if let name = known[item.type], let text = Self.value(bytes, item.content) {
                texts[name] = texts[name] ?? text
            }
        }
    }

    private mutating func set(_ text: String, _ type: Int) {
        let name = "©" + (1...3).map { String(Unicode.Scalar(UInt8(type >> (24 - 8 * $0) & 0xFF))) }.joined()
        texts[name] = texts[name] ?? text
    }

    /// The text of the box "data" in an item, behind its type and its language.
    private static func value(_ bytes: FileBytes, _ item: Range<Int>) -> String? {
        guard let data = BoxList.first("data", in: item, of: bytes), data.count > 8 else { return nil }
        return bytes.slice((data.lowerBound + 8)..<data.upperBound)?.text
    }
}
