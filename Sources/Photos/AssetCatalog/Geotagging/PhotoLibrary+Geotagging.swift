internal import CatalogStorage
public import ImageMetadata

/// The result of geotagging the assets without a location of their own.
package struct GeotagReport: Equatable, Sendable {
    /// The number of assets that were given a location.
    package var located = 0
    /// The number of assets without date and time, or with the modification time only.
    package var undated = 0
    /// The number of assets whose date has no time zone, without an assumed one.
    package var withoutZone = 0
    /// The number of assets that were taken at times far from all points of the track.
    package var beyondTrack = 0
}

extension PhotoLibrary {
    /// Gives assets without a location that of recorded tracks at the time when they were taken.
    ///
    /// Locations that a track gave before are computed again.
    ///
    /// - Parameters:
    ///   - files: paths of GPX files, which count as one track; points without a position or a time are skipped.
    ///   - maximumGap: the longest time to the nearest point.
    ///   - clockOffset: the time to add to what the camera's clock showed.
    ///   - zone: the time zone of dates without one; without it such assets get no location.
    /// - Returns: the number of assets that were given a location.
    /// - Throws: `LibraryError`, of the kind `notFound` or `damaged` if a file cannot be read or is not a track.
    @discardableResult
    public func geotag(
        gpx files: [String], maximumGap: Duration = .seconds(60), clockOffset: Duration = .zero,
        assuming zone: AssumedZone? = nil
    ) async throws -> Int {
        let track = try await BackgroundQueue.run {
            Track.joined(try files.map { path in try Track(gpx: path) })
        }
        return try await geotag(
            by: track, maximumGap: maximumGap, clockOffset: clockOffset, assuming: zone
        ).located
    }

    /// Gives assets without a location that of a track.
    package func geotag(
        by track: Track, maximumGap: Duration = .seconds(60), clockOffset: Duration = .zero,
        assuming zone: AssumedZone? = nil
    ) async throws -> GeotagReport {
        let (maximumGap, clockOffset) = (maximumGap.inSeconds, clockOffset.inSeconds)
        return try await geotag(by: track, maximumGap, clockOffset, zone)
    }

    private func geotag(
        by track: Track, _ maximumGap: Double, _ clockOffset: Double, _ zone: AssumedZone?
    ) async throws -> GeotagReport {
        let (report, locations) = try await read { catalog in
            var report = GeotagReport()
            var locations: [Asset.ID: Location] = [:]
            try catalog.forEachUntracked { id, date in
                guard let date, date.hasTime, date.source != .fileTime else {
                    report.undated += 1
                    return
                }
                guard let instant = date.exactInstant(assuming: zone) else {
                    report.withoutZone += 1
                    return
                }
                guard let location = track.location(at: instant + clockOffset, maximumGap: maximumGap) else {
                    report.beyondTrack += 1
                    return
                }
                report.located += 1
                locations[id] = location
            }
            return (report, locations)
        }
        if !locations.isEmpty { try await setLocations(locations) }
        return report
    }
}

extension CaptureDate {
    /// Seconds since 1970 UTC with their fraction; nil where the zone is unknown.
    fileprivate func exactInstant(assuming zone: AssumedZone?) -> Double? {
        guard let offset = offset ?? zone?.offset(local) else { return nil }
        let fraction = local.fraction.isEmpty ? 0 : Double("0." + local.fraction) ?? 0
        return Double(local.wholeSeconds - offset.minutes * 60) + fraction
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
