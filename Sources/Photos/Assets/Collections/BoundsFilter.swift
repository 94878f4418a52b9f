internal import ImageMetadata

/// Selects the assets between two latitudes and two longitudes, both included.
package struct BoundsFilter: AssetFilter, Hashable {
    package let south: Double
    package let west: Double
    package let north: Double
    package let east: Double

    /// Nil if a number is outside of its range or the south is north of the north; a west beyond the east crosses the
    /// date line.
    init?(south: Double, west: Double, north: Double, east: Double) {
        guard abs(south) <= 90, abs(north) <= 90, abs(west) <= 180, abs(east) <= 180, south <= north else {
            return nil
        }
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    package func includes(_ asset: Asset) -> Bool {
        guard let place = asset.location, (south...north).contains(place.latitude) else { return false }
        return west <= east
            ? (west...east).contains(place.longitude) : place.longitude >= west || place.longitude <= east
    }
}
