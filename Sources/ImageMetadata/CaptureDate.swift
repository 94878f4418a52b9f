/// When a picture was taken: the wall clock as the camera showed it, its offset where known, and the source.
public struct CaptureDate: Equatable, Sendable {
    /// ISO 8601 without a zone: "2014-05-25T10:00:00.25".
    public var local: String
    /// "+02:00", or nil where the zone is unknown; unknown is not UTC.
    public var offset: String?
    /// The tag that the wall clock came from.
    public var source: String

    /// The best date of an EXIF directory: when the shutter opened, else when the picture was digitised.
    init?(_ exif: TIFFDirectory) {
        let tags: [(name: String, date: UInt16, fraction: UInt16, offset: UInt16)] = [
            ("DateTimeOriginal", 0x9003, 0x9291, 0x9011),
            ("CreateDate", 0x9004, 0x9292, 0x9012),
        ]
        for tag in tags {
            guard let seconds = exif.string(tag.date).flatMap(Self.iso) else { continue }
            let fraction = exif.string(tag.fraction).flatMap { $0.allSatisfy(\.isASCIIDigit) ? $0 : nil }
            local = fraction.map { "\(seconds).\($0)" } ?? seconds
            source = fraction == nil ? tag.name : "SubSec\(tag.name)"
            offset = exif.string(tag.offset).flatMap(Self.zone)
            return
        }
        return nil
    }

    /// "2014:05:25 10:00:00" as "2014-05-25T10:00:00"; nil for what is no date, as 0000:00:00.
    private static func iso(_ text: String) -> String? {
        let parts = text.split { !$0.isASCIIDigit }.map(String.init)
        guard parts.count >= 6, parts[0].count == 4, parts[1...5].allSatisfy({ $0.count == 2 }) else {
            return nil
        }
        let numbers = parts[0..<6].compactMap { Int($0) }
        guard numbers.count == 6, numbers[0] >= 1000, (1...12).contains(numbers[1]),
            (1...days(in: numbers[1], of: numbers[0])).contains(numbers[2]),
            numbers[3] < 24, numbers[4] < 60, numbers[5] < 61
        else { return nil }
        return "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])"
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// "+02:00" where it is an offset of at most 14 hours.
    private static func zone(_ text: String) -> String? {
        if text == "Z" { return "+00:00" }
        let parts = text.dropFirst().split(separator: ":")
        guard text.hasPrefix("+") || text.hasPrefix("-"), parts.count == 2,
            parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours <= 14, minutes < 60
        else { return nil }
        return text
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
