internal import Basics

/// A date in a text, as EXIF, XMP, ISO 8601, IPTC, RFC 1123 and C write them, with what the text states.
///
/// "2014:05:25 10:00:00", "2014/05/25 10:00:00", "2014-05-25T10:00:00.25+02:00", "20140525T100000Z", "2014-05-25",
/// "Sun, 25 May 2014 10:00:00 +0200". Months, days and times may be unknown: "2014", "2014-05", blanks or zeros.
package struct DateText: Equatable {
    /// The time; the beginning of what is known.
    package let clock: WallClock
    package let precision: DatePrecision
    /// The zone, if the text has one.
    package let offset: UTCOffset?

    /// Returns nil for other texts, and where there is no such time.
    package init?(_ text: String) {
        let trimmed = String(text.trimmed { $0.isWhitespace || $0 == "\0" })
        var reader = DateReader(trimmed)
        guard let date = reader.date() ?? WordedDate.read(trimmed) else { return nil }
        self = date
    }

    init?(_ year: Int, _ month: Int = 1, _ day: Int = 1, known precision: DatePrecision) {
        guard let clock = WallClock(year: year, month: month, day: day) else { return nil }
        (self.clock, self.precision, offset) = (clock, precision, nil)
    }

    init(_ clock: WallClock, _ precision: DatePrecision, _ offset: UTCOffset?) {
        (self.clock, self.precision, self.offset) = (clock, precision, offset)
    }

    /// Whether the time of day is known.
    package var hasTime: Bool { precision >= .minute }
}

/// Reads dates of digits from left to right.
struct DateReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { at == bytes.count }

    /// A part of a date: blanks stand for one that is unknown, as in EXIF.
    private enum Part {
        case number(Int)
        case unknown
        case invalid
    }

    mutating func date() -> DateText? {
        guard let year = digits(4) else { return nil }
        if isAtEnd { return DateText(year, known: .year) }
        let isMarked = take(":-/.")
        guard let month = number(isMarked) else { return nil }
        if month == 0 { return DateText(year, known: .year) }
        if isAtEnd { return isMarked ? DateText(year, month, known: .month) : nil }
        guard !isMarked || take(":-/."), let day = number(isMarked) else { return nil }
        guard day > 0 else { return DateText(year, month, known: .month) }
        guard let date = DateText(year, month, day, known: .day) else { return nil }
        return isAtEnd ? date : time(of: date.clock)
    }

    /// Reads a time of day after its day.
    private mutating func time(of day: WallClock) -> DateText? {
        let isApart = take(" Tt")
        guard isApart || peek?.isDigit == true else { return nil }
        let date = DateText(day, .day, nil)
        var hour: Int
        switch part() {
        case .number(let number): hour = number
        case .unknown: return date
        case .invalid: return nil
        }
        let mark = peek
        let isMarked = take(":.")
        // An hour alone cannot be kept.
        if isAtEnd { return date }
        let minute: Int
        switch isMarked ? part() : digits(2).map(Part.number) ?? .invalid {
        case .number(let number): minute = number
        case .unknown: return date
        case .invalid: return nil
        }
        var second: Int?
        var fraction = ""
        if isMarked ? peek == mark && take(":.") : peek?.isDigit == true {
            switch part() {
            case .number(let number): second = number
            case .unknown: break
            case .invalid: return nil
            }
            if second != nil, take(".,") { fraction = someDigits() }
        }
        while take(" ") {}
        // "1:42PM"
        if take("AaPp"), (1...12).contains(hour) {
            let isAfternoon = bytes[at - 1] | 0x20 == UInt8(ascii: "p")
            guard take("Mm") else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        guard
            let clock = WallClock(
                year: day.year, month: day.month, day: day.day, hour: hour, minute: minute,
                second: second ?? 0, fraction: fraction)
        else { return nil }
        while take(" ") {}
        return DateText(clock, second == nil ? .minute : .second, offset())
    }

    /// A month or a day, 0 if it is unknown; nil if there is none.
    ///
    /// - Parameter isMarked: whether it ends at a mark; otherwise it has two digits.
    private mutating func number(_ isMarked: Bool) -> Int? {
        guard isMarked else { return digits(2) }
        switch part() {
        case .number(let number): return number
        case .unknown: return 0
        case .invalid: return nil
        }
    }

    /// Reads one or two digits, before which may be blanks, or at most two blanks.
    private mutating func part() -> Part {
        // Blanks at the end of a text are cut off.
        if isAtEnd { return .unknown }
        let isBlank = take(" ")
        if isBlank { _ = take(" ") }
        let run = bytes[at...].prefix(2).prefix(while: \.isDigit)
        guard !run.isEmpty else { return isBlank ? .unknown : .invalid }
        at = run.endIndex
        return .number(run.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    /// "+02:00", "-0530", "+02" or "Z".
    mutating func offset() -> UTCOffset? {
        if take("Z") { return .utc }
        let sign = peek == 0x2D ? -1 : 1
        guard take("+-"), let hours = digits(2) else { return nil }
        _ = take(":")
        guard let minutes = isAtEnd ? 0 : digits(2), minutes < 60 else { return nil }
        return UTCOffset(minutes: sign * (hours * 60 + minutes))
    }

    /// Reads a number of exactly that many digits.
    private mutating func digits(_ count: Int) -> Int? {
        guard count <= bytes.count - at else { return nil }
        var value = 0
        for byte in bytes[at..<(at + count)] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        at += count
        return value
    }

    private mutating func someDigits() -> String {
        let run = bytes[at...].prefix(9).prefix(while: \.isDigit)
        at = run.endIndex
        while peek?.isDigit == true { at += 1 }
        return String(decoding: run, as: UTF8.self)
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Skips the next byte if it is one of these.
    private mutating func take(_ choices: String) -> Bool {
        guard let next = peek, choices.utf8.contains(next) else { return false }
        at += 1
        return true
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
}
