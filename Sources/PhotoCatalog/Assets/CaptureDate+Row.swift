internal import GRDB
internal import ImageMetadata

/// How a date is stored: as "2014-05-25T10:00:00.25", or "2014-05-25" where the time is not known.
extension CaptureDate {
    init?(_ row: Row) {
        guard let text = row["date"] as String?, let local = WallClock(stored: text),
            let source = (row["dateSource"] as String?).flatMap(DateSource.init(rawValue:))
        else { return nil }
        self.init(
            local: local, hasTime: text.utf8.count > 10,
            offset: (row["utcOffset"] as Int?).flatMap { UTCOffset(minutes: $0) }, source: source,
            zoneSource: (row["zoneSource"] as String?).map { ZoneSource(stored: $0) })
    }

    var stored: String { hasTime ? local.description : String(local.description.prefix(10)) }
}

extension WallClock {
    init?(stored text: String) {
        func number(_ range: Range<Int>) -> Int? {
            guard utf8.count >= range.upperBound else { return nil }
            return utf8[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        let utf8 = Array(text.utf8)
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else {
            return nil
        }
        self.init(
            year: year, month: month, day: day, hour: number(11..<13) ?? 0, minute: number(14..<16) ?? 0,
            second: number(17..<19) ?? 0, fraction: String(decoding: utf8.dropFirst(20), as: UTF8.self))
    }
}

extension ZoneSource {
    /// The kind, and behind a colon the name of the tag or zone.
    var stored: String {
        switch self {
        case .tag(let name): "tag:\(name)"
        case .inText: "text"
        case .definition: "UTC"
        case .assumed(let name): "assumed:\(name)"
        }
    }

    init(stored text: String) {
        let name = String(text.drop { $0 != ":" }.dropFirst())
        switch text.prefix(while: { $0 != ":" }) {
        case "tag": self = .tag(name)
        case "text": self = .inText
        case "assumed": self = .assumed(name)
        default: self = .definition
        }
    }
}
