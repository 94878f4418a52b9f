/// A date in a file's name, which is marked as a guess.
///
/// A day is eight digits, or has the same separator between year, month and day; a time of six digits, or with
/// separators, can follow; with separators, seconds may be missing. "IMG_20140525_100000", "2014-05-25 10.00.00", "Screenshot_2014-05-25-10-00-00", "Screen
/// Shot 2014-05-25 at 10.00.00 AM", "PXL_20140525_080000123" (in UTC), "IMG-20140525-WA0001" (a day). Without a day,
/// thirteen digits are milliseconds since 1970: "mmexport1712345678901". Days that do not exist and digits within a hash
/// are ignored.
struct NamedDate {
    private let bytes: [UInt8]
    private var at: Int

    static func find(in stem: String) -> CaptureDate? {
        let bytes = Array(stem.utf8)
        for start in bytes.indices where start == 0 || !bytes[start - 1].isDigit {
            var reader = Self(bytes: bytes, at: start)
            guard var date = reader.read(), !isInHash(bytes, start) else { continue }
            if stem.hasPrefix("PXL_"), date.hasTime {
                date.offset = .utc
                date.zoneSource = .definition
            }
            return date
        }
        return moment(in: bytes)
    }

    /// The milliseconds that phones and their apps write: from 2008, the first Android, to 2030.
    private static let moments = 1_200_000_000_000..<1_900_000_000_000

    private static func moment(in bytes: [UInt8]) -> CaptureDate? {
        for start in bytes.indices where start == 0 || !bytes[start - 1].isDigit {
            var reader = Self(bytes: bytes, at: start)
            guard let milliseconds = reader.digits(13), moments.contains(milliseconds),
                !reader.isDigit(reader.at),
                !isInHash(bytes, start),
                let local = WallClock(
                    wholeSeconds: milliseconds / 1000,
                    fraction: String("\(1000 + milliseconds % 1000)".dropFirst()))
            else { continue }
            return CaptureDate(local: local, offset: .utc, source: .fileName, zoneSource: .definition)
        }
        return nil
    }

    /// Whether a digit belongs to a hexadecimal number that is longer than any date with its time.
    private static func isInHash(_ bytes: [UInt8], _ index: Int) -> Bool {
        func isHexadecimal(_ byte: UInt8) -> Bool { Character(UnicodeScalar(byte)).isHexDigit }
        let first = bytes[..<index].lastIndex { !isHexadecimal($0) }.map { $0 + 1 } ?? 0
        let run = bytes[first...].prefix(while: isHexadecimal)
        return run.count >= 20 && !run.allSatisfy(\.isDigit)
    }

    private mutating func read() -> CaptureDate? {
        guard let year = digits(4), (1826...2199).contains(year) else { return nil }
        let mark = takeOne(of: "-._")
        guard let month = digits(2), takeOne(of: "-._") == mark, let day = digits(2) else { return nil }
        let end = at
        if let time = time(),
            let local = WallClock(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute,
                second: time.second ?? 0, fraction: time.fraction)
        {
            return CaptureDate(
                local: local, precision: time.second == nil ? .minute : .second, source: .fileName)
        }
        // A longer run of digits is not a date.
        guard end == bytes.count || !bytes[end].isDigit,
            let local = WallClock(year: year, month: month, day: day)
        else { return nil }
        return CaptureDate(local: local, hasTime: false, source: .fileName)
    }

    private mutating func time() -> (hour: Int, minute: Int, second: Int?, fraction: String)? {
        guard take(" at ") || take(", ") || takeOne(of: "_- T.") != nil || isDigit(at) else { return nil }
        // macOS writes hours without a leading zero before AM and PM.
        guard var hour = isDigit(at + 1) ? digits(2) : digits(1) else { return nil }
        let mark = takeOne(of: "-._:")
        guard let minute = digits(2) else { return nil }
        let end = at
        var second: Int?
        if takeOne(of: "-._:") == mark { second = digits(2) }
        if second == nil {
            guard mark != nil, mark != UInt8(ascii: "_") else { return nil }
            at = end
        }
        var fraction = ""
        if mark == nil, (0..<3).allSatisfy({ isDigit(at + $0) }) {
            fraction = String(decoding: bytes[at..<(at + 3)], as: UTF8.self)
            at += 3
        }
        guard !isDigit(at) else { return nil }
        // The space may be a narrow no-break space.
        if take(" ") || take("\u{202F}") || take("\u{A0}") {
            if take("PM"), hour < 12 { hour += 12 } else if take("AM"), hour == 12 { hour = 0 }
        }
        return (hour, minute, second, fraction)
    }

    private func isDigit(_ index: Int) -> Bool { index < bytes.count && bytes[index].isDigit }

    private mutating func digits(_ count: Int) -> Int? {
        guard (0..<count).allSatisfy({ isDigit(at + $0) }) else { return nil }
        defer { at += count }
        return bytes[at..<(at + count)].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func takeOne(of choices: String) -> UInt8? {
        guard at < bytes.count, choices.utf8.contains(bytes[at]) else { return nil }
        defer { at += 1 }
        return bytes[at]
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[at...].starts(with: text.utf8) else { return false }
        at += text.utf8.count
        return true
    }
}

extension FileMetadata {
    /// Reads dates that cameras, phones and programs write into file names.
    mutating func readName(_ name: String) {
        let parts = name.split(separator: ".")
        let base = parts.dropLast().joined(separator: ".")
        // Behind the last point of "2014-05-25 10.00.00" are seconds.
        let hasExtension = !base.isEmpty && parts.last?.utf8.allSatisfy(\.isDigit) == false
        let stem = hasExtension ? base : name
        offer(NamedDate.find(in: stem))
        isScreenshot = isScreenshot || (kind == .photo && ScreenshotName.matches(stem))
        if kind == .photo { burstIdentifier = burstIdentifier ?? BurstName.identifier(in: stem, make: make) }
    }
}

/// The names that systems give to screenshots.
private enum ScreenshotName {
    /// In lower case: Android, iOS, Windows, GNOME; macOS and GNOME in some languages.
    private static let beginnings = [
        "screenshot", "screen shot", "bildschirmfoto", "capture d’écran", "capture d'écran",
        "captura de pantalla", "captura de tela", "schermata", "schermafbeelding", "skärmavbild",
        "skjermbilde",
        "снимок экрана", "zrzut ekranu", "スクリーンショット", "屏幕截图", "截屏",
    ]

    static func matches(_ stem: String) -> Bool {
        let lower = stem.lowercased()
        return beginnings.contains { lower.hasPrefix($0) } || lower.hasSuffix("_screenshot")
    }
}
