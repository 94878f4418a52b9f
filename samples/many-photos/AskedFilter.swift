import PhotoLibrary

/// What people ask a library for: kinds, dates, places, and several at once.
enum AskedFilter {
    static let all: [(name: String, filter: any Filter)] = [
        ("everything", AssetKinds.all), ("png", AssetKinds.png), ("screenshot", AssetKinds.screenshot),
        ("png or video", [AssetKinds.png, .video] as AssetKinds),
        ("years", years), ("a month", DateFilter(from: "2014-05", to: "2014-05")),
        ("from a minute on", DateFilter(from: "2000-01-01T10:30", to: nil)),
        ("places", places), ("a place", PlaceFilter(containing: "place 77")),
        ("near", NearFilter(latitude: 47, longitude: 8, distance: 25_000)),
        ("near by half the Earth", NearFilter(latitude: 47, longitude: 8, distance: 10_000_000)),
        ("years and png", FilterIntersection([years, AssetKinds.png])),
        ("years and places", FilterIntersection([years, places])),
        ("places and png", FilterIntersection([places, AssetKinds.png])),
        (
            "near and years",
            FilterIntersection([NearFilter(latitude: 47, longitude: 8, distance: 25_000), years])
        ),
    ]

    private static let years = DateFilter(from: "2001", to: "2019")
    private static let places = PlaceFilter(containing: "place")
}
