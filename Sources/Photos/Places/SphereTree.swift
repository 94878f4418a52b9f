private import Platform

/// Points of the sphere, in an order in which the nearest to any place is found in few steps: a k-d tree.
///
/// The point in the middle of a range divides it along one axis of space, those of its halves along the next.
/// Points are vectors, so that nothing is special about the date line and the poles.
struct SphereTree: Sendable {
    /// In the order of the tree.
    let points: [SpherePoint]

    /// - Parameter points: in the order that `order(of:)` says.
    init(ordered points: [SpherePoint]) { self.points = points }

    /// The indices of points in the order in which a tree has to have them.
    static func order(of points: [SpherePoint]) -> [Int] {
        var order = Array(points.indices)
        var ranges = [(order.indices, axis: 0)]
        while let (range, axis) = ranges.popLast() {
            guard range.count > 1 else { continue }
            order[range].sort { points[$0].vector[axis] < points[$1].vector[axis] }
            let middle = middle(of: range)
            ranges.append((range.lowerBound..<middle, (axis + 1) % 3))
            ranges.append(((middle + 1)..<range.upperBound, (axis + 1) % 3))
        }
        return order
    }

    /// The nearest point within a distance in meters; nil where there is none.
    func nearest(to place: SpherePoint, within distance: Double) -> (index: Int, distance: Double)? {
        var best: (index: Int?, square: Double) = (nil, SpherePoint.squaredChord(ofDistance: distance))
        search(points.indices, axis: 0, place, &best)
        return best.index.map { ($0, SpherePoint.distance(ofSquaredChord: best.square)) }
    }

    private func search(
        _ range: Range<Int>, axis: Int, _ place: SpherePoint, _ best: inout (index: Int?, square: Double)
    ) {
        guard !range.isEmpty else { return }
        let middle = Self.middle(of: range)
        let square = points[middle].squaredChord(to: place)
        if square < best.square || best.index == nil && square == best.square { best = (middle, square) }
        let offset = place.vector[axis] - points[middle].vector[axis]
        let halves = [range.lowerBound..<middle, (middle + 1)..<range.upperBound]
        let next = axis == 2 ? 0 : axis + 1
        search(halves[offset < 0 ? 0 : 1], axis: next, place, &best)
        if offset * offset <= best.square { search(halves[offset < 0 ? 1 : 0], axis: next, place, &best) }
    }

    private static func middle(of range: Range<Int>) -> Int { range.lowerBound + range.count / 2 }
}

/// A position as a point of the unit sphere, where the date line and the poles are no special cases.
package struct SpherePoint: Hashable, Sendable {
    package let vector: SIMD3<Double>

    /// The mean radius of Earth, in meters.
    ///
    /// Source: WGS 84, (2a + b) / 3.
    package static let radius = 6_371_008.8

    /// Creates a point from degrees.
    package init(latitude: Double, longitude: Double) {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        vector = SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }

    private init(_ vector: SIMD3<Double>) { self.vector = vector }

    /// The latitude in degrees.
    package var latitude: Double {
        atan2(vector.z, (vector.x * vector.x + vector.y * vector.y).squareRoot()) * 180 / .pi
    }
    /// The longitude in degrees, -180 to 180.
    package var longitude: Double { atan2(vector.y, vector.x) * 180 / .pi }

    /// Returns the squared chord length in radii, which sorts like the distance.
    package func squaredChord(to other: SpherePoint) -> Double {
        let difference = vector - other.vector
        return (difference * difference).sum()
    }

    /// Returns the distance along the great circle in meters.
    package func distance(to other: SpherePoint) -> Double {
        Self.distance(ofSquaredChord: squaredChord(to: other))
    }

    package static func distance(ofSquaredChord square: Double) -> Double {
        2 * asin(min(1, square.squareRoot() / 2)) * radius
    }

    static func squaredChord(ofDistance meters: Double) -> Double {
        let chord = 2 * sin(min(max(meters, 0) / radius, .pi) / 2)
        return chord * chord
    }

    /// Returns the point at a share of the way along the great circle to another point.
    package func interpolated(to other: SpherePoint, _ share: Double) -> SpherePoint {
        let angle = distance(to: other) / Self.radius
        // Antipodes have no unique great circle, and close points need none.
        guard sin(angle) > 1e-12 else { return share < 0.5 ? self : other }
        let mixed =
            vector * (sin((1 - share) * angle) / sin(angle)) + other.vector
            * (sin(share * angle) / sin(angle))
        return SpherePoint(mixed)
    }
}
