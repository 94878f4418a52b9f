internal import Basics

extension Exif {
    /// Reads the text form that ImageMagick leaves in a PNG: "Raw profile type exif", a length, hexadecimal.
    public init?(rawProfile text: String) {
        guard let bytes = rawProfileBytes(Array(text.utf8)) else { return nil }
        self.init(bytes)
    }
}

/// The bytes of ImageMagick's text form of a profile: lines of its name, its length and hexadecimal digits.
func rawProfileBytes(_ text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: 0x0A, maxSplits: 2)
    guard lines.count == 3, let length = Int(String(decoding: lines[1].drop { $0 == 0x20 }, as: UTF8.self))
    else {
        return nil
    }
    let digits = String(decoding: lines[2].filter { $0 > 0x20 }, as: UTF8.self)
    guard let bytes = [UInt8](hexadecimal: digits) else { return nil }
    return bytes.count == length ? bytes : nil
}
