extension WallClock: LosslessStringConvertible {
    /// ISO 8601 without a zone: "2014-05-25T10:00:00.25".
    public var description: String {
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let time = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
        guard nanosecond > 0 else { return "\(date)T\(time)" }
        var fraction = Self.padded(nanosecond, 9)
        while fraction.last == "0" { fraction.removeLast() }
        return "\(date)T\(time).\(fraction)"
    }

    /// Reads the same form; digits after the ninth of a second's fraction are dropped.
    ///
    /// Nil for what is on no calendar, and for years below 1000 or above 9999.
    public init?(_ text: String) {
        let text = Array(text.utf8)
        guard text.count >= 19, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54 || text[10] == 0x20,
            text[13] == 0x3A, text[16] == 0x3A
        else { return nil }
        let fields = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap { Self.number(text[$0]) }
        guard fields.count == 6, fields[0] >= 1000, (1...12).contains(fields[1]),
            (1...Self.days(in: fields[1], of: fields[0])).contains(fields[2]),
            fields[3] < 24, fields[4] < 60, fields[5] <= 60
        else { return nil }
        var nanosecond = 0
        if text.count > 19 {
            let digits = text[20...].prefix(9)
            guard text[19] == 0x2E, let number = Self.number(digits),
                Self.number(text[20...].suffix(9)) != nil
            else { return nil }
            nanosecond = (digits.count..<9).reduce(number) { value, _ in value * 10 }
        }
        self.init(
            year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
            second: fields[5], nanosecond: nanosecond)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
