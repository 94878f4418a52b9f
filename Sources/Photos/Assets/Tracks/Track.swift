internal import ImageMetadata
internal import Places

/// A recorded track: the points of all segments, sorted by time.
package struct Track: Sendable {
    struct Stop: Sendable {
        var point: TrackPoint
        /// The segment, during which the receiver was on.
        var segment: Int

        var place: SpherePoint { SpherePoint(latitude: point.latitude, longitude: point.longitude) }
    }

    /// Ascending; no two at the same instant.
    private let stops: [Stop]

    /// - Parameter segments: points in any order; of points at the same instant the most accurate is kept.
    package init(segments: [[TrackPoint]]) {
        let all = segments.enumerated().flatMap { number, points in
            points.map { Stop(point: $0, segment: number) }
        }
        // The sort is stable.
        let sorted = all.sorted { a, b in
            if a.point.instant != b.point.instant { return a.point.instant < b.point.instant }
            return (a.point.horizontalDilution ?? .infinity) < (b.point.horizontalDilution ?? .infinity)
        }
        var stops: [Stop] = []
        stops.reserveCapacity(sorted.count)
        for stop in sorted where stops.last?.point.instant != stop.point.instant { stops.append(stop) }
        self.stops = stops
    }

    /// The number of points.
    package var count: Int { stops.count }
    /// Whether there are no points.
    package var isEmpty: Bool { stops.isEmpty }

    /// Joins several tracks into one.
    package static func joined(_ tracks: [Track]) -> Track {
        var segments: [[TrackPoint]] = []
        for track in tracks {
            segments += Dictionary(grouping: track.stops, by: \.segment).sorted { $0.key < $1.key }
                .map { $0.value.map(\.point) }
        }
        return Track(segments: segments)
    }
}

extension Track {
    /// Returns the position at an instant: on the great circle between two points, or at the nearest point.
    ///
    /// Within a segment it is interpolated if the nearer point is within the gap; between segments only if they are
    /// not further apart than the gap. The accuracy is that of the receiver (5 m times the dilution) plus the
    /// distance that could have been covered since the nearest point.
    ///
    /// - Parameters:
    ///   - instant: seconds since 1970 UTC.
    ///   - maximumGap: seconds to the nearest point, at most.
    /// - Returns: nil if no point is near enough in time.
    package func location(at instant: Double, maximumGap: Double) -> Location? {
        let next = stops.partitioningIndex { $0.point.instant >= instant }
        let before = next > 0 ? stops[next - 1] : nil
        let after = next < stops.count ? stops[next] : nil
        let gaps = [before, after].compactMap { $0.map { abs($0.point.instant - instant) } }
        guard let gap = gaps.min(), gap <= maximumGap else { return nil }
        if let before, let after {
            let time = after.point.instant - before.point.instant
            if before.segment == after.segment || time <= maximumGap {
                return Self.location(between: before, after, (instant - before.point.instant) / time)
            }
        }
        guard let nearest = gap == before.map({ instant - $0.point.instant }) ? before : after else {
            return nil
        }
        return location(near: nearest, gap: gap)
    }

    private static func location(between before: Stop, _ after: Stop, _ share: Double) -> Location? {
        let place = before.place.interpolated(to: after.place, share)
        let distance = before.place.distance(to: after.place)
        let altitude: Double? =
            if let low = before.point.altitude, let high = after.point.altitude {
                low + (high - low) * share
            } else {
                share < 0.5 ? before.point.altitude : after.point.altitude
            }
        return Location(
            latitude: place.latitude, longitude: place.longitude, altitude: altitude,
            accuracy: max(before.error, after.error) + distance * min(share, 1 - share), source: .track)
    }

    private func location(near stop: Stop, gap: Double) -> Location? {
        Location(
            latitude: stop.point.latitude, longitude: stop.point.longitude, altitude: stop.point.altitude,
            accuracy: stop.error + gap * speed(around: stop), source: .track)
    }

    /// The speed around a point in meters per second, at least walking speed.
    private func speed(around stop: Stop) -> Double {
        let index = stops.partitioningIndex { $0.point.instant >= stop.point.instant }
        let neighbors = [index - 1, index + 1].filter(stops.indices.contains).map { stops[$0] }
        let speeds = neighbors.filter { $0.segment == stop.segment }.map {
            $0.place.distance(to: stop.place) / abs($0.point.instant - stop.point.instant)
        }
        return max(speeds.max() ?? 0, 1.4)
    }
}

extension Track.Stop {
    /// The error of the receiver in meters: 5 m with ideal reception.
    fileprivate var error: Double { 5 * max(point.horizontalDilution ?? 1, 1) }
}

/// The position of a receiver at a moment.
package struct TrackPoint: Hashable, Sendable {
    /// Seconds since 1970 UTC.
    package var instant: Double
    /// Degrees of WGS 84.
    package var latitude: Double
    /// Degrees of WGS 84.
    package var longitude: Double
    /// Meters above sea level.
    package var altitude: Double?
    /// The horizontal dilution of precision (HDOP); 1 is ideal.
    package var horizontalDilution: Double?
}
