import ImageMetadata
import PhotoLibrary
import TestSupport

/// Assets as chance has them: ties, zones, undated ones, names that differ in one byte.
struct RandomAssets {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    static let kinds: [AssetKinds] = [
        [.photo, .jpeg], [.photo, .png], [.photo, .png, .screenshot], [.photo], .video,
        [.photo, .jpeg, .screenshot],
    ]
    private static let folders = ["", "a/", "a/b/", "Z/", "ä/"]
    private static let places = [nil, nil, "Paris", "Aachen", "paris", "Ågotnes"]
    private static let offsets = [nil, nil, "+02:00", "-11:00", "+14:00", "Z"]

    mutating func next(below count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func element<E>(of list: [E]) -> E { list[next(below: list.count)] }

    /// - Parameter number: makes the path another one than those of other numbers.
    mutating func asset(_ number: Int) throws -> Asset {
        var asset = try Asset.made(
            "\(element(of: Self.folders))\(element(of: ["IMG", "img", "é", "e\u{301}"]))\(number).jpg",
            kinds: element(of: Self.kinds), place: element(of: Self.places), bytes: next(below: 5000))
        if next(below: 8) > 0 { asset.date = date() }
        return asset
    }

    mutating func date() -> CaptureDate? {
        // Few different ones, so that ties and shared entries are common, over centuries.
        let year = element(of: [1000, 1899, 1969, 1970, 2014, 2014, 2020, 2021, 9999])
        let (month, day) = element(of: [(1, 1), (1, 3), (5, 25), (10, 27), (12, 31)])
        return WallClock(
            year: year, month: month, day: day, hour: element(of: [0, 10, 23]), minute: next(below: 2),
            second: next(below: 2), fraction: element(of: ["", "", "25", "250", "1"])
        ).map {
            CaptureDate(
                local: $0, offset: element(of: Self.offsets).flatMap { UTCOffset($0) }, source: .createDate)
        }
    }

    mutating func assets(_ count: Int) throws -> [Asset] { try (0..<count).map { try asset($0) } }
}
