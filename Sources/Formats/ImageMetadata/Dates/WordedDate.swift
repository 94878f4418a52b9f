/// Dates with English names of months, as RFC 1123, RFC 850, C and `date` write them.
///
/// "Tue, 16 Jan 2024 21:15:29 +0100", "Tuesday, 16-Jan-24 21:15 GMT", "Tue Jan 16 21:15:29 2024". The day of the week
/// and the time may be missing. Source: RFC 5322, sections 3.3 and 4.3.
enum WordedDate {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]
    private static let hours = [
        "z": 0, "ut": 0, "gmt": 0, "utc": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7,
    ]

    static func read(_ text: String) -> DateText? {
        guard text.utf8.count < 64 else { return nil }
        var words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "\t" }.flatMap(parts).map(
            String.init)
        guard let place = words.firstIndex(where: { month(of: $0) != nil }),
            let month = month(of: words[place])
        else { return nil }
        words.remove(at: place)
        // The day stands before the month, or after it.
        guard
            let dayPlace = [place - 1, place].first(where: { words.indices.contains($0) && isDay(words[$0]) })
        else { return nil }
        let day = words.remove(at: dayPlace)
        let isYearNext = dayPlace < place
        guard let year = year(in: &words, at: isYearNext ? dayPlace : nil) else { return nil }
        let date = "\(year)-\(month)-\(day)"
        guard let time = words.first(where: { $0.contains(":") }) else { return DateText(date) }
        var reader = DateReader("\(date) \(time)")
        guard let read = reader.date() else { return nil }
        return DateText(read.clock, read.precision, words.lazy.compactMap(offset).first)
    }

    /// The parts of "16-jan-24".
    private static func parts(_ word: Substring) -> [Substring] {
        let parts = word.split(separator: "-")
        return parts.count == 3 && isDay(String(parts[0])) ? parts : [word]
    }

    private static func month(of word: String) -> Int? {
        let name = word.hasSuffix(".") ? String(word.dropLast()) : word
        return months.firstIndex { $0 == name || name.count == 3 && $0.hasPrefix(name) }.map { $0 + 1 }
    }

    private static func isDay(_ word: String) -> Bool { Int(word).map { (1...31).contains($0) } ?? false }

    /// Removes the year: the word after the month, which may have two digits, or the last one with four.
    private static func year(in words: inout [String], at place: Int?) -> Int? {
        if let place, words.indices.contains(place), let number = Int(words[place]), number >= 0 {
            let digits = words.remove(at: place).utf8.count
            return digits == 2 ? number + (number < 50 ? 2000 : 1900) : digits == 4 ? number : nil
        }
        guard
            let place = words.lastIndex(where: { $0.utf8.count == 4 && $0.utf8.allSatisfy(\.isDigit) })
        else { return nil }
        return Int(words.remove(at: place))
    }

    /// -0000 states that the zone is unknown.
    private static func offset(_ word: String) -> UTCOffset? {
        if let hours = hours[word] { return UTCOffset(minutes: hours * 60) }
        return word == "-0000" ? nil : UTCOffset(word)
    }
}
