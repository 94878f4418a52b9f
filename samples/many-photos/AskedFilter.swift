import PhotoCatalog

/// What people ask a library for: kinds, dates, places, and several at once.
enum AskedFilter {
    static func all() throws -> [(name: String, filter: any Filter)] {
        let years = try DateFilter(from: "2001", to: "2019")
        let places = PlaceFilter(containing: "place")
        let near = NearFilter(latitude: 47, longitude: 8, distance: 25_000)
        return [
            ("everything", AssetKinds.all), ("png", AssetKinds.png), ("screenshot", AssetKinds.screenshot),
            ("png or video", [AssetKinds.png, .video] as AssetKinds),
            ("years", years), ("a month", try DateFilter(from: "2014-05", to: "2014-05")),
            ("from a minute on", try DateFilter(from: "2000-01-01T10:30", to: nil)),
            ("places", places), ("a place", PlaceFilter(containing: "place 77")),
            ("near", near),
            ("near by half the Earth", NearFilter(latitude: 47, longitude: 8, distance: 10_000_000)),
            ("years and png", FilterIntersection([years, AssetKinds.png])),
            ("years and places", FilterIntersection([years, places])),
            ("places and png", FilterIntersection([places, AssetKinds.png])),
            ("near and years", FilterIntersection([near, years])),
        ]
    }
}
