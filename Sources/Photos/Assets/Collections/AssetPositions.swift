/// The positions of the assets of a collection, in no order.
package struct AssetPositions: Sendable {
    /// The identifiers; all three lists have the same length.
    package private(set) var ids: [Asset.ID] = []
    /// Degrees of WGS 84.
    package private(set) var latitudes: [Double] = []
    /// Degrees of WGS 84.
    package private(set) var longitudes: [Double] = []

    package init() {}

    package var count: Int { ids.count }

    package mutating func append(_ id: Asset.ID, latitude: Double, longitude: Double) {
        ids.append(id)
        latitudes.append(latitude)
        longitudes.append(longitude)
    }
}
