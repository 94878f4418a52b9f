#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A place on Earth as a point of the unit sphere, where distances know no date line and no poles.
struct SpherePoint: Hashable, Sendable {
    let vector: SIMD3<Double>

    /// The mean radius of Earth, in meters.
    ///
    /// Source: WGS 84, (2a + b) / 3.
    static let radius = 6_371_008.8

    /// - Parameters: in degrees.
    init(latitude: Double, longitude: Double) {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        vector = SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }

    private init(_ vector: SIMD3<Double>) { self.vector = vector }

    /// Degrees.
    var latitude: Double {
        atan2(vector.z, (vector.x * vector.x + vector.y * vector.y).squareRoot()) * 180 / .pi
    }
    /// Degrees, -180 to 180.
    var longitude: Double { atan2(vector.y, vector.x) * 180 / .pi }

    /// The square of the straight line between two points, in radii: it orders as distances do.
    func squaredChord(to other: SpherePoint) -> Double {
        let difference = vector - other.vector
        return (difference * difference).sum()
    }

    /// Meters along the great circle.
    func distance(to other: SpherePoint) -> Double {
        Self.distance(ofSquaredChord: squaredChord(to: other))
    }

    static func distance(ofSquaredChord square: Double) -> Double {
        2 * asin(min(1, square.squareRoot() / 2)) * radius
    }

    static func squaredChord(ofDistance meters: Double) -> Double {
        let chord = 2 * sin(min(max(meters, 0) / radius, .pi) / 2)
        return chord * chord
    }

    /// The point that far along the great circle to another: 0 is here, 1 is there.
    func interpolated(to other: SpherePoint, _ share: Double) -> SpherePoint {
        let angle = distance(to: other) / Self.radius
        // Opposite points have no shortest way, and close ones need none.
        guard sin(angle) > 1e-12 else { return share < 0.5 ? self : other }
        let mixed =
            vector * (sin((1 - share) * angle) / sin(angle)) + other.vector
            * (sin(share * angle) / sin(angle))
        return SpherePoint(mixed)
    }
}
