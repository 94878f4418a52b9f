#if Server && Library
internal import Basics
internal import PhotoCatalog
internal import ViewerPages

/// The map of the world in cells, and the towns in them, as `.ci/build-world` makes it.
///
/// Sources: Natural Earth, public domain; GeoNames, CC BY 4.0.
struct Atlas: Sendable {
    /// What the page of the map has to say.
    static let credit = "Natural Earth. \(PlaceNames.attribution)"
    /// The atlas of the program.
    static let world = Atlas(ViewerPage.atlas)

    /// A town with at least 15,000 people.
    struct Town: Equatable, Sendable {
        let name: String
        /// The country's code in ISO 3166.
        let country: String
        /// Degrees of WGS 84.
        let latitude: Double
        let longitude: Double
        let thousands: Int
        /// The name in lower case, without accents.
        fileprivate let plain: String
    }

    private let bytes: [UInt8]
    private let found = Once<[Town]>()

    private static let columns = 36
    private static let rows = 18
    private static let degrees = 10.0
    private static let units = 1000.0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the bytes of a cell, which are counted from the southwest by rows; nil if there is none.
    func cell(_ number: Int) -> ArraySlice<UInt8>? {
        guard (0..<(Self.columns * Self.rows)).contains(number), let start = position(number),
            let end = position(number + 1), start <= end, end <= bytes.count
        else { return nil }
        return bytes[start..<end]
    }

    /// Where a cell begins; the one before it ends there.
    private func position(_ number: Int) -> Int? {
        guard 4 * number + 4 <= bytes.count else { return nil }
        return (0..<4).reduce(0) { $0 | Int(bytes[4 * number + $1]) << (8 * $1) }
    }

    /// Returns towns whose names, or words of them, begin with a text: first the names, and the largest towns.
    func towns(named text: String, limit: Int) -> [Town] {
        let plain = Self.plain(text)
        guard !plain.isEmpty else { return [] }
        let all = found.valueEvenIfCancelled { towns() }
        let begun = all.lazy.filter { $0.plain.hasPrefix(plain) }.prefix(limit)
        let within = all.lazy.filter { !$0.plain.hasPrefix(plain) && $0.plain.contains(" " + plain) }.prefix(
            limit)
        return Array((Array(begun) + within).prefix(limit))
    }

    /// All towns, the largest first.
    private func towns() -> [Town] {
        (0..<(Self.columns * Self.rows)).flatMap { number -> [Town] in
            guard let cell = cell(number) else { return [] }
            var reader = Reader(rest: cell)
            let west = Double(number % Self.columns) * Self.degrees - 180
            let south = Double(number / Self.columns) * Self.degrees - 90
            return (0..<(reader.number() ?? 0)).compactMap { _ in reader.town(west, south) }
        }.sorted { ($1.thousands, $0.name) < ($0.thousands, $1.name) }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// Seven bits in a byte, the lowest first; the highest bit says that more follow.
        mutating func number() -> Int? {
            var (value, shift) = (0, 0)
            while shift < 56, let byte = rest.popFirst() {
                value |= Int(byte & 127) << shift
                if byte < 128 { return value }
                shift += 7
            }
            return nil
        }

        mutating func town(_ west: Double, _ south: Double) -> Town? {
            guard let across = number(), let up = number(), let thousands = number() else { return nil }
            let country = String(decoding: rest.prefix(2), as: UTF8.self)
            rest = rest.dropFirst(2)
            guard let length = number(), length <= rest.count else { return nil }
            let name = String(decoding: rest.prefix(length), as: UTF8.self)
            rest = rest.dropFirst(length)
            return Town(
                name: name, country: country, latitude: south + Double(up) / units,
                longitude: west + Double(across) / units, thousands: thousands, plain: plain(name))
        }
    }

    /// Lower case without accents: "Zürich" is "zurich".
    static func plain(_ text: String) -> String {
        var plain = ""
        for scalar in text.lowercased().unicodeScalars {
            if scalar.isASCII {
                plain.unicodeScalars.append(scalar)
            } else if scalar.properties.generalCategory != .nonspacingMark {
                plain += letter(scalar)
            }
        }
        return plain
    }

    /// The letter below the accents of a Latin one, by its name: LATIN SMALL LETTER U WITH DIAERESIS.
    private static func letter(_ scalar: Unicode.Scalar) -> String {
        let start = "LATIN SMALL LETTER "
        guard let name = scalar.properties.name, name.hasPrefix(start),
            let letter = name.dropFirst(start.count).split(separator: " ").first, letter.count <= 2
        else { return String(scalar) }
        return letter.lowercased()
    }
}
#endif
