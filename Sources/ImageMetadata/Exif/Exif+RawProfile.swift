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
    var bytes: [UInt8] = []
    var high: UInt8?
    for byte in lines[2] where byte > 0x20 {
        guard let digit = hexDigit(byte) else { return nil }
        if let upper = high {
            bytes.append(upper << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return bytes.count == length ? bytes : nil
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}
