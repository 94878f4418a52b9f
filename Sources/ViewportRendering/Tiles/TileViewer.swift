private import Synchronization
internal import ViewportGeometry

/// One who looks: it wants one set of tiles at a time.
public struct TileViewer: Hashable, Sendable {
    private static let last = Atomic(0)

    private let number: Int
    /// Whether it asks for what may be seen soon.
    let isResting: Bool

    /// A viewer that is no other.
    public init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        isResting = false
    }

    private init(number: Int) {
        self.number = number
        isResting = true
    }

    /// The same viewer, as far as it asks for what it will see when all motion has ended.
    var resting: TileViewer { TileViewer(number: number) }
}

/// How soon a tile is wanted: the least comes first.
package struct TileRank: Comparable, Hashable, Sendable {
    /// What tiles are wanted for.
    package enum Purpose: Int, Sendable {
        /// Filling holes at once: few and coarse.
        case stopgap
        /// Being seen.
        case visible
        /// Being seen soon.
        case resting
    }

    package var purpose: Purpose
    /// The square of the distance from the middle of what is seen, in pixels of the level.
    package var distance: Int

    package static func < (a: Self, b: Self) -> Bool {
        (a.purpose.rawValue, a.distance) < (b.purpose.rawValue, b.distance)
    }
}

/// A tile and how soon it is wanted.
package struct TileRequest: Sendable {
    package var key: TileKey
    package var rank: TileRank

    /// The tiles of a rectangle, ranked from its middle.
    static func wishes(
        _ rect: PixelRect<StoredGrid>, of level: TiledLevel, for purpose: TileRank.Purpose
    ) -> [TileRequest] {
        level.grid.places(in: rect).map { column, row in
            let tile = level.grid.rect(column: column, row: row)
            // Twice the distances, so that the middles are whole numbers.
            let x = 2 * (tile.x - rect.x) + tile.width - rect.width
            let y = 2 * (tile.y - rect.y) + tile.height - rect.height
            return TileRequest(
                key: level.key(column: column, row: row),
                rank: TileRank(purpose: purpose, distance: x * x + y * y))
        }
    }
}
