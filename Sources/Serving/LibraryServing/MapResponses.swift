#if Server && Library
internal import Basics
internal import HTTPTypes
private import Platform
internal import PhotoCatalog
internal import Synchronization
internal import TileServing

/// The places of photos in the square of the Mercator projection: x and y from 0 to 1, y downwards.
struct MapPoints: Sendable {
    private var ids: [Asset.ID] = []
    private var xs: [Double] = []
    private var ys: [Double] = []
    private var positions: AssetPositions

    /// The latitude at which the square ends.
    static let maximumLatitude = 85.051_128_779_806_6

    init(_ positions: AssetPositions) {
        self.positions = positions
        ids = positions.ids
        xs = positions.longitudes.map { ($0 + 180) / 360 }
        ys = positions.latitudes.map { Self.y($0) }
    }

    static func y(_ latitude: Double) -> Double {
        let angle = min(max(latitude, -maximumLatitude), maximumLatitude) * .pi / 180
        return 0.5 - log(tan(.pi / 4 + angle / 2)) / (2 * .pi)
    }

    var count: Int { ids.count }

    /// Photos that are near each other on a map.
    struct Cluster: Equatable, Sendable {
        /// The photo that was added to the library last.
        fileprivate(set) var asset: Asset.ID
        fileprivate(set) var count = 0
        fileprivate(set) var south = 90.0
        fileprivate(set) var north = -90.0
        fileprivate(set) var west = 180.0
        fileprivate(set) var east = -180.0
        private var latitudes = 0.0
        private var longitudes = 0.0

        init(asset: Asset.ID) { self.asset = asset }

        /// The middle of its photos.
        var latitude: Double { latitudes / Double(max(1, count)) }
        var longitude: Double { longitudes / Double(max(1, count)) }

        fileprivate mutating func add(_ id: Asset.ID, _ latitude: Double, _ longitude: Double) {
            asset = max(asset, id)
            count += 1
            latitudes += latitude
            longitudes += longitude
            (south, north) = (min(south, latitude), max(north, latitude))
            (west, east) = (min(west, longitude), max(east, longitude))
        }
    }

    /// Returns the clusters in a part of the world: the photos in each cell of a grid.
    ///
    /// - Parameters:
    ///   - cells: The number of cells from the west end of the world to the east end.
    ///   - limit: The maximum number of clusters.
    /// - Returns: The largest first; nil if there are more than `limit`.
    func clusters(cells: Double, in bounds: MapBounds, limit: Int) -> [Cluster]? {
        var found: [Int: Cluster] = [:]
        for index in ids.indices {
            let (x, y) = (xs[index], ys[index])
            guard bounds.contains(x: x, y: y) else { continue }
            let key = Int(y * cells) << 32 | Int(x * cells)
            found[key, default: Cluster(asset: 0)].add(
                ids[index], positions.latitudes[index], positions.longitudes[index])
            if found.count > limit { return nil }
        }
        return found.values.sorted { ($1.count, $1.asset) < ($0.count, $0.asset) }
    }

    /// The part of the world that contains all points: south, west, north, east; nil without points.
    var extent: [Double]? {
        guard let south = positions.latitudes.min(), let north = positions.latitudes.max(),
            let west = positions.longitudes.min(), let east = positions.longitudes.max()
        else { return nil }
        return [south, west, north, east]
    }
}

/// A part of the world in the square of the projection.
struct MapBounds: Sendable {
    private let (west, east): (Double, Double)
    private let (top, bottom): (Double, Double)

    static let world = MapBounds(south: -90, west: -180, north: 90, east: 180)

    /// A west beyond the east crosses the date line.
    init(south: Double, west: Double, north: Double, east: Double) {
        (self.west, self.east) = ((west + 180) / 360, (east + 180) / 360)
        (top, bottom) = (MapPoints.y(north), MapPoints.y(south))
    }

    func contains(x: Double, y: Double) -> Bool {
        guard y >= top, y <= bottom else { return false }
        return west <= east ? x >= west && x <= east : x >= west || x <= east
    }
}

/// The clusters of a collection's photos on the map.
struct MapResponses {
    private let served: ServedLibrary
    private let request: RouteRequest

    /// The deepest level of the map; the width of the world is 256 pixels at level 0, and doubles with each.
    private static let maximumZoom = 20
    /// The cells of a level along 256 pixels.
    private static let cellsPerTile = 4.0
    private static let maximumClusters = 800

    init(_ served: ServedLibrary, _ request: RouteRequest) {
        self.served = served
        self.request = request
    }

    /// - Throws: `RouteError` if `zoom` or `bounds` are malformed, or there are too many clusters.
    func clusters() async throws -> JSONValue {
        let selection = try AssetRequest(request)
        guard let zoom = Int(strict: request.value("zoom") ?? "0"), zoom <= Self.maximumZoom else {
            throw RouteError(.badRequest, "zoom= is a number from 0 to \(Self.maximumZoom)")
        }
        let bounds = try bounds()
        let points = try await served.points.current(selection, of: served)
        let found = try await BlockingExecutor.shared.run {
            points.clusters(
                cells: Self.cellsPerTile * Double(1 << zoom), in: bounds, limit: Self.maximumClusters)
        }
        guard let found else {
            throw RouteError(.badRequest, "that part of the map has too many clusters; ask for a smaller one")
        }
        let assets = try await served.library.assets(found.map(\.asset))
        let byID = Dictionary(assets.map { ($0.id, $0) }) { $1 }
        return .object([
            "located": .int(points.count),
            "extent": points.extent.map { .array($0.map(JSONValue.number)) },
            "clusters": .array(
                found.compactMap { cluster in
                    byID[cluster.asset].map { Self.json(cluster, $0, served) }
                }),
        ])
    }

    private static func json(_ cluster: MapPoints.Cluster, _ asset: Asset, _ served: ServedLibrary)
        -> JSONValue
    {
        .object([
            "latitude": .number(cluster.latitude), "longitude": .number(cluster.longitude),
            "count": .int(cluster.count),
            "bounds": .numbers(cluster.south, cluster.west, cluster.north, cluster.east),
            "place": asset.place.map(JSONValue.string), "asset": asset.json(in: served),
        ])
    }

    private func bounds() throws(RouteError) -> MapBounds {
        guard let text = request.value("bounds") else { return .world }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard parts.count == 4, abs(parts[0]) <= 90, abs(parts[2]) <= 90, parts[0] <= parts[2],
            abs(parts[1]) <= 180, abs(parts[3]) <= 180
        else { throw RouteError(.badRequest, "bounds= is south,west,north,east in degrees") }
        return MapBounds(south: parts[0], west: parts[1], north: parts[2], east: parts[3])
    }
}

/// The points of the last maps of a library; those of an older state of it are good for a few seconds.
final class KeptPoints: Sendable {
    private struct Kept {
        var selection: AssetRequest
        var sequence: Int
        var read: ContinuousClock.Instant
        var points: MapPoints
    }

    private let kept = Mutex<[Kept]>([])

    /// The maximum number of maps; a million positions take 40 MB.
    private static let capacity = 2
    private static let pause = Duration.seconds(5)

    func current(_ selection: AssetRequest, of served: ServedLibrary) async throws -> MapPoints {
        let sequence = try await served.library.lastChange()
        let known = kept.withLock { kept in
            kept.first { one in
                one.selection == selection
                    && (one.sequence == sequence || ContinuousClock.now - one.read < Self.pause)
            }
        }
        if let known { return known.points }
        let positions = try await served.collection(for: selection).positions()
        let points = try await BlockingExecutor.shared.run { MapPoints(positions) }
        kept.withLock { kept in
            kept.removeAll { $0.selection == selection }
            kept.insert(Kept(selection: selection, sequence: sequence, read: .now, points: points), at: 0)
            kept.removeLast(max(0, kept.count - Self.capacity))
        }
        return points
    }
}
#endif
