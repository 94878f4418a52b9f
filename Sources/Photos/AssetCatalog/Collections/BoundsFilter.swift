internal import GRDB
internal import ImageMetadata

/// Selects the assets between two latitudes and two longitudes, both included.
struct BoundsFilter: AssetFilter, Hashable {
    private let south: Double
    private let west: Double
    private let north: Double
    private let east: Double

    /// Nil if a number is outside of its range or the south is north of the north; a west beyond the east crosses the
    /// date line.
    init?(south: Double, west: Double, north: Double, east: Double) {
        guard abs(south) <= 90, abs(north) <= 90, abs(west) <= 180, abs(east) <= 180, south <= north else {
            return nil
        }
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    func includes(_ asset: Asset) -> Bool {
        guard let place = asset.location, (south...north).contains(place.latitude) else { return false }
        return west <= east
            ? (west...east).contains(place.longitude) : place.longitude >= west || place.longitude <= east
    }
}

extension BoundsFilter: CatalogFilter {
    var condition: SQL? {
        let isAcross: SQL =
            west <= east
            ? "longitude BETWEEN \(west) AND \(east)" : "(longitude >= \(west) OR longitude <= \(east))"
        return """
            asset.id IN (
                SELECT id FROM asset INDEXED BY assetByLocation WHERE latitude IS NOT NULL
                AND latitude BETWEEN \(south) AND \(north) AND \(isAcross))
            """
    }
}
