package import ImageMetadata
package import PhotoCatalog
package import TestSupport

/// Random assets: with ties, zones, no dates, and names that differ in one byte.
package struct RandomAssets {
    package var random: SplitMix64

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    package static let kinds: [AssetKinds] = [
        [.photo, .jpeg], [.photo, .png], [.photo, .png, .screenshot], [.photo], .video,
        [.photo, .jpeg, .screenshot],
    ]
    private static let folders = ["", "a/", "a/b/", "Z/", "ä/"]
    private static let places = [nil, nil, "Paris", "Aachen", "paris", "Ågotnes"]
    private static let offsets = [nil, nil, "+02:00", "-11:00", "+14:00", "Z"]

    package mutating func next(below count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func element<E>(of list: [E]) -> E { list[next(below: list.count)] }

    /// - Parameter number: A number that makes the path unique.
    package mutating func asset(_ number: Int) throws -> Asset {
        var asset = try Asset.made(
            "\(element(of: Self.folders))\(element(of: ["IMG", "img", "é", "e\u{301}"]))\(number).jpg",
            kinds: element(of: Self.kinds), place: element(of: Self.places), bytes: next(below: 5000))
        if next(below: 8) > 0 { asset.date = date() }
        if next(below: 3) > 0 { asset.location = location() }
        return asset
    }

    package mutating func date() -> CaptureDate? {
        // Few different dates over centuries, so that ties and shared entries are common.
        let year = element(of: [1000, 1899, 1969, 1970, 2014, 2014, 2020, 2021, 9999])
        let (month, day) = element(of: [(1, 1), (1, 3), (5, 25), (10, 27), (12, 31)])
        let precision = element(
            of: [.second, .second, .second, .minute, .day, .month, .year] as [DatePrecision])
        return WallClock(
            year: year, month: month, day: day, hour: element(of: [0, 10, 23]), minute: next(below: 2),
            second: next(below: 2), fraction: element(of: ["", "", "25", "250", "1"])
        ).map { local in
            let offset = element(of: Self.offsets).flatMap { UTCOffset($0) }
            return CaptureDate(
                local: local, precision: precision, offset: precision < .minute ? nil : offset,
                source: .createDate)
        }
    }

    /// Returns a location near difficult points: the date line, the poles, 0,0.
    private mutating func location() -> Location? {
        let (latitude, longitude) = element(of: Self.spots)
        let offset = element(of: [0, 0.001, -0.5])
        return Location(
            latitude: max(-90, min(90, latitude + offset)),
            longitude: max(-180, min(180, longitude - offset)),
            source: .exif)
    }

    private static let spots = [
        (0.0, 180.0), (0, -180), (90, 0), (89.9, 120), (-90, 7), (0, 0), (48.858, 2.294), (-33.9, 151.2),
    ]

    /// Returns a random filter.
    package mutating func filter() throws -> any AssetFilter {
        switch next(below: 6) {
        case 0, 1: return try DateFilter(from: beginning(), to: beginning())
        case 2:
            let (latitude, longitude) = element(of: Self.spots)
            let distance = element(of: [-1, 0, 112, 80_000, 1e7, 1e9])
            return NearFilter(latitude: latitude, longitude: longitude, distance: distance)
        case 3: return PlaceFilter(containing: element(of: ["PAR", "å", "", "en", "nowhere"]))
        case 4:
            return FilterIntersection([element(of: Self.kinds), try DateFilter(from: beginning(), to: nil)])
        default: return FilterIntersection([try filter(), try filter()])
        }
    }

    /// Returns the beginning of a date, or nil.
    private mutating func beginning() -> String? {
        guard let date = date()?.local.description else { return nil }
        let lengths = [4, 7, 10, 13, 16, 19, 30]
        switch next(below: 4) {
        case 0: return nil
        case 1: return element(of: ["2014-02", "2014-05-25 10", "1000", "9999-12-31T23:59:59.999999999"])
        default: return String(date.prefix(element(of: lengths)))
        }
    }

    package mutating func assets(_ count: Int) throws -> [Asset] { try (0..<count).map { try asset($0) } }
}
