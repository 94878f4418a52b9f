internal import Files
public import ImageMetadata

/// Assigns the assets of a collection to entries.
///
/// The catalog evaluates `StandardGrouping`. Groupings of a program are called for every asset.
public protocol AssetGrouping: Sendable {
    /// Returns the key of the asset's entry; nil for the entry of assets without a key.
    func key(of asset: Asset) -> EntryKey?
}

/// The standard groupings; dates are local to where the asset was taken.
public struct StandardGrouping: AssetGrouping, Hashable {
    /// The common property of the assets of an entry; a week begins on Monday.
    package enum Unit: String, CaseIterable, Sendable {
        /// Nothing: there is one entry.
        case all
        /// The year.
        case year
        /// The month of a year.
        case month
        /// The week, which begins on Monday.
        case week
        /// The day.
        case day
        /// The hour of a day.
        case hour
        /// The place by its name.
        case place
    }

    /// The common property of the assets of an entry.
    package let unit: Unit

    /// Creates a grouping by a unit.
    package init(_ unit: Unit) { self.unit = unit }

    /// Returns the key of the asset's entry; nil without a date or place.
    public func key(of asset: Asset) -> EntryKey? {
        switch unit {
        case .all: .all
        case .place: asset.place.map { .place($0) }
        case .year, .month, .week, .day, .hour:
            asset.date.flatMap { date in
                unit.period.map { EntryKey.period(DatePeriod($0, of: date)) }
            }
        }
    }
}

extension AssetGrouping where Self == StandardGrouping {
    /// One entry with all assets.
    public static var all: Self { Self(.all) }
    /// One entry for each year.
    public static var year: Self { Self(.year) }
    /// One entry for each month.
    public static var month: Self { Self(.month) }
    /// One entry for each week, which begins on Monday.
    public static var week: Self { Self(.week) }
    /// One entry for each day.
    public static var day: Self { Self(.day) }
    /// One entry for each hour.
    public static var hour: Self { Self(.hour) }
    /// One entry for each place name.
    public static var place: Self { Self(.place) }
}

extension StandardGrouping.Unit {
    /// Reads a word in any case; nil for an unknown one.
    package init?(word: String) { self.init(rawValue: word.lowercased()) }

    /// The unit of time; nil for `all` and `place`.
    package var period: DatePeriod.Unit? { DatePeriod.Unit(rawValue: rawValue) }

    /// Returns the key for a number of the catalog; nil if the number is invalid.
    package func key(_ number: Int) -> EntryKey? {
        if self == .all { return .all }
        return period.flatMap { DatePeriod($0, number: number) }.map { .period($0) }
    }
}

/// A year, month, week, day or hour in local time.
public struct DatePeriod: Hashable, Sendable {
    /// The length of a period; a week begins on Monday.
    package enum Unit: String, CaseIterable, Sendable {
        /// A year.
        case year
        /// A month of a year.
        case month
        /// Seven days from a Monday.
        case week
        /// A day.
        case day
        /// An hour of a day.
        case hour
    }

    /// The length of the period.
    package let unit: Unit
    /// The first second of the period; the week of 1000-01-01 starts in the year 1000.
    public let start: WallClock
    /// 2014 for a year, 201405 for a month, 20140519 (its Monday) for a week, 20140525 for a day, 2014052510 for an
    /// hour; 201400 and 20140500 for the photos of a year or month of which no more is known.
    package let number: Int

    /// Creates the period that contains a time.
    package init(_ unit: Unit, containing time: WallClock) {
        self.init(unit, hour: time.hourKey, week: time.weekKey, time)
    }

    /// Creates the period of a date; of a date without a month or a day, a part of that period.
    package init(_ unit: Unit, of date: CaptureDate) {
        self.init(unit, hour: date.hourKey, week: date.weekKey, date.local)
    }

    private init(_ unit: Unit, hour: Int, week: Int, _ time: WallClock) {
        self.unit = unit
        number =
            switch unit {
            case .year: hour / 1_000_000
            case .month: hour / 10_000
            case .week: week
            case .day: hour / 100
            case .hour: hour
            }
        start = Self.start(unit, number) ?? time
    }

    /// Creates a period from its number; nil if there is no such time.
    package init?(_ unit: Unit, number: Int) {
        guard let start = Self.start(unit, number) else { return nil }
        (self.unit, self.start, self.number) = (unit, start, number)
    }

    /// The beginning of what is known; zeros at the end stand for the beginning of a month or a year.
    private static func start(_ unit: Unit, _ number: Int) -> WallClock? {
        guard (0..<10_000_000_000).contains(number) else { return nil }
        let hour = number * [.year: 1_000_000, .month: 10_000, .week: 100, .day: 100][unit, default: 1]
        let (month, day) = (hour / 10_000 % 100, hour / 100 % 100)
        guard month > 0 || hour % 1_000_000 == 0, day > 0 || hour % 10_000 == 0 else { return nil }
        return WallClock(
            year: hour / 1_000_000, month: max(month, 1), day: max(day, 1), hour: hour % 100)
    }

    /// What is known of the period: "2014", "2014-05", "2014-05-25" or "2014-05-25 10:00"; the beginning of a week.
    package var text: String {
        String(start.description.prefix(length)).replacing("T", with: " ")
    }

    private var length: Int {
        switch unit {
        case .year: 4
        case .month: number % 100 == 0 ? 4 : 7
        case .week, .day: number % 10_000 == 0 ? 4 : number % 100 == 0 ? 7 : 10
        case .hour: number % 1_000_000 == 0 ? 4 : number % 10_000 == 0 ? 7 : 16
        }
    }

    /// The digits of what is known: "2014", "201405", "20140525", "2014052510".
    package var digits: String {
        let end = [.hour: 13][unit, default: 10]
        return String(start.description.prefix(min(length, end)).filter(\.isNumber))
    }
}

/// The common key of the assets of an entry.
public enum EntryKey: Hashable, Sendable {
    /// All assets are in one entry.
    case all
    /// Assets of one year, month, week, day or hour.
    case period(DatePeriod)
    /// Assets at the place of this name.
    case place(String)
    /// A number of a grouping of the program.
    case number(Int)
    /// A text of a grouping of the program.
    case text(String)
}

extension EntryKey {
    /// Whether both are equal; texts are compared by their bytes, as in the catalog.
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.all, .all): true
        case (.period(let first), .period(let second)): first == second
        case (.number(let first), .number(let second)): first == second
        case (.place(let first), .place(let second)), (.text(let first), .text(let second)):
            FilePath(first) == FilePath(second)
        default: false
        }
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        switch self {
        case .all: break
        case .period(let period): hasher.combine(period)
        case .number(let number): hasher.combine(number)
        case .place(let text), .text(let text): hasher.combine(FilePath(text))
        }
    }
}

extension EntryKey: Comparable {
    /// Compares periods and numbers by value, texts by their bytes; numbers are less than texts.
    public static func < (a: EntryKey, b: EntryKey) -> Bool {
        switch (a.number, b.number) {
        case (let first?, let second?):
            return first == second ? a.rank < b.rank : first < second
        case (nil, nil):
            let (first, second) = (FilePath(a.description), FilePath(b.description))
            return first == second ? a.rank < b.rank : first < second
        case (let first, _): return first != nil
        }
    }

    private var rank: Int {
        switch self {
        case .all: 0
        case .period(let period): 1 + (DatePeriod.Unit.allCases.firstIndex(of: period.unit) ?? 0)
        case .number: 9
        case .place: 10
        case .text: 11
        }
    }

    /// The number of the key in JSON and in the catalog; nil for texts.
    package var number: Int? {
        switch self {
        case .all: 0
        case .period(let period): period.number
        case .number(let number): number
        case .place, .text: nil
        }
    }
}

extension EntryKey: CustomStringConvertible {
    /// The digits of a period, "201405" for a month, or the text.
    public var description: String {
        switch self {
        case .all, .period, .number: "\(number ?? 0)"
        case .place(let text), .text(let text): text
        }
    }
}
