/// What a camera wrote beside the pixels: orientation, maker, date and place.
///
/// Source: CIPA DC-008 (EXIF 2.32). The block is hostile input: what is broken reads as missing.
public struct Exif: Equatable, Sendable {
    /// IFD0's Orientation, 1 to 8; 0 and foreign values read as missing.
    public var orientation: Int?
    public var make: String?
    public var model: String?
    public var date: CaptureDate?
    public var location: Location?

    /// Reads a block that begins with "Exif\0\0" or with the TIFF byte-order mark; nil where it is neither.
    public init?(_ bytes: [UInt8]) {
        let header: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        let data = bytes.starts(with: header) ? bytes[6...] : bytes[...]
        guard let block = TIFFBlock(data), let start = block.uint32(4),
            let main = TIFFDirectory(block, at: start)
        else { return nil }
        orientation = main.int(0x0112).flatMap { (1...8).contains($0) ? $0 : nil }
        make = main.string(0x010F)
        model = main.string(0x0110)
        date = main.directory(0x8769).flatMap(CaptureDate.init)
        location = main.directory(0x8825).flatMap(Location.init)
    }

    /// Reads the text form that ImageMagick leaves in a PNG: "Raw profile type exif", a length, hexadecimal.
    public init?(rawProfile text: String) {
        let fields = text.split(whereSeparator: \.isWhitespace)
        guard fields.count > 2, fields[0] == "exif", let length = Int(fields[1]) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in fields[2...].joined().utf8 {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        guard bytes.count == length else { return nil }
        self.init(bytes)
    }
}
